// Every mistake the text reader knows has a file in tests/bad_models and the very words shown.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "io/text/read_text.h"
#include "places.h"

namespace stiffit::internal {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(BadModels, SayWhatIsWrongWordForWord) {
  std::vector<std::filesystem::path> models;
  for (auto& entry : std::filesystem::directory_iterator(source_path("tests/bad_models")))
    if (entry.path().extension() == ".rxn" || entry.path().extension() == ".ant")
      models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  EXPECT_GE(models.size(), 25u);
  for (const auto& path : models) {
    auto source = std::make_shared<const Source>(path.filename().string(), read_file(path));
    Diagnostics diagnostics(source);
    EXPECT_FALSE(read_text(source, diagnostics, {}, {}, path.parent_path().string()).has_value())
        << path;
    EXPECT_TRUE(diagnostics.has_errors()) << path;
    auto expected = path;
    expected.replace_extension(".expected");
    EXPECT_EQ(render(diagnostics), read_file(expected)) << path;
  }
}

}  // namespace
}  // namespace stiffit::internal
