// Every mistake in data tables and their options has a file in tests/bad_data and the very words
// shown. The lines `# estimate ...` and `# observe ...` of a file stand for the options.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "io/data/read_data.h"
#include "io/text/read_text.h"
#include "places.h"

namespace stiffit::internal {
namespace {

const char* const enzyme_with_names =
    "species S = 1, E = 0.01, C = 0, P = 0\n"
    "binding: E + S <-> C; k1, k_1\n"
    "C -> E + P; k2\n"
    "k1 = 1; k_1 = 1; k2 = 0.5; unused = 3; other = 4\n"
    "total := S + C + P\n";

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

DataRequest request_of(const std::filesystem::path& path) {
  DataRequest request;
  request.files.push_back({path.filename().string(), content(path)});
  std::istringstream lines(request.files[0].text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# estimate ")) request.estimates.push_back(line.substr(11));
    if (line.starts_with("# observe ")) request.observes.push_back(line.substr(10));
  }
  return request;
}

TEST(BadData, SaysWhatIsWrongWordForWord) {
  auto source = std::make_shared<Source>("m.rxn", enzyme_with_names);
  Diagnostics diagnostics(source);
  auto read = read_text(source, diagnostics);
  ASSERT_TRUE(read) << render(diagnostics);
  auto model = std::make_shared<const Model>(std::move(*read));
  std::vector<std::filesystem::path> files;
  for (auto& entry : std::filesystem::directory_iterator(source_path("tests/bad_data")))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), 30u);
  for (const auto& path : files) {
    DataProblem result = read_data(model, request_of(path));
    EXPECT_FALSE(result.problem) << path;
    auto expected = path;
    expected.replace_extension(".expected");
    EXPECT_EQ(result.findings, content(expected)) << path;
  }
}

}  // namespace
}  // namespace stiffit::internal
