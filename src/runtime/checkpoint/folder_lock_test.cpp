// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/folder_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

// File systems without locks say so in different words.
int not_there(int, int) {
  errno = ENOSYS;
  return -1;
}
int not_supported(int, int) {
  errno = EOPNOTSUPP;
  return -1;
}
int no_locks_left(int, int) {
  errno = ENOLCK;
  return -1;
}

class FolderLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stiffit-lock-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(pattern.data()));
    folder = pattern;
    owner = folder + "/lock.owner";
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string owner_text() const {
    std::ifstream file(owner);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write_owner(const std::string& text) const { std::ofstream(owner) << text; }

  std::string folder, owner;
};

TEST_F(FolderLockTest, IsOneProcessesAlone) {
  const FolderLock first(folder);
  EXPECT_TRUE(first.taken());
  EXPECT_EQ(first.warning(), "");
  EXPECT_FALSE(FolderLock(folder).taken());
  EXPECT_FALSE(fs::exists(owner));
}

TEST_F(FolderLockTest, AFileStandsInWhereThereAreNoLocks) {
  for (const FolderLock::LockCall lock : {not_there, not_supported, no_locks_left}) {
    {
      const FolderLock first(folder, lock);
      EXPECT_TRUE(first.taken());
      EXPECT_NE(first.warning().find("has no locks"), std::string::npos) << first.warning();
      const FolderLock second(folder, lock);
      EXPECT_FALSE(second.taken());
      EXPECT_NE(second.holder().find("process " + std::to_string(getpid()) + " on "),
                std::string::npos)
          << second.holder();
      EXPECT_NE(second.way_out().find("remove " + owner), std::string::npos) << second.way_out();
    }
    EXPECT_FALSE(fs::exists(owner));
    EXPECT_TRUE(FolderLock(folder, lock).taken());
  }
}

TEST_F(FolderLockTest, AKilledProcessHoldsNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder, not_there);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_NE(owner_text().find(" " + std::to_string(child) + " "), std::string::npos);
  const FolderLock after(folder, not_there);
  EXPECT_TRUE(after.taken());
  EXPECT_NE(owner_text().find(" " + std::to_string(getpid()) + " "), std::string::npos);
}

// A number that is given again to another process, and another start of the machine.
TEST_F(FolderLockTest, ANumberAloneIsNoOwner) {
  std::string mine;
  {
    const FolderLock lock(folder, not_there);
    mine = owner_text();
  }
  std::istringstream fields(mine);
  std::string host, process, beginning, start;
  fields >> host >> process >> beginning >> start;
  write_owner(host + " " + process + " 1 " + start + "\n");
  EXPECT_TRUE(FolderLock(folder, not_there).taken());
  write_owner(host + " " + process + " " + beginning + " another-start\n");
  EXPECT_TRUE(FolderLock(folder, not_there).taken());
  write_owner(mine);
  EXPECT_FALSE(FolderLock(folder, not_there).taken());
}

// Of a process of another machine nothing is known: the user decides.
TEST_F(FolderLockTest, AnotherMachineIsBelieved) {
  write_owner("some-other-machine.example 1 1 unknown\n");
  const FolderLock lock(folder, not_there);
  EXPECT_FALSE(lock.taken());
  EXPECT_EQ(lock.holder(), " (process 1 on some-other-machine.example)");
}

TEST_F(FolderLockTest, AFolderThatCannotBeWrittenIsSaid) {
  EXPECT_THROW(FolderLock(folder + "/nowhere"), InputError);
}

}  // namespace
}  // namespace stiffit::internal
