// The same run over several processes of mpirun: the same files, and nothing that was finished is
// lost with a process that is killed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "program_run.h"

namespace stiffit::internal {
namespace {

// As a cluster's launcher would; several on one core, and as root in a container.
std::string ranks(int count) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe "
         "--bind-to none -n " +
         std::to_string(count);
}

struct Spread {
  const char* name;
  const char* words;
  const char* files;
};

void PrintTo(const Spread& s, std::ostream* out) { *out << s.name; }

const char* const chain_model =
    "model chain\n  A -> B; k1*A\n  B -> C; k2*B\n  A = 5; B = 0; C = 0; k1 = 1; k2 = 0.5\nend\n";
const char* const chain_data =
    "time,B\n0.5,1.7\n1,2.42\n1.5,2.45\n2,2.36\n3,1.7\n4,1.19\n6,0.47\n8,0.19\n";

class MpiProgram : public testing::Test {
 protected:
  MpiProgram() {
    scratch.write("chain.rxn", chain_model);
    scratch.write("data.csv", chain_data);
  }
  Scratch scratch;
};

class Mpi : public MpiProgram, public testing::WithParamInterface<Spread> {};

TEST_P(Mpi, GivesTheSameFilesForAnyNumberOfProcesses) {
  const Spread& s = GetParam();
  const std::string words = std::string(s.words) + " --threads 1 -o ";
  const ProgramRun alone = scratch.stiffit(words + "one");
  for (int count : {2, 4}) {
    const std::string folder = "many" + std::to_string(count);
    const ProgramRun run = scratch.stiffit(words + folder, ranks(count));
    EXPECT_EQ(run.exit_code, alone.exit_code) << run.messages;
    std::istringstream files(s.files);
    for (std::string file; files >> file;) {
      EXPECT_FALSE(scratch.read("one/" + file).empty()) << file;
      EXPECT_EQ(scratch.read(folder + "/" + file), scratch.read("one/" + file)) << file;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, Mpi,
    testing::Values(
        Spread{"fit",
               "fit chain.rxn --data data.csv --estimate k1=1,k2=1 --start-from random --starts 12",
               "result.json parameters.tsv simulations.tsv"},
        Spread{"population",
               "fit chain.rxn --data data.csv --estimate k1=1,k2=1 --method evolution "
               "--generations 20",
               "result.json parameters.tsv"},
        Spread{"profile", "profile chain.rxn --data data.csv --estimate k1=1,k2=1",
               "profile.json intervals.tsv profiles.tsv"},
        Spread{
            "cloud",
            "ensemble chain.rxn --sample 'k1=lognormal(1,0.3)' --samples 3000 --points 10 --rows",
            "result.json bands.csv samples.csv"},
        Spread{"chains",
               "ensemble chain.rxn --data data.csv --estimate k1=1,k2=1 --samples 400 --warmup 100",
               "result.json intervals.tsv draws.csv"}),
    [](auto& at) { return std::string(at.param.name); });

TEST_F(MpiProgram, OtherCommandsSpeakOnce) {
  const ProgramRun one = scratch.stiffit("simulate chain.rxn --points 3");
  const ProgramRun three = scratch.stiffit("simulate chain.rxn --points 3", ranks(3));
  EXPECT_EQ(three.exit_code, 0) << three.messages;
  EXPECT_EQ(three.out, one.out);
}

TEST_F(MpiProgram, BadInputIsSaidOnce) {
  const ProgramRun run = scratch.stiffit("fit nothing.yaml", ranks(2));
  EXPECT_EQ(run.exit_code, 1);
  const std::size_t first = run.messages.find("cannot read 'nothing.yaml'");
  ASSERT_NE(first, std::string::npos) << run.messages;
  EXPECT_EQ(run.messages.find("cannot read 'nothing.yaml'", first + 1), std::string::npos);
}

// mpirun ends them all when one is killed; the starts that had arrived are kept.
TEST_F(MpiProgram, AKilledProcessLosesNoFinishedStart) {
  const std::string words =
      "fit chain.rxn --data data.csv --estimate k1=1,k2=1 --start-from random --starts 400 "
      "--threads 1 --advice no -o ";
  scratch.stiffit(words + "one");
  // The worker is the process whose rank is not 0; it kills itself in the middle.
  scratch.write("wrap",
                "#!/bin/sh\nif [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then\n"
                "  \"$@\" & pid=$!; sleep 0.4; kill -9 $pid; wait $pid; exit 9\nfi\nexec \"$@\"\n");
  scratch.stiffit(words + "part", ranks(2) + " sh wrap");
  const std::string again = scratch.exists("part/fit.sqlite") ? "part --resume" : "part";
  const ProgramRun last = scratch.stiffit(words + again, ranks(2));
  EXPECT_EQ(last.exit_code, 0) << last.messages;
  EXPECT_EQ(scratch.read("part/result.json"), scratch.read("one/result.json"));
}

}  // namespace
}  // namespace stiffit::internal
