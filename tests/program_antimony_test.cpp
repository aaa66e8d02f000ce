// Antimony means Antimony: what a file called .ant says, statement by statement, with the solution
// known; and where Stiffit's own text differs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "program_run.h"

namespace stiffit::internal {
namespace {

class Antimony : public ::testing::Test {
 protected:
  // The column at that time.
  double at(const std::string& file, const std::string& column, double time,
            const std::string& options = "") {
    last = s.stiffit("simulate " + file + " --rtol 1e-9 --times " + std::to_string(time) +
                     " --show '" + column + "' " + options);
    EXPECT_EQ(last.exit_code, 0) << last.messages;
    const auto rows = rows_of(last.out);
    return rows.empty() ? std::nan("") : rows[0][1];
  }
  double ant(const std::string& text, const std::string& column, double time = 1) {
    s.write("m.ant", text);
    return at("m.ant", column, time);
  }
  void expect_said(const std::string& word) {
    EXPECT_NE(last.messages.find(word), std::string::npos) << word << "\n" << last.messages;
  }
  void expect_error(const std::string& text, const std::string& word) {
    s.write("m.ant", text);
    for (const char* command : {"simulate m.ant", "check m.ant"}) {
      const ProgramRun run = s.stiffit(command);
      EXPECT_EQ(run.exit_code, 1) << text;
      EXPECT_NE((run.out + run.messages).find(word), std::string::npos) << word << "\n"
                                                                        << run.out << run.messages;
    }
  }

  Scratch s;
  ProgramRun last;
};

TEST_F(Antimony, ABareConstantIsTheRate) {
  const std::string text = "A -> B; k\nA = 5; B = 0; k = 2\n";
  EXPECT_NEAR(ant(text, "A"), 3, 1e-8);
  expect_said("'k' is taken as the rate itself");
  expect_said("k*A");
  const ProgramRun check = s.stiffit("check m.ant");
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_NE(check.out.find("'k' is taken as the rate itself"), std::string::npos) << check.out;
  // The same text in Stiffit's language is mass action, without a word.
  for (const char* file : {"m.rxn", "model"}) {
    s.write(file, text);
    EXPECT_NEAR(at(std::string("./") + file, "A", 1), 5 * std::exp(-2), 1e-7);
    EXPECT_EQ(last.messages, "");
  }
  // A file that does not say which it is.
  s.write("m.txt", text);
  EXPECT_NEAR(at("m.txt", "A", 1), 5 * std::exp(-2), 1e-7);
  expect_said("'k' is taken as mass action, k*A");
  expect_said("Antimony");
  // And by its own word, from there on.
  EXPECT_NEAR(ant("#: mass-action\n" + text, "A"), 5 * std::exp(-2), 1e-7);
  EXPECT_EQ(last.messages, "");
  EXPECT_NEAR(ant("A -> B; (k)\n#: mass-action\nB -> C; k\nA = 5; B = 0; C = 0; k = 2\n", "B"),
              1 - std::exp(-2), 1e-7);
  // Rates that cannot be meant otherwise give no warning.
  EXPECT_NEAR(ant("A -> B; (k)\nA -> B; k*1\n-> A; k\nA = 5; B = 0; k = 2\n", "A"), 3, 1e-8);
  EXPECT_EQ(last.messages, "");
  EXPECT_NEAR(ant("A -> B; 3\nA = 5; B = 0\n", "A"), 2, 1e-8);
  expect_said("'3' is taken as the rate itself");
}

TEST_F(Antimony, TheShorthandIsNoAntimony) {
  expect_error("A <-> B; k1, k2\nA = 1; B = 0; k1 = 1; k2 = 1\n", "'<->' is no arrow of Antimony");
  expect_error("A <=> B; k1*A\nA = 1; B = 0; k1 = 1\n", "'<=>' is no arrow of Antimony");
  expect_error("A -> B; k1, k2\nA = 1; B = 0; k1 = 1; k2 = 1\n", "one rate in Antimony");
  EXPECT_NEAR(ant("A <==> B; A\nA = 1; B = 0\n", "A"), std::exp(-1), 1e-8);
}

TEST_F(Antimony, ImportsKeepTheirOwnLanguage) {
  s.write("part.rxn", "model part\n S -> ; k\n S = 1; k = 2\nend\n");
  s.write("part.ant", "model part\n S -> ; k\n S = 3; k = 2\nend\n");
  s.write("m.ant", "import \"part.rxn\"\nmodel m\n P: part()\nend\n");
  EXPECT_NEAR(at("m.ant", "P.S", 1), std::exp(-2), 1e-8);
  s.write("m.rxn", "import \"part.ant\"\nmodel m\n P: part()\nend\n");
  EXPECT_NEAR(at("m.rxn", "P.S", 1), 1, 1e-8);
}

TEST_F(Antimony, LibraryModelsAndPetab) {
  EXPECT_EQ(s.stiffit("simulate escep --end 1").exit_code, 0);
  s.write("p.yaml",
          "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n  m:\n"
          "    location: model.txt\n    language: antimony\nmeasurement_files: [m.tsv]\n"
          "observable_files: [o.tsv]\nexperiment_files: []\ncondition_files: []\n");
  s.write("model.txt", "A -> ; k\nA = 5; k = 2\n");
  s.write("p.tsv",
          "parameterId\tlowerBound\tupperBound\tnominalValue\testimate\nk\t0\t9\t2\ttrue\n");
  s.write("o.tsv", "observableId\tobservableFormula\tnoiseFormula\nobs\tA\t1\n");
  s.write("m.tsv", "observableId\texperimentId\ttime\tmeasurement\nobs\t\t1\t3\n");
  const ProgramRun run = s.stiffit("evaluate p.yaml --json");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  const std::size_t chi2 = run.out.find("\"chi2\"");
  ASSERT_NE(chi2, std::string::npos) << run.out;
  EXPECT_NEAR(std::stod(run.out.substr(run.out.find(':', chi2) + 1)), 0, 1e-8);  // A(1) is 3
}

TEST_F(Antimony, ConvertWritesEither) {
  s.write("m.rxn",
          "A + B <-> C; k1, k2\nC -> ; k3\nA = 1; B = 2; C = 0; k1 = 1; k2 = 0.5; k3 = 0.1\n"
          "x := sign(A - 0.5) + piecewise(1, A > 0.5 && (B > 0 || C > 0), 0)\n");
  const double truth = at("m.rxn", "C", 2);
  const double x = at("m.rxn", "x", 2);
  for (const char* to : {"n.ant", "n.rxn", "n.xml"}) {
    EXPECT_EQ(s.stiffit("convert m.rxn -o " + std::string(to)).exit_code, 0);
    EXPECT_NEAR(at(to, "C", 2), truth, 1e-8) << to;
    EXPECT_EQ(at(to, "x", 2), x) << to;
    EXPECT_EQ(last.messages, "") << to;
  }
  const std::string text = s.read("n.ant");
  for (const char* word : {"<->", "sign(", "nan", "var species $"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
  EXPECT_EQ(s.stiffit("convert m.rxn --to antimony").out, text);
}

// Statement by statement, as the reference of Antimony has it.
TEST_F(Antimony, ReactionsAndValues) {
  EXPECT_NEAR(ant("J0: S1 -> S2;\nJ0 = k*S1\nS1 = 1; S2 = 0; k = 2", "S1"), std::exp(-2), 1e-7);
  EXPECT_NEAR(ant("S1 => S2; 2*S1\nS1 = 1", "S2"), 1 - std::exp(-2), 1e-7);
  EXPECT_NEAR(ant("2 S1 -> 3 S2; 0.5*S1\nS1 = 1", "S2"), 1.5 * (1 - std::exp(-1)), 1e-7);
  EXPECT_NEAR(ant("n = 4\nS1 -> n S2; S1\nS1 = 1", "S2"), 4 * (1 - std::exp(-1)), 1e-7);
  // The last of several definitions counts.
  EXPECT_NEAR(ant("k = 1\nS -> ; k*S\nS = 1\nk = 2", "S"), std::exp(-2), 1e-7);
  EXPECT_NEAR(ant("J: S -> ; S\nJ = 2*S\nS = 1", "S"), std::exp(-2), 1e-7);
  expect_said("rate twice");
  EXPECT_EQ(ant("x := 1\nx := 2\ny = 1", "x"), 2);
  expect_said("two rules");
  EXPECT_NEAR(ant("x := 1\nx' = 2\nx = 1", "x"), 3, 1e-9);
  EXPECT_EQ(ant("x' = 2\nx := 7", "x"), 7);
  EXPECT_EQ(ant("const k = 1; k := 5", "k"), 5);
  EXPECT_EQ(ant("const k = 1; at time > 0.5: k = 5", "k"), 5);
  // Statements over several lines, comments of all kinds.
  EXPECT_NEAR(ant("S -> ; \\\n 2*S // a\nS = 1 # b\n/* c\n d */", "S"), std::exp(-2), 1e-7);
}

TEST_F(Antimony, BoundaryAndConstantSpecies) {
  for (const char* said : {"$S1 -> S2; S1\nS1 = 3", "const S1\nS1 -> S2; S1\nS1 = 3",
                           "const species S1 = 3\nS1 -> S2; S1", "species $S1 = 3\nS1 -> S2; S1",
                           "ext S1\nS1 -> S2; S1\nS1 = 3"})
    EXPECT_NEAR(ant(said, "S2"), 3, 1e-8) << said;
  // 'var' takes '$' back, whichever is said last counts.
  EXPECT_NEAR(ant("var species $S1 = 3\nS1 -> S2; S1", "S2"), 3 * (1 - std::exp(-1)), 1e-7);
  EXPECT_NEAR(ant("var species S1 = 3\n$S1 -> S2; S1", "S2"), 3, 1e-8);
  // A species with a rule is left alone by reactions.
  EXPECT_NEAR(ant("S1 -> S2; 2\nS1 := 5", "S1"), 5, 1e-9);
  expect_said("boundary species");
  EXPECT_NEAR(ant("S1 -> S2; (2)\nS1' = 1\nS1 = 0", "S1"), 1, 1e-8);
  // Events change what '$' fixes.
  EXPECT_NEAR(ant("$S1 -> S2; S1\nS1 = 1\nat time > 0.5: S1 = 3", "S2"), 2, 1e-7);
}

TEST_F(Antimony, CompartmentsAndAmounts) {
  // The rate is in substance per time; species mean concentrations.
  EXPECT_NEAR(ant("compartment c = 4\nspecies S in c = 1\nS -> ; 2", "S"), 0.5, 1e-8);
  EXPECT_NEAR(ant("compartment c = 4\nS in c\nS -> ; 2*S*c\nS = 1", "S"), std::exp(-2), 1e-7);
  EXPECT_NEAR(ant("compartment c\nS in c\nS -> ; 2*S\nS = 1", "S"), std::exp(-2), 1e-7);
  EXPECT_NEAR(ant("compartment c = 4\nS in c\nS -> ; (0)\nS = 8/c", "S"), 2, 1e-9);
  EXPECT_NEAR(ant("compartment c = 4\nsubstanceOnly species S in c\nS -> ; 2*S\nS = 8", "S"),
              8 * std::exp(-2), 1e-6);
  EXPECT_NEAR(ant("compartment c = 4\nsubstanceOnly species S in c\nS -> ; (0)\nS = 8*c", "S"), 32,
              1e-9);
  EXPECT_NEAR(ant("compartment c = 4, d in c = 2\nJ in d: S -> ; 2\nS = 3", "S"), 2, 1e-8);
  EXPECT_NEAR(ant("compartment c = 4\nS -> ; 2 in c\nS = 3", "S"), 2.5, 1e-8);
}

TEST_F(Antimony, Events) {
  const std::string model = "x = 0; x' = 1; y = 0\n";
  EXPECT_EQ(ant(model + "at (x > 0.5): y = 3", "y"), 3);
  EXPECT_EQ(ant(model + "E1: at x > 0.5:\n  y = 3, x = 7", "y"), 3);
  EXPECT_NEAR(ant(model + "E1: at 0.2 after (x > 0.5): y = 10*x", "y"), 5, 1e-8);
  EXPECT_NEAR(ant(model + "at 0.2 after (x > 0.5), fromTrigger=false: y = 10*x", "y"), 7, 1e-8);
  EXPECT_EQ(ant(model + "at x < 2: y = 3", "y"), 0);
  EXPECT_EQ(ant(model + "at x < 2, t0=false: y = 3", "y"), 3);
  EXPECT_EQ(ant(model + "at 0.3 after x > 0.5, persistent=false: y = 3\nat x > 0.6: x = 0", "y"),
            0);
  EXPECT_EQ(ant(model + "at x > 0.5, priority=1: y = 3\nat x > 0.5, priority=2: y = 4", "y"), 3);
  EXPECT_EQ(ant(model + "at x > 0.5: z = y + 2", "z"), 2);  // which has no value before
  // && and || read from the left.
  EXPECT_EQ(ant("a = 1; b = 0; x := piecewise(1, a > 0 || a > 0 && b > 0, 0)", "x"), 0);
  s.write("m.rxn", "a = 1; b = 0; x := piecewise(1, a > 0 || a > 0 && b > 0, 0)");
  EXPECT_EQ(at("m.rxn", "x", 1), 1);
}

TEST_F(Antimony, ModulesFunctionsAndTheRest) {
  const std::string side = "model side(S, k)\n S -> ; k*S\n S = 5; k = 1\nend\n";
  EXPECT_NEAR(ant(side + "model m\n A: side(X, 2)\n X = 1\nend", "X"), std::exp(-2), 1e-7);
  EXPECT_NEAR(ant(side + "model m\n A: side()\n A.k = 3\nend", "A.S"), 5 * std::exp(-3), 1e-6);
  EXPECT_NEAR(ant("A -> B; A\nA is ABA\nA = 1", "ABA"), std::exp(-1), 1e-7);
  EXPECT_EQ(ant("function f(x, y)\n x^2 - y\nend\nx := f(3, 1)\nz = 1", "x"), 8);
  EXPECT_NEAR(ant("model *a\n S -> ; S\n S = 1\nend\nmodel b\n S -> ; 2*S\n S = 1\nend", "S"),
              std::exp(-1), 1e-7);
  EXPECT_NEAR(ant("S = 1; var T; 0 = S - 2*T\nS -> ; S", "T"), std::exp(-1) / 2, 1e-6);
  EXPECT_NEAR(ant("S = 1; var T; alg1: 0 = S - 2*T\nS -> ; S", "T"), std::exp(-1) / 2, 1e-6);
  EXPECT_EQ(ant("unit foo = 100 mole/5 liter\nx = 40 foo\ny has foo\ny = 3.3 foo", "x"), 40);
  // Names, annotations, drawings, bounds of fluxes: read, and without effect on a run.
  EXPECT_NEAR(
      ant("J0: S -> ; S\nS = 1\nS is \"substrate\"\nS identity \"http://x\",\n  \"http://y\"\n"
          "S.sboTerm = SBO:00000236\nS.charge = 2\nS.chemicalFormula = \"C10\"\n"
          "S.confidenceInterval = {S, 8.2}\nS.position = {28, 35}\nmodel.layout = on\n"
          "0 <= J0\n-10 <= J0 <= 10\nJ0 < 1000\nconstraint: S > 0\nS -o J0\n"
          "model notes ```\n several\n lines```\n",
          "S"),
      std::exp(-1), 1e-7);
  // What has no value anywhere is a parameter without one.
  expect_error("S -> ; k*S\nS = 1", "'k' has no value");
  EXPECT_NEAR(at("m.ant", "S", 1, "--set k=2"), std::exp(-2), 1e-7);
  EXPECT_NEAR(ant("S -> ; S\nS = 1\nx := 2*q", "S"), std::exp(-1), 1e-7);
}

TEST_F(Antimony, WhatIsNotSupportedIsAnError) {
  const std::string model = "S -> ; S\nS = 1; k = 1\n";
  for (const char* statement :
       {"dna1: --P1--G1--", "P1--G1", "gene G1", "operator O1", "DNA d", "maximize S",
        "x := normal(0, 1)", "x := uniform(0, 1)", "import \"m.xml\"", "P1 = S + ..."})
    expect_error(model + statement + "\n", "");
  expect_error("model a\n S = 1\nend\nmodel b\n A: a(), timeconv=60\nend\n", "conversion factors");
  expect_error("model a\n S = 1\nend\nmodel b\n A: a(), extentconv=60\nend\n",
               "conversion factors");
  expect_error("model a\n S = 1\nend\nmodel b\n A: a()\n x = 1; cf = 2\n A.S is x / cf\nend\n",
               "conversion factors");
  expect_error("model a\n S = 1\nend\nmodel b\n A: a()\n x = 1; cf = 2\n A.S * cf is x\nend\n", "");
}

}  // namespace
}  // namespace stiffit::internal
