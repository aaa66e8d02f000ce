// docs/architecture.md names files and functions: they exist. In a line of a list, `file.cpp` is a
// file of the project, wherever it lies, and a `name` behind it is defined or declared in it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "places.h"
#include "source_tree.h"

namespace stiffit::internal {
namespace {

struct Named {
  std::string file, name;  // name may be empty
  int line = 0;
};

bool is_file(const std::string& word) {
  return (word.ends_with(".cpp") || word.ends_with(".h")) &&
         word.find_first_of("/ *") == std::string::npos && word.find("NAME") == std::string::npos;
}

// Every `word` of the lists, names with the file before them.
std::vector<Named> named_in(const std::string& page) {
  std::vector<Named> all;
  std::istringstream lines(page);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::string file;
    std::size_t end = 0;
    for (std::size_t at = line.find('`'); at != std::string::npos; at = line.find('`', end + 1)) {
      const std::size_t before = end;
      end = line.find('`', at + 1);
      if (end == std::string::npos) break;
      const std::string word = line.substr(at + 1, end - at - 1);
      const bool follows = !file.empty() && line.substr(before, at - before) == "` ";
      if (is_file(word)) {
        file = word;
        all.push_back({file, "", number});
      } else {
        if (follows) all.push_back({file, word, number});
        file.clear();
      }
    }
  }
  return all;
}

std::string complaints(const std::string& page, const SourceTree& tree) {
  std::string found;
  for (const Named& n : named_in(page)) {
    bool there = false, defined = false;
    const std::string plain = n.name.substr(n.name.rfind(':') + 1);
    for (const auto& [path, text] : tree) {
      if (path.substr(path.rfind('/') + 1) != n.file) continue;
      there = true;
      defined |= n.name.empty() || has_word(without_comments(text), plain);
    }
    const std::string place = "line " + std::to_string(n.line) + ": ";
    if (!there)
      found += place + "no file " + n.file + "\n";
    else if (!defined)
      found += place + n.file + " has no " + n.name + "\n";
  }
  return found;
}

TEST(Architecture, FilesAndFunctionsExist) {
  std::ifstream file(source_path("docs/architecture.md"));
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_GT(named_in(page.str()).size(), 80u);
  EXPECT_EQ(complaints(page.str(), source_tree({"src", "apps", "bindings", "tests"})), "");
}

TEST(Architecture, WhatIsMissingIsNoticed) {
  const SourceTree tree{{"src/ode/a.cpp", "void Driver::run() {}  // stop\n"}};
  EXPECT_EQ(complaints("- `a.cpp` `Driver::run` runs.\n", tree), "");
  EXPECT_EQ(complaints("- `b.cpp` is not there.\n", tree), "line 1: no file b.cpp\n");
  EXPECT_EQ(complaints("\n- x `a.cpp` `stop` y\n", tree), "line 2: a.cpp has no stop\n");
}

}  // namespace
}  // namespace stiffit::internal
