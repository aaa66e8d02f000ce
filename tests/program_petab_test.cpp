// `stiffit check` of a PEtab problem, as a person runs it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "program_run.h"

namespace stiffit::internal {
namespace {

struct PetabProgram : testing::Test {
  Scratch s;
  void SetUp() override {
    s.write(
        "p.yaml",
        "format_version: 1\nparameter_file: p.tsv\nproblems:\n- condition_files: [c.tsv]\n"
        "  measurement_files: [m.tsv]\n  observable_files: [o.tsv]\n  sbml_files: [decay.rxn]\n");
    s.write("decay.rxn", "A -> ; k*A\nA = 2; k = 1\n");
    s.write("p.tsv",
            "parameterId\tparameterScale\tlowerBound\tupperBound\tnominalValue\testimate\n"
            "k\tlog10\t0.01\t100\t0.5\t1\n");
    s.write("c.tsv", "conditionId\tA\npre\t1\nc0\t3\n");
    s.write("o.tsv", "observableId\tobservableFormula\tnoiseFormula\nobs\tA\t0.1\n");
    s.write("m.tsv",
            "observableId\tpreequilibrationConditionId\tsimulationConditionId\ttime\tmeasurement\n"
            "obs\tpre\tc0\t1\t2\nobs\tpre\tc0\tinf\t0\n");
  }
};

TEST_F(PetabProgram, CheckSaysWhatAProblemHolds) {
  ProgramRun run = s.stiffit("check p.yaml");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.messages, "");
  EXPECT_EQ(run.out,
            "problem p\n  1 estimated parameter, 0 fixed\n"
            "  model (without a name): 1 species, 1 reaction, 0 events\n"
            "  1 experiment with 2 periods, 1 pre-equilibrated\n  1 observable\n"
            "  2 measurements, 1 at the steady state\np.yaml: 0 errors, 0 warnings\n");
}

TEST_F(PetabProgram, CheckListsAllFindings) {
  s.write("p.tsv",
          "parameterId\tparameterScale\tlowerBound\tupperBound\tnominalValue\testimate\n"
          "k\tlog10\t100\t0.01\t0.5\t1\n");
  s.write(
      "m.tsv",
      "observableId\tsimulationConditionId\ttime\tmeasurement\nobs\tc1\t1\t2\nobs\tc0\t1\tNaN\n");
  ProgramRun run = s.stiffit("check p.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out,
            "error: the lower bound 100 is above the upper bound 0.01 (column lowerBound)\n"
            "  p.tsv:2:9\n  2 | k log10 100 0.01 0.5 1\n    |         ^^^\n"
            "error: there is no condition 'c1' (column simulationConditionId)\n"
            "  m.tsv:2:5\n  2 | obs c1 1 2\n    |     ^^ did you mean 'c0'?\n"
            "error: NaN where a number is needed (column measurement)\n"
            "  m.tsv:3:10\n  3 | obs c0 1 NaN\n    |          ^^^\n"
            "p.yaml: 3 errors, 0 warnings\n");
  run = s.stiffit("check p.yaml --json");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("\"file\":\"m.tsv\""), std::string::npos) << run.out;
}

TEST_F(PetabProgram, AMissingProblemIsSaid) {
  ProgramRun run = s.stiffit("check none.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.messages, "error: cannot read 'none.yaml': no such file\n");
}

// The model's own mistakes are found with the rest.
TEST_F(PetabProgram, EquationsAreChecked) {
  s.write("decay.rxn", "A -> ; k*x\nA = 2; k = 1\nx := y; y := x\n");
  ProgramRun run = s.stiffit("check p.yaml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("error"), std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
