// Every page of the docs as a reader would follow it, in a folder of its own. The word behind ```
// says what a block is:
//   sh          commands, a line each; they must end with 0, or as "# exit code N" behind them says
//   text        what the last command before it showed, see `shows`; "..." stands for anything
//   ant         a model, or a part of one, that must read without errors
//   NAME.ENDING a file of that name for the commands that follow
//   python      a part of one program, which goes through the page
//   equations, cpp, cmake, cluster   to be read
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "places.h"
#include "program_run.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Block {
  std::string word, text;
  int line = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Block> blocks_of(const std::string& page) {
  std::vector<Block> blocks;
  bool inside = false;
  int number = 0;
  for (const std::string& line : lines_of(page)) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), "", number});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::optional<double> number_in(std::string word) {
  while (!word.empty() && (word.back() == ',' || word.back() == ';' || word.back() == ':'))
    word.pop_back();
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end) return std::nullopt;
  return value;
}

// Numbers agree to 2 % (nothing is said of those below 1e-6, which are rounding or time).
bool same_word(const std::string& shown, const std::string& real) {
  const auto x = number_in(shown), y = number_in(real);
  if (!x || !y) return shown == real;
  const double size = std::max(std::fabs(*x), std::fabs(*y));
  return size <= 1e-6 || std::fabs(*x - *y) <= 0.02 * size;
}

// "..." stands for any number of what it is among: words of a line, or lines.
template <class Same>
bool matches(const std::vector<std::string>& shown, const std::vector<std::string>& real, Same same,
             std::size_t i = 0, std::size_t k = 0) {
  if (i == shown.size()) return k == real.size();
  if (shown[i] == "...") {
    for (std::size_t next = k; next <= real.size(); ++next)
      if (matches(shown, real, same, i + 1, next)) return true;
    return false;
  }
  return k < real.size() && same(shown[i], real[k]) && matches(shown, real, same, i + 1, k + 1);
}

// Cells of CSV count as words.
bool same_line(std::string shown, std::string real) {
  for (std::string* text : {&shown, &real}) std::replace(text->begin(), text->end(), ',', ' ');
  return matches(words_of(shown), words_of(real), same_word);
}

bool shows(const std::vector<std::string>& shown, const std::vector<std::string>& real) {
  return matches(shown, real, same_line);
}

#ifdef STIFFIT_PYTHON
constexpr bool has_python = true;
const std::string python = STIFFIT_PYTHON;
#else
constexpr bool has_python = false;
const std::string python = "python3";
#endif

// Runs the parts of a page's Python program up to the last one, of which it shows what it prints.
const char* const page_program =
    "import contextlib, io, sys\n"
    "names = {'__name__': '__main__'}\n"
    "for part in sys.argv[1:]:\n"
    "    with open(part) as file:\n"
    "        code = compile(file.read(), part, 'exec')\n"
    "    last = part == sys.argv[-1]\n"
    "    with contextlib.nullcontext() if last else contextlib.redirect_stdout(io.StringIO()):\n"
    "        exec(code, names)\n";

struct Follower {
  Scratch scratch;
  std::string said;   // by the last command
  std::string parts;  // of the page's Python program: their files

  // `./run` is the project's own script, told that the program is built.
  Follower() {
    scratch.write("run", "#!/bin/sh\nSTIFFIT='" STIFFIT_PROGRAM "' exec '" + source_path("") +
                             "/run' \"$@\"\n");
    fs::permissions(scratch.folder() + "/run", fs::perms::owner_all);
    fs::create_directory_symlink(source_path("examples"), scratch.folder() + "/examples");
  }

  int run(const std::string& line) {
    scratch.write(".line", line + "\n");
    const std::string bin = fs::path(STIFFIT_PROGRAM).parent_path().string();
    const int status =
        std::system(("cd '" + scratch.folder() + "' && PYTHONUSERBASE=\"$PWD\" PATH='" + bin +
                     "':\"$PATH\" bash .line >.out 2>.err </dev/null")
                        .c_str());
    said = scratch.read(".out") + scratch.read(".err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // With the package that a command of the page has installed.
  int run_python(const std::string& text, int line) {
    const std::string file = ".part" + std::to_string(line) + ".py";
    scratch.write(file, text);
    scratch.write(".page.py", page_program);
    parts += " " + file;
    return run(python + " .page.py" + parts);
  }
};

int expected_code(const std::string& line) {
  const std::size_t at = line.find("# exit code ");
  return at == std::string::npos ? 0 : std::atoi(line.c_str() + at + 12);
}

std::vector<std::string> pages() {
  std::vector<std::string> names{"README.md", "examples/escep/README.md"};
  for (auto& entry : fs::directory_iterator(source_path("docs")))
    if (entry.path().extension() == ".md")
      names.push_back("docs/" + entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct Docs : testing::TestWithParam<std::string> {};

TEST_P(Docs, CommandsRunAndShowWhatThePageSays) {
  static const std::set<std::string> only_read{"equations", "cpp", "cmake", "cluster"};
  if (GetParam() == "docs/python.md" && !has_python) GTEST_SKIP() << "no Python package is built";
  // Its files are built and run by the test of the install.
  if (GetParam() == "docs/cpp-library.md") return;
  Follower follower;
  for (const Block& block : blocks_of(content(source_path(GetParam())))) {
    const std::string place = GetParam() + ":" + std::to_string(block.line);
    if (block.word == "sh") {
      for (const std::string& line : lines_of(block.text))
        EXPECT_EQ(follower.run(line), expected_code(line)) << place << "\n"
                                                           << line << "\n"
                                                           << follower.said;
    } else if (block.word == "text") {
      EXPECT_TRUE(shows(lines_of(block.text), lines_of(follower.said)))
          << place << " shows something else than\n"
          << follower.said;
    } else if (block.word == "python") {
      EXPECT_EQ(follower.run_python(block.text, block.line), 0) << place << "\n" << follower.said;
    } else if (block.word == "rxn" || block.word == "ant") {
      const std::string file = "snippet." + block.word;
      follower.scratch.write(file, block.text);
      EXPECT_EQ(follower.run("stiffit check " + file), 0) << place << "\n" << follower.said;
    } else if (block.word.find('.') != std::string::npos) {
      follower.scratch.write(block.word, block.text);
    } else {
      EXPECT_TRUE(only_read.contains(block.word)) << place << " does not say what the block is";
    }
  }
}

// Links to other pages and files of the project lead somewhere.
TEST_P(Docs, LinksLeadSomewhere) {
  const std::string text = content(source_path(GetParam()));
  const fs::path folder = fs::path(source_path(GetParam())).parent_path();
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
    target = target.substr(0, target.find('#'));
    if (target.empty() || target.starts_with("http") || target.find(' ') != std::string::npos)
      continue;
    EXPECT_TRUE(fs::exists(folder / target)) << GetParam() << ": " << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Docs, testing::ValuesIn(pages()), [](auto& page) {
  std::string name = page.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(DocsTest, SeesWhatIsWrong) {
  EXPECT_TRUE(shows({"k1  1.30", "..."}, {"k1 1.297", "x", "y"}));
  EXPECT_TRUE(shows({"...", "a,1"}, {"z", "a,1.001"}));
  EXPECT_FALSE(shows({"k1 1.30"}, {"k1 1.4"}));
  EXPECT_FALSE(shows({"k1 1.30"}, {"k1 1.3", "more"}));
  EXPECT_FALSE(shows({"k1"}, {"k2"}));
  EXPECT_TRUE(shows({"k1 1.3 ... determined ..."}, {"k1 1.3 0.1 0.2 determined, within 3"}));
  EXPECT_FALSE(shows({"k1 1.3 ... determined ..."}, {"k1 1.3 0.1 0.2 not known"}));
  Follower follower;
  EXPECT_EQ(follower.run("stiffit simulat lotka"), 2);
  EXPECT_EQ(expected_code("stiffit x  # exit code 3"), 3);
}

// The toy of adding-a-method.md is the file that the tests build.
TEST(DocsTest, ShowTheMethodThatIsBuilt) {
  for (const Block& block : blocks_of(content(source_path("docs/adding-a-method.md"))))
    if (block.word == "ralston.cpp") {
      EXPECT_EQ(block.text, content(source_path("tests/ralston.cpp")));
      return;
    }
  FAIL() << "the page does not show it";
}

// The files of cpp-library.md are those of the example that is built against an installed tree.
TEST(DocsTest, ShowTheExampleThatIsBuilt) {
  std::set<std::string> shown;
  for (const Block& block : blocks_of(content(source_path("docs/cpp-library.md"))))
    if (block.word.find('.') != std::string::npos) {
      EXPECT_EQ(block.text, content(source_path("examples/cpp/" + block.word)));
      shown.insert(block.word);
    }
  EXPECT_EQ(shown, (std::set<std::string>{"CMakeLists.txt", "main.cpp"}));
}

}  // namespace
}  // namespace stiffit::internal
