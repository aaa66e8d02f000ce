// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/run_directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/diagnostic.h"
#include "base/record.h"
#include "runtime/checkpoint/sha256.h"

using namespace stiffit::internal;
namespace fs = std::filesystem;

namespace {

class RunDirectoryTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("stiffit_keep_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string refusal(const RunSettings& settings, bool resume) {
    try {
      RunDirectory run(folder_, "fit", settings, resume);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
  RunSettings settings_{{"seed", "1"}, {"starts", "20"}};
};

TEST(Sha256, KnownValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(RunDirectoryTest, PiecesComeBackInOrder) {
  {
    RunDirectory run(folder_, "fit", settings_, false);
    run.put("start", 2, "two");
    run.put("start", 0, std::string("ze\0ro", 5));
    run.put("other", 1, "x");
  }
  RunDirectory run(folder_, "fit", settings_, true);
  EXPECT_EQ(run.get("start"), (std::vector<std::string>{std::string("ze\0ro", 5), "two"}));
  EXPECT_TRUE(run.get("nothing").empty());
}

TEST_F(RunDirectoryTest, RefusesWhatItShould) {
  EXPECT_NE(refusal(settings_, true).find("no run"), std::string::npos);
  { RunDirectory run(folder_, "fit", settings_, false); }
  EXPECT_NE(refusal(settings_, false).find("holds a run already"), std::string::npos);
  RunSettings other = settings_;
  other["seed"] = "2";
  other["method"] = "gauss-newton";
  std::string text = refusal(other, true);
  EXPECT_NE(text.find("seed: was 1, now 2"), std::string::npos) << text;
  EXPECT_NE(text.find("method: was (none), now gauss-newton"), std::string::npos) << text;
  EXPECT_EQ(text.find("starts"), std::string::npos) << text;
  EXPECT_EQ(refusal(settings_, true), "");
}

TEST_F(RunDirectoryTest, TwoProcessesAreRefused) {
  RunDirectory run(folder_, "fit", settings_, false);
  EXPECT_NE(refusal(settings_, true).find("another process works in"), std::string::npos);
}

TEST_F(RunDirectoryTest, DamagedAndForeignFilesAreRecognised) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "fit.sqlite") << "this is my shopping list, and it is long enough\n";
  EXPECT_NE(refusal(settings_, true).find("it is no database"), std::string::npos)
      << refusal(settings_, true);
  fs::remove_all(folder_);
  {
    RunDirectory run(folder_, "fit", settings_, false);
    for (int i = 0; i < 200; ++i) run.put("start", i, std::string(1000, 'x'));
  }
  {
    std::fstream file(folder_ / "fit.sqlite", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(60000, '\xff');
  }
  std::string text = refusal(settings_, true);
  EXPECT_TRUE(text.find("damaged") != std::string::npos) << text;
}

TEST_F(RunDirectoryTest, KilledProcessLosesNothingFinished) {
  pid_t child = fork();
  if (child == 0) {
    RunDirectory run(folder_, "fit", settings_, false);
    for (int i = 0; i < 5; ++i) run.put("start", i, "piece");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  RunDirectory run(folder_, "fit", settings_, true);
  EXPECT_EQ(run.get("start").size(), 5u);
}

// Killed between making the file and writing into it.
TEST_F(RunDirectoryTest, AnEmptyStateIsBegunAnew) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "fit.sqlite").flush();
  {
    RunDirectory run(folder_, "fit", settings_, true);
    EXPECT_TRUE(run.get("start").empty());
    run.put("start", 0, "piece");
  }
  EXPECT_EQ(RunDirectory(folder_, "fit", settings_, true).get("start").size(), 1u);
}

}  // namespace
