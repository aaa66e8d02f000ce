// The official cases and the benchmark problems, where they are at hand: all can be read.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/petab/read_petab.h"
#include "places.h"

namespace stiffit::internal {
namespace {

std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("error: cannot read '" + path + "'\n");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);)
    if (line.find_first_not_of("\t\r ") != std::string::npos) ++count;
  return count;
}

void expect_all(const std::string& name, std::size_t least) {
  STIFFIT_NEEDS_SHARED(name);
  const std::string folder = shared_path(name);
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    std::string own = entry.path().filename().string();
    std::filesystem::path yaml = entry.path() / ("_" + own + ".yaml");
    if (!std::filesystem::exists(yaml)) yaml = entry.path() / (own + ".yaml");
    if (!std::filesystem::exists(yaml)) yaml = entry.path() / "problem.yaml";
    PetabReading reading = read_petab(yaml.string(), read_text_file);
    EXPECT_TRUE(reading.problem) << yaml << "\n" << reading.text();
    if (!reading.problem) continue;
    ++count;
    std::filesystem::path measured = entry.path() / "_measurements.tsv";
    if (std::filesystem::exists(measured)) {
      EXPECT_EQ(reading.problem->measurements.size() + 1, lines_of(measured)) << yaml;
    }
  }
  EXPECT_GE(count, least);
}

TEST(PetabShared, VersionOneCases) { expect_all("petab-suite/v1.0.0", 15); }
TEST(PetabShared, VersionTwoCases) { expect_all("petab-suite/v2.0.0", 22); }
TEST(PetabShared, Benchmarks) { expect_all("petab-benchmarks", 22); }

}  // namespace
}  // namespace stiffit::internal
