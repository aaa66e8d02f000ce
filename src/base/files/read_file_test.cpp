// SPDX-License-Identifier: Apache-2.0
#include "base/files/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/diagnostic.h"
#include "base/interrupt.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

class ReadFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stiffit-read-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(pattern.data()));
    folder = pattern;
    pipe = folder + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string refusal(const std::string& path, double writer_within) const {
    try {
      read_file_within(writer_within, path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  std::string folder, pipe;
};

TEST_F(ReadFile, APipeThatNobodyWritesToIsSaid) {
  EXPECT_NE(refusal(pipe, 0.05).find("nobody has begun to write to it within 0.05 s"),
            std::string::npos)
      << refusal(pipe, 0.05);
}

// However late the writer comes, and however it pauses.
TEST_F(ReadFile, APipeIsReadToItsEnd) {
  const std::string text(300000, 'x');
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::ofstream file(pipe);
    file << "first" << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    file << text;
  });
  EXPECT_EQ(read_file_within(60, pipe), "first" + text);
  writer.join();
}

TEST_F(ReadFile, AWriterThatSaysNothingIsAnEmptyFile) {
  std::thread writer([&] { std::ofstream file(pipe); });
  EXPECT_EQ(read_file_within(60, pipe), "");
  writer.join();
}

TEST_F(ReadFile, WaitingForAWriterCanBeInterrupted) {
  const std::atomic<bool> never{false};
  const InterruptScope scope(&never, 2);
  EXPECT_THROW(read_file_within(3600, pipe), Interrupted);
}

}  // namespace
}  // namespace stiffit::internal
