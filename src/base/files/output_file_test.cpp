// SPDX-License-Identifier: Apache-2.0
#include "base/files/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/diagnostic.h"
#include "base/files/read_file.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

struct OutputFile : testing::Test {
  fs::path folder;
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stiffit-output-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }
};

TEST_F(OutputFile, ReplacesWholeAndLeavesNothingElse) {
  std::string path = folder / "x.csv";
  write_file(path, "one");
  ::chmod(path.c_str(), 0640);
  write_file(path, "two");
  EXPECT_EQ(read_file(path), "two");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(OutputFile, WritesThroughALink) {
  write_file(folder / "real.csv", "old");
  fs::create_symlink("real.csv", folder / "link.csv");
  write_file(folder / "link.csv", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
  EXPECT_EQ(read_file(folder / "real.csv"), "new");
}

TEST_F(OutputFile, RefusesWhatCannotBe) {
  EXPECT_THROW(require_writable(folder), InputError);
  EXPECT_THROW(require_writable(folder / "none" / "x.csv"), InputError);
  write_file(folder / "file", "");
  EXPECT_THROW(require_writable(folder / "file" / "x.csv"), InputError);
  EXPECT_NO_THROW(require_writable("/dev/null"));
}

}  // namespace
}  // namespace stiffit::internal
