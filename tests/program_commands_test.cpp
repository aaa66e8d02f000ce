// What the commands print when all is well: columns, rows, JSON, files, help.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "program_run.h"

namespace stiffit::internal {
namespace {

const char* const decay =
    "model decay\n"
    "  J1: A -> B; k*A\n"
    "  k = 1; A = 2; B = 0\n"
    "end\n";

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(Program, SimulatesToCsv) {
  Scratch s;
  s.write("m.rxn", decay);
  ProgramRun run = s.stiffit("simulate m.rxn --end 1 --points 4");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.messages, "");
  EXPECT_EQ(lines(run.out), 6);
  EXPECT_TRUE(run.out.starts_with("time,A,B\n0,2,0\n0.25,1.55760")) << run.out;
}

TEST(Program, LibraryModelsRunToTheirCustomaryEnd) {
  Scratch s;
  ProgramRun run = s.stiffit("simulate robertson");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(run.out.starts_with("time,A,B,C\n0,1,0,0\n1000,"));
  EXPECT_TRUE(has(run.out, "\n1e+05,") || has(run.out, "\n100000,"));
  EXPECT_EQ(lines(run.out), 102);
}

TEST(Program, TimesAreExactlyThoseAskedFor) {
  Scratch s;
  s.write("m.rxn", decay);
  ProgramRun run = s.stiffit("simulate m.rxn --times 0.5,1,1.5 --show 'B,[A],rate(J1)'");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(lines(run.out), 4);
  EXPECT_TRUE(run.out.starts_with("time,B,[A],rate(J1)\n0.5,0.7869")) << run.out;
}

TEST(Program, SettingsAndAmounts) {
  Scratch s;
  s.write("m.rxn", "compartment c = 2; species A in c = 3\nA -> ; k\nk = c/4\n");
  ProgramRun run = s.stiffit("simulate m.rxn --times 0 --show A,k,c --amounts --set c=4");
  EXPECT_EQ(run.out, "time,amount(A),k,c\n0,12,1,4\n") << run.messages;
  // A setting takes the place of an initial assignment.
  run = s.stiffit("simulate m.rxn --times 0 --show A,k --set k=7 --set A=1.5");
  EXPECT_EQ(run.out, "time,A,k\n0,1.5,7\n") << run.messages;
}

TEST(Program, HeadersWithCommasAreQuoted) {
  Scratch s;
  s.write("n.net",
          "begin parameters\n 1 k 1\nend parameters\nbegin species\n 1 A(b,c) 2\n 2 B() 0\n"
          "end species\nbegin reactions\n 1 1 2 k\nend reactions\n");
  ProgramRun run = s.stiffit("simulate n.net --times 0");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out, "time,\"A(b,c)\",B()\n0,2,0\n");
  run = s.stiffit("simulate n.net --times 0 --show 'A(b,c)' --set 'A(b,c)=5'");
  EXPECT_EQ(run.out, "time,\"A(b,c)\"\n0,5\n") << run.messages;
}

TEST(Program, JsonHoldsRowsAndStats) {
  Scratch s;
  s.write("m.rxn", decay);
  ProgramRun run = s.stiffit("simulate m.rxn --times 0 --json");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(
      run.out.starts_with("{\"columns\":[\"time\",\"A\",\"B\"],\"rows\":[[0,2,0]],"
                          "\"method\":\"automatic\",\"status\":\"done\""))
      << run.out;
  for (const char* key : {"\"stats\":{", "\"steps\":", "\"rejected\":", "\"f\":", "\"j\":",
                          "\"lu\":", "\"newton\":", "\"load\":", "\"compile\":", "\"integrate\":"})
    EXPECT_TRUE(has(run.out, key)) << key;
}

TEST(Program, StatsGoToStderr) {
  Scratch s;
  s.write("m.rxn", decay);
  ProgramRun run = s.stiffit("simulate m.rxn --stats");
  for (const char* word :
       {"method", "steps", "rejected", "f ", "J ", "lu", "newton", "load", "compile", "integrate"})
    EXPECT_TRUE(has(run.messages, word)) << word;
  EXPECT_FALSE(has(run.out, "rejected"));
}

TEST(Program, WritesAFileWhole) {
  Scratch s;
  s.write("m.rxn", decay);
  s.write("old.csv", "old");
  ProgramRun run = s.stiffit("simulate m.rxn --times 0 -o old.csv");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(s.read("old.csv"), "time,A,B\n0,2,0\n");
  EXPECT_EQ(s.stiffit("simulate m.rxn --times 0 -o /dev/null").exit_code, 0);
}

TEST(Program, LineEndsByteOrderMarkAndLocaleDoNotMatter) {
  Scratch s;
  s.write("plain.rxn", decay);
  std::string odd = "\xEF\xBB\xBF";
  for (const char* c = decay; *c; ++c) odd += *c == '\n' ? std::string("\r\n") : std::string(1, *c);
  s.write("odd.rxn", odd);
  std::string expected = s.stiffit("simulate plain.rxn --points 3").out;
  ProgramRun run = s.stiffit("simulate odd.rxn --points 3", "LC_ALL=de_DE.UTF-8");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out, expected);
}

TEST(Program, InfoShowsTheEquations) {
  Scratch s;
  s.write("m.rxn", decay);
  ProgramRun run = s.stiffit("info m.rxn");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "J1:  A -> B;  k*A")) << run.out;
  EXPECT_TRUE(has(run.out, "A'  = -(k*A)")) << run.out;
  EXPECT_TRUE(has(run.out, "B'  = k*A")) << run.out;
  EXPECT_TRUE(has(run.out, "conserved (1)\n  A + B = constant\n")) << run.out;
  EXPECT_TRUE(has(run.out, "Jacobian: 2 x 2, 2 non-zeros")) << run.out;
  run = s.stiffit("info m.rxn --json");
  EXPECT_TRUE(has(run.out, "\"jacobian\":{\"size\":2,\"nonzeros\":2}")) << run.out;
}

TEST(Program, InfoWritesConditionsAsTheyWereMeant) {
  Scratch s;
  s.write("m.rxn", "x' = piecewise(1, x < k, 0)\nx = 0; k = 2\n");
  ProgramRun run = s.stiffit("info m.rxn");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "k > x")) << run.out;
  EXPECT_EQ(s.stiffit("check m.rxn").exit_code, 0);
}

TEST(Program, ModelsAndMethods) {
  Scratch s;
  ProgramRun run = s.stiffit("models");
  for (const char* name : {"escep ", "oregonator ", "robertson ", "water-stiff ", "clock-size "})
    EXPECT_TRUE(has(run.out, name)) << name;
  EXPECT_TRUE(has(s.stiffit("models escep").out, "model escep"));
  EXPECT_TRUE(s.stiffit("models --json").out.starts_with("{\"models\":[{\"name\":\""));
  run = s.stiffit("methods");
  for (const char* name : {"rodas5p", "bdf", "dopri5", "rkf45", "rk4", "euler", "cvodes"})
    EXPECT_TRUE(has(run.out, std::string(name) + " ")) << name;
  EXPECT_TRUE(s.stiffit("methods --json").out.starts_with("{\"methods\":[{\"name\":\""));
}

TEST(Program, HelpHasExamplesEverywhere) {
  Scratch s;
  for (const char* command : {"models", "info", "simulate", "methods", "convert", "check"}) {
    ProgramRun run = s.stiffit(std::string(command) + " -h");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_TRUE(has(run.out, "usage: stiffit " + std::string(command)));
    EXPECT_TRUE(has(run.out, "\nexamples:\n"));
  }
  EXPECT_TRUE(s.stiffit("--version").out.starts_with("stiffit 0."));
  EXPECT_TRUE(has(s.stiffit("--help").out, "simulate MODEL"));
}

TEST(Program, ConvertsByTheEndingOfTheFile) {
  Scratch s;
  s.write("m.rxn", decay);
  std::string before = s.stiffit("simulate m.rxn --end 3").out;
  for (const char* file : {"a.xml", "b.rxn", "c.SBML"}) {
    ProgramRun run = s.stiffit("convert m.rxn -o " + std::string(file));
    EXPECT_EQ(run.exit_code, 0) << run.messages;
    EXPECT_EQ(run.out + run.messages, "");
    EXPECT_EQ(s.stiffit("simulate " + std::string(file) + " --end 3").out, before) << file;
  }
  EXPECT_TRUE(s.read("a.xml").starts_with("<?xml"));
  EXPECT_EQ(s.stiffit("convert m.rxn -o d.net").exit_code, 0);
  EXPECT_TRUE(s.stiffit("simulate d.net --end 3").out.starts_with("time,A(),B()\n0,2,0\n"));
  EXPECT_EQ(s.stiffit("convert m.rxn -o e.c").exit_code, 0);
  EXPECT_TRUE(has(s.read("e.c"), "void decay_f(double t"));
  EXPECT_TRUE(has(s.stiffit("convert a.xml --to latex").out, "\\frac{d A}{dt} &= - v_{J_{1}}"));
  EXPECT_TRUE(s.stiffit("convert m.rxn --to text --json").out.starts_with("{\"kind\":\"text\","));
}

TEST(Program, ConvertSaysWhatItCannotDo) {
  Scratch s;
  s.write("m.rxn", "A = 1; A -> ; 0.1*A\nat (A < 0.5): A = 1\n");
  ProgramRun run = s.stiffit("convert m.rxn -o m.net");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.messages, "error: a BioNetGen network cannot say this model\n  events\n");
  EXPECT_FALSE(s.exists("m.net"));
  s.write("fast.rxn", "#: fast J\nJ: A -> B; A - 3*B\nA = 0; B = 8\nat (A < 0.5): A = 1\n");
  run = s.stiffit("convert fast.rxn -o m.c");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(has(run.messages, "warning: left out: events")) << run.messages;
  EXPECT_EQ(s.stiffit("convert m.rxn -o m.doc").exit_code, 2);
  EXPECT_EQ(s.stiffit("convert m.rxn").exit_code, 2);
  EXPECT_TRUE(has(s.stiffit("convert m.rxn --to latx").messages, "did you mean 'latex'?"));
  EXPECT_EQ(s.stiffit("convert none.rxn -o m.xml").exit_code, 1);
}

TEST(Program, ConformTellsItsTimeApartFromItsResult) {
  Scratch s;
  s.write("suite/00007/00007-settings.txt",
          "start: 0\nduration: 2\nsteps: 2\nvariables: x\nabsolute: 0.01\nrelative: 0.1\n");
  s.write("suite/00007/00007-results.csv", "time,x\n0,1\n1,2\n2,3\n");
  s.write("suite/00007/00007-sbml-l3v2.xml",
          "<?xml version=\"1.0\"?><sbml xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" "
          "level=\"3\" version=\"2\"><model><listOfParameters><parameter id=\"x\" value=\"1\" "
          "constant=\"false\"/></listOfParameters><listOfRules><rateRule variable=\"x\"><math "
          "xmlns=\"http://www.w3.org/1998/Math/MathML\"><cn>1</cn></math></rateRule>"
          "</listOfRules></model></sbml>");
  ProgramRun run = s.stiffit("conform sbml suite");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out, "1 passed, 0 failed, 0 skipped\n");
  EXPECT_TRUE(run.messages.starts_with("CPU time ")) << run.messages;
  EXPECT_TRUE(has(run.messages, " s, of which libSBML's parsing ")) << run.messages;
  EXPECT_EQ(lines(run.messages), 1);
  run = s.stiffit("conform sbml suite --json");
  EXPECT_TRUE(has(run.out, "\"cpu_seconds\":")) << run.out;
  EXPECT_TRUE(has(run.out, "\"parse_seconds\":")) << run.out;
}

TEST(Program, CheckFindsNothingWrong) {
  Scratch s;
  s.write("m.rxn", decay);
  ProgramRun run = s.stiffit("check m.rxn");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "m.rxn: 0 errors, 0 warnings\n");
}

TEST(Simulate, SensitivitiesAreColumns) {
  Scratch s;
  s.write("m.rxn", "x' = -k*x; x = 2; k = 0.5;\n");
  ProgramRun run = s.stiffit("simulate m.rxn --times 0 --sensitivities k,x");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_EQ(run.out, "time,x,d(x)/d(k),d(x)/d(x)\n0,2,0,1\n");
  run = s.stiffit("simulate m.rxn --sensitivities kk");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.messages.find("nothing called 'kk'"), std::string::npos) << run.messages;
  run = s.stiffit("simulate m.rxn --sensitivities k --method euler --step 0.1");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.messages.find("rodas5p"), std::string::npos) << run.messages;
  s.write("d.rxn", "x' = -k*delay(x, 1); x = 1; k = 1;\n");
  run = s.stiffit("simulate d.rxn --sensitivities k");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.messages.find("delays"), std::string::npos) << run.messages;
}

}  // namespace
}  // namespace stiffit::internal
