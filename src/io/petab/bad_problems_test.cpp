// Every mistake the PEtab reader knows has a file in tests/bad_problems and the very words shown.
// A .petab file holds whole files of a problem, each after a line "==> NAME", with commas for tabs
// in tables; the other files are those of the good problem of its version.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/petab/petab_for_test.h"
#include "places.h"

namespace stiffit::internal {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TestFiles files_of(const std::filesystem::path& path) {
  TestFiles files = path.filename().string().starts_with("v1_") ? conversion_v1() : conversion_v2();
  std::istringstream lines(content(path));
  std::string name;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==> ")) {
      name = line.substr(4);
      files[name].clear();
      if (name.starts_with("-")) files.erase(name.substr(1));  // "-p.tsv": there is no p.tsv
    } else {
      files[name] += (name.ends_with(".tsv") ? table(line) : line) + "\n";
    }
  }
  return files;
}

TEST(BadProblems, SayWhatIsWrongWordForWord) {
  std::vector<std::filesystem::path> problems;
  for (auto& entry : std::filesystem::directory_iterator(source_path("tests/bad_problems")))
    if (entry.path().extension() == ".petab") problems.push_back(entry.path());
  std::sort(problems.begin(), problems.end());
  EXPECT_GE(problems.size(), 12u);
  for (const auto& path : problems) {
    PetabReading reading = read_files(files_of(path));
    EXPECT_FALSE(reading.problem) << path;
    auto expected = path;
    expected.replace_extension(".expected");
    EXPECT_EQ(reading.text(), content(expected)) << path;
  }
}

// A problem with nothing but warnings is read.
TEST(BadProblems, WarningsOnly) {
  TestFiles files = conversion_v1();
  files["p.yaml"] += "remarks: none\n";
  files["p.tsv"] += table("unused,lin,0,10,20,1\nfree,lin,1,1,,1\n");
  files["c.tsv"] += "c1\n";
  files["o.tsv"] += table("o2,B,1\n");
  files["m.tsv"] += table("obs,c0,10,0.1\n");
  PetabReading reading = read_files(files);
  ASSERT_TRUE(reading.problem) << reading.text();
  for (const char* words :
       {"'remarks' is not known in a PEtab file", "the nominal value is outside of the bounds",
        "lower and upper bound are the same", "'free' has no nominal value",
        "'unused' is estimated, but nothing uses it", "condition 'c1' has no measurements",
        "observable 'o2' has no measurements", "this row repeats an earlier one"})
    EXPECT_NE(reading.text().find(words), std::string::npos) << words << "\n" << reading.text();
  EXPECT_EQ(reading.problem->warnings.size(), 9u) << reading.text();
}

}  // namespace
}  // namespace stiffit::internal
