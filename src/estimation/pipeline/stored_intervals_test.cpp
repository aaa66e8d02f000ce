// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/stored_intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace stiffit::internal {
namespace {

class StoredIntervals : public testing::Test {
 protected:
  StoredIntervals() {
    std::string name = (std::filesystem::temp_directory_path() / "intervals-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (const char* id : {"k", "A"}) {
      EstimatedParameter u;
      u.id = id;
      u.scale = Scale::lin;
      u.lower = 0;
      u.upper = 10;
      fit_.unknowns.push_back(u);
      fit_.statistics.each.emplace_back();
      fit_.statistics.each.back().id = id;
      fit_.statistics.each.back().value = 2;
    }
  }
  ~StoredIntervals() override { std::filesystem::remove_all(folder_); }

  std::vector<ConfidenceInterval> read(const std::string& table) {
    std::ofstream(std::filesystem::path(folder_) / "intervals.tsv") << table;
    message_.clear();
    return stored_intervals(folder_, fit_, message_);
  }

  std::string folder_, message_;
  FitSummary fit_;
};

TEST_F(StoredIntervals, NoneWithoutATable) {
  EXPECT_TRUE(stored_intervals(folder_, fit_, message_).empty());
  EXPECT_EQ(message_, "");
}

TEST_F(StoredIntervals, ProfilesThatWereFollowedToTheirEnds) {
  const auto found = read(
      "parameterId\tlow\thigh\tlow_stop\thigh_stop\n"
      "A\t1.5\tnan\tthreshold\tflat\n"
      "other\t3\t4\tthreshold\tthreshold\n"
      "k\t1.5\t2.5\tthreshold\tbudget\n");
  ASSERT_EQ(found.size(), 1u) << message_;
  EXPECT_EQ(found[0].id, "A");
  EXPECT_EQ(found[0].source, "profile");
  EXPECT_EQ(found[0].low, 1.5);
  EXPECT_TRUE(std::isnan(found[0].high));
}

TEST_F(StoredIntervals, EnsemblesThatHaveConverged) {
  const auto found = read(
      "parameterId\tlow\thigh\tlow_all\thigh_all\tconverged\n"
      "k\t1.9\t2.1\t1.5\t2.5\tyes\n"
      "A\t1.9\t2.1\t1.5\t2.5\tno\n");
  ASSERT_EQ(found.size(), 1u) << message_;
  EXPECT_EQ(found[0].source, "ensemble");
  EXPECT_EQ(found[0].low, 1.5);
  EXPECT_EQ(found[0].high, 2.5);
}

TEST_F(StoredIntervals, AnotherFitsAreLeftOut) {
  EXPECT_TRUE(read("parameterId\tlow\thigh\tlow_stop\thigh_stop\n"
                   "A\t1.5\t2.5\tthreshold\tthreshold\n"
                   "k\t2.5\t3.5\tthreshold\tthreshold\n")
                  .empty());
  EXPECT_TRUE(message_.find("is of another fit (k lies outside") != std::string::npos) << message_;
}

TEST_F(StoredIntervals, ADamagedTableIsSaid) {
  EXPECT_TRUE(read("parameterId\tlow\thigh\tlow_stop\thigh_stop\nk\t1.5\t2.").empty());
  EXPECT_TRUE(message_.find("intervals.tsv is damaged and is left out: ") != std::string::npos)
      << message_;
}

}  // namespace
}  // namespace stiffit::internal
