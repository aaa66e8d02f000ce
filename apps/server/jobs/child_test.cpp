// What a process of the server may see of the machine: its own folder, and what its program needs.
// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/jobs/confine.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

class Child : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stiffit-child-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(pattern.data()));
    folder = pattern;
    fs::create_directories(folder + "/own");
    std::ofstream(folder + "/own/inside") << "inside\n";
    std::ofstream(folder + "/outside") << "outside\n";
  }
  void TearDown() override { fs::remove_all(folder); }

  // Exit code, after its end.
  int run(const std::string& program, std::vector<std::string> words) {
    ChildPlan plan;
    plan.program = program;
    plan.words = std::move(words);
    plan.folder = folder + "/own";
    plan.out = "stdout.txt";
    plan.messages = "log.txt";
    const pid_t child = start_child(plan);
    ChildEnd end;
    while (!(end = look_at_child(child)).ended)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return end.code;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(folder + "/own/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static bool has(const char* part) {
    const auto parts = confinement_at_hand();
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }

  std::string folder;
};

TEST_F(Child, SeesItsFolderAndNothingElse) {
  EXPECT_EQ(run("/bin/cat", {"inside"}), 0) << text("log.txt");
  EXPECT_EQ(text("stdout.txt"), "inside\n");
  if (!has("landlock")) GTEST_SKIP() << "this kernel has no Landlock";
  const std::string server = "/proc/" + std::to_string(getpid()) + "/environ";
  for (const std::string& file :
       {folder + "/outside", std::string("../outside"), std::string("/etc/passwd"), server}) {
    EXPECT_NE(run("/bin/cat", {file}), 0) << file;
    EXPECT_EQ(text("stdout.txt"), "") << file;
  }
  fs::create_symlink("../outside", folder + "/own/link");
  EXPECT_NE(run("/bin/cat", {"link"}), 0);
  EXPECT_EQ(text("stdout.txt"), "");
  EXPECT_NE(run("/bin/ls", {".."}), 0);
}

TEST_F(Child, WritesInItsFolderAndNowhereElse) {
  EXPECT_EQ(run("/bin/cp", {"inside", "copy"}), 0) << text("log.txt");
  EXPECT_EQ(text("copy"), "inside\n");
  if (!has("landlock")) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_NE(run("/bin/cp", {"inside", "../copy"}), 0);
  EXPECT_FALSE(fs::exists(folder + "/copy"));
  EXPECT_NE(run("/bin/rm", {"-f", "../outside"}), 0);
  EXPECT_TRUE(fs::exists(folder + "/outside"));
}

TEST_F(Child, GainsNoPrivileges) {
  ASSERT_EQ(run("/bin/cat", {"/proc/self/status"}), 0) << text("log.txt");
  const std::string status = text("stdout.txt");
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos) << status;
  if (has("seccomp")) {
    EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace stiffit::internal
