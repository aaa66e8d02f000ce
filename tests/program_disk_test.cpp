// Disks that are full or cannot be written, and states and inputs that are damaged.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "program_run.h"

namespace stiffit::internal {
namespace {

class Disk : public testing::Test {
 protected:
  Disk() {
    scratch.write("chain.rxn",
                  "model chain\n  A -> B; k1*A\n  B -> C; k2*B\n"
                  "  A = 5; B = 0; C = 0; k1 = 1; k2 = 0.5\nend\n");
    scratch.write("data.csv",
                  "time,B\n0.5,1.7\n1,2.42\n1.5,2.45\n2,2.36\n3,1.7\n4,1.19\n6,0.47\n8,0.19\n");
  }

  // A script that may mount small disks of its own; false: that is not allowed here.
  bool with_disks(const std::string& script) {
    scratch.write("script", "stiffit='" STIFFIT_PROGRAM "'\nmkdir -p disk\n" + script);
    const std::string enter = "cd '" + scratch.folder() + "' && ";
    for (const char* way : {"unshare -m ", "unshare -rm "}) {
      const std::string allowed =
          enter + way + "mount -t tmpfs tmpfs '" + scratch.folder() + "' >/dev/null 2>&1";
      if (std::system(allowed.c_str()) != 0) continue;
      const std::string command = enter + way + "sh -e script >.out 2>.messages";
      const int status = std::system(command.c_str());
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
          << scratch.read(".out") << scratch.read(".messages");
      return true;
    }
    return false;
  }

  Scratch scratch;
  const std::string fit =
      "fit chain.rxn --data data.csv --estimate k1=1,k2=1 --start-from random --advice no ";
};

TEST_F(Disk, AFullOneKeepsTheLastGoodState) {
  if (!with_disks(
          "$stiffit " + fit + "--starts 200 -o whole\n" +
          "mount -t tmpfs -o size=120k tmpfs disk\n"
          "code=0; $stiffit " +
          fit + "--starts 200 -o disk/run || code=$?\n" +
          "[ $code = 1 ]\nmount -o remount,size=20m disk\n$stiffit " + fit +
          "--starts 200 -o disk/run --resume\ncmp whole/result.json disk/run/result.json\n"))
    GTEST_SKIP() << "no disks may be mounted here";
  const std::string messages = scratch.read(".messages");
  EXPECT_NE(messages.find("error: disk/run/fit.sqlite: "), std::string::npos) << messages;
  EXPECT_NE(messages.find("the disk is full\n  what was finished is kept"), std::string::npos)
      << messages;
}

TEST_F(Disk, AFullOneStopsRowsAndTheyGoOnInTheirPlace) {
  const std::string cloud =
      "ensemble chain.rxn --sample 'k1=lognormal(1,0.3)' --samples 2000 --points 20 --rows ";
  if (!with_disks("$stiffit " + cloud + "-o whole\nmount -t tmpfs -o size=600k tmpfs disk\n" +
                  "code=0; $stiffit " + cloud + "-o disk/run || code=$?\n[ $code = 1 ]\n" +
                  "mount -o remount,size=50m disk\n$stiffit " + cloud +
                  "-o disk/run --resume\ncmp whole/samples.csv disk/run/samples.csv\n" +
                  "cmp whole/bands.csv disk/run/bands.csv\n"))
    GTEST_SKIP() << "no disks may be mounted here";
  EXPECT_NE(scratch.read(".messages").find("disk/run"), std::string::npos);
}

TEST_F(Disk, AFileIsWrittenWholeOrNotAtAll) {
  if (!with_disks(
          "mount -t tmpfs -o size=16k tmpfs disk\necho old >disk/curve.csv\n"
          "code=0; $stiffit simulate chain.rxn --points 5000 -o disk/curve.csv || code=$?\n"
          "[ $code = 1 ]\n[ \"$(cat disk/curve.csv)\" = old ]\n[ \"$(ls disk)\" = curve.csv ]\n"
          "mount -o remount,ro disk\n"
          "code=0; $stiffit simulate chain.rxn -o disk/curve.csv || code=$?\n"
          "[ $code = 1 ]\ncode=0; $stiffit " +
          fit + "-o disk/run || code=$?\n[ $code = 1 ]\n"))
    GTEST_SKIP() << "no disks may be mounted here";
  const std::string messages = scratch.read(".messages");
  EXPECT_NE(messages.find("No space left on device"), std::string::npos) << messages;
  EXPECT_NE(messages.find("disk/run cannot be made: Read-only file system"), std::string::npos)
      << messages;
}

TEST_F(Disk, StandardOutputThatIsFullIsSaid) {
  const ProgramRun run = scratch.stiffit("simulate chain.rxn", "sh -c '\"$@\" >/dev/full' sh");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.messages, "error: standard output cannot be written\n");
}

// A few bytes of a state changed at many places: it is either recognised as damaged, or the damage
// was where nothing is kept and the result is right. Never a crash, never another result.
TEST_F(Disk, ADamagedStateIsRecognised) {
  const std::string words = fit + "--starts 30 -o ";
  scratch.stiffit(words + "whole");
  const std::string good = scratch.read("whole/result.json"),
                    state = scratch.read("whole/fit.sqlite");
  ASSERT_GT(state.size(), 20000u);
  int recognised = 0;
  for (std::size_t at = 0; at < state.size(); at += state.size() / 40) {
    std::string damaged = state;
    for (std::size_t k = at; k < std::min(at + 3, damaged.size()); ++k) damaged[k] ^= 0x5a;
    scratch.write("part/fit.sqlite", damaged);
    scratch.write("part/result.json", "");
    const ProgramRun run = scratch.stiffit(words + "part --resume");
    if (run.exit_code == 0) {
      EXPECT_EQ(scratch.read("part/result.json"), good) << "damaged at " << at;
    } else {
      EXPECT_EQ(run.exit_code, 1) << at << ": " << run.messages;
      EXPECT_NE(run.messages.find("error: "), std::string::npos);
      ++recognised;
    }
  }
  EXPECT_GT(recognised, 10);
}

TEST_F(Disk, ATruncatedStateIsRecognised) {
  const std::string words = fit + "--starts 30 -o ";
  scratch.stiffit(words + "whole");
  const std::string state = scratch.read("whole/fit.sqlite");
  for (double share : {0.1, 0.5, 0.9}) {
    scratch.write(
        "part/fit.sqlite",
        state.substr(0, static_cast<std::size_t>(share * static_cast<double>(state.size()))));
    const ProgramRun run = scratch.stiffit(words + "part --resume");
    EXPECT_EQ(run.exit_code, 1) << share;
    EXPECT_NE(run.messages.find("part/fit.sqlite"), std::string::npos) << run.messages;
  }
}

// Inputs that end in the middle: an error that names the file, or the part that was there.
TEST_F(Disk, TruncatedInputs) {
  const std::string model = scratch.read("chain.rxn");
  for (std::size_t length = 0; length < model.size(); length += 7) {
    scratch.write("cut.rxn", model.substr(0, length));
    const ProgramRun run = scratch.stiffit("simulate cut.rxn --points 2");
    ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 1) << length << run.messages;
    EXPECT_TRUE(run.exit_code == 0 || run.messages.find("cut.rxn") != std::string::npos) << length;
  }
  // A file that ends while it is being read.
  const ProgramRun pipe =
      scratch.stiffit("simulate pipe.rxn --points 2",
                      "mkfifo pipe.rxn && { head -c 30 chain.rxn >pipe.rxn & } && ");
  EXPECT_EQ(pipe.exit_code, 1);
  EXPECT_NE(pipe.messages.find("pipe.rxn"), std::string::npos) << pipe.messages;
}

}  // namespace
}  // namespace stiffit::internal
