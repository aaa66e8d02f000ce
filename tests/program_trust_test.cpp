// What a result says of itself: how accurate it is, and where it came from.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "program_run.h"
#include "runtime/checkpoint/sha256.h"

namespace stiffit::internal {
namespace {

// The number behind `key` that follows `after`.
double number_of(const std::string& json, const std::string& key, const std::string& after = "") {
  const std::size_t at = json.find("\"" + key + "\":", json.find(after));
  return at == std::string::npos ? NAN : std::atof(json.c_str() + at + key.size() + 3);
}

// Euler's method on x' = -x has a large error that is known exactly: the report must give that one.
TEST(Verify, TellsTheTrueErrorOfEachColumn) {
  Scratch s;
  s.write("decay.rxn", "species x = 1, y = 1; x' = -x; y' = -0.5*y;\n");
  const ProgramRun run =
      s.stiffit("simulate decay.rxn --end 1 --points 1 --method euler --step 0.1 --verify --json");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const double x = std::exp(-1.0) - std::pow(0.9, 10), y = std::exp(-0.5) - std::pow(0.95, 10);
  EXPECT_NEAR(number_of(run.out, "largest", "\"name\":\"x\""), x, 1e-7);
  EXPECT_NEAR(number_of(run.out, "largest", "\"name\":\"y\""), y, 1e-7);
  EXPECT_NEAR(number_of(run.out, "worst"), x, 1e-7);  // the maximum of x is 1
  EXPECT_NEAR(number_of(run.out, "rtol", "\"verify\""), 1e-8, 1e-20);
  EXPECT_TRUE(has(run.messages, "verified with radau at relative tolerance 1e-08"));
}

TEST(Verify, TakesAnotherMethodThanTheRunItself) {
  Scratch s;
  for (auto [options, judge] : {std::pair{"--method radau", "bdf"},
                                {"--method rodas5p --rtol 1e-4", "radau"},
                                {"--sensitivities k1", "bdf"},
                                {"--sensitivities k1 --method bdf", "rodas5p"}}) {
    const ProgramRun run = s.stiffit("simulate escep --points 5 --verify " + std::string(options));
    ASSERT_EQ(run.exit_code, 0) << run.messages;
    EXPECT_TRUE(has(run.messages, "verified with " + std::string(judge))) << run.messages;
  }
}

// bdf has no algebraic equations: it refuses, and the next one is asked.
TEST(Verify, GoesOnToAMethodThatBearsTheModel) {
  Scratch s;
  s.write("rule.rxn",
          "species x = 1; var y = 1; x' = -x; 0 = y^3 + y - 2*x\n"
          "at (x < 0.5): x = 0.9\n");
  ProgramRun run = s.stiffit("simulate rule.rxn --end 5 --method radau --verify -o out.csv");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.messages, "verified with rodas5p")) << run.messages;
  run = s.stiffit("simulate escep --verify --max-steps 3");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_FALSE(has(run.messages, "verified")) << run.messages;
}

// A course that the tolerance cannot explain is an error, with the column and the time.
TEST(Verify, FailsBeyondAHundredTolerances) {
  Scratch s;
  s.write("decay.ant", "species x = 1; x' = -x;\n");
  ProgramRun run =
      s.stiffit("simulate decay.ant --end 50 --method euler --step 1 --verify -o out.csv");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(has(run.messages, "'x' is off by")) << run.messages;
  // Two courses of the Lorenz equations part from each other.
  s.write("lorenz.ant",
          "x = 1; y = 1; z = 1; x' = 10*(y - x); y' = x*(28 - z) - y; z' = x*y - 8*z/3;\n");
  run = s.stiffit("simulate lorenz.ant --end 60 --verify --json");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(has(run.out, "\"status\":\"differs\"")) << run.messages;
  run = s.stiffit("simulate lorenz.ant --end 2 --verify --json");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
}

// A pulse that is narrow against every step, seen by both.
TEST(Verify, AgreesOnNarrowInputs) {
  Scratch s;
  s.write("pulse.ant", "species x = 0; x' = exp(-((time - 50)/0.01)^2) - 0.01*x;\n");
  const ProgramRun run = s.stiffit("simulate pulse.ant --verify --json");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_LT(number_of(run.out, "worst"), 1e-4);
}

TEST(MaxStep, IsAnOptionOfEveryIntegration) {
  Scratch s;
  s.write("m.ant", "species A = 1, B = 0; A -> B; k*A; k = 0.3\n");
  s.write("d.csv", "time,B\n0,0\n1,0.25\n5,0.8\n");
  const std::string data = " m.ant --data d.csv --estimate k --max-step 0.5";
  for (const std::string& command :
       {std::string("scan m.ant --vary k=0.1:1:3 --end 5 --max-step 0.5"),
        std::string("ensemble m.ant --sample \"k=uniform(0.1,1)\" --samples 8 --end 5 "
                    "--max-step 0.5"),
        std::string("compare m.ant --methods rodas5p --errors 1e-3 --end 5 --max-step 0.5"),
        std::string("stiffness m.ant --end 5 --max-step 0.5"),
        std::string("steady m.ant --max-step 0.5"), "fit" + data, "evaluate" + data,
        "profile" + data}) {
    const ProgramRun run = s.stiffit(command);
    EXPECT_EQ(run.exit_code, 0) << command << "\n" << run.messages;
  }
  const ProgramRun run = s.stiffit("simulate m.ant --end 10 --max-step 0.125 --json");
  EXPECT_GE(number_of(run.out, "steps"), 80);
  EXPECT_EQ(s.stiffit("simulate m.ant --max-step 0").exit_code, 2);
  EXPECT_EQ(s.stiffit("simulate m.ant --method euler --step 1 --max-step 0.5").exit_code, 2);
}

TEST(NegativeDelays, AreNamed) {
  Scratch s;
  s.write("d.ant", "x = 1; x' = -delay(x, tau); tau = -0.5\n");
  ProgramRun run = s.stiffit("simulate d.ant");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(has(run.messages, "'delay(x, tau)' asks for the future")) << run.messages;
  EXPECT_EQ(s.stiffit("simulate d.ant --set tau=0.5 --end 2").exit_code, 0);
  s.write("e.ant", "x = 1; x' = -delay(x, tau); tau := 2 - time\n");
  run = s.stiffit("simulate e.ant --end 5");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(has(run.messages, "'delay(x, tau)' asks for the future")) << run.messages;
  EXPECT_TRUE(has(run.messages, "at time 2")) << run.messages;
}

constexpr const char* data_text = "time,P\n0,0\n100,0.3\n300,0.7\n600,0.9\n";

TEST(Provenance, IsInEveryJsonDocument) {
  Scratch s;
  s.write("m.rxn", "species A = 1, B = 0; A -> B; k; k = 0.3\n");
  for (std::string command :
       {"simulate m.rxn --end 3 --points 2", "stiffness m.rxn --end 3 --points 2", "steady m.rxn",
        "scan m.rxn --vary k=0.1:1:2 --end 3", "reduce m.rxn --polynomial --end 3",
        "compare m.rxn --methods rodas5p --errors 1e-2 --end 3",
        "ensemble m.rxn --sample \"k=uniform(0.1,1)\" --samples 8 --points 2 --end 3"}) {
    const ProgramRun run = s.stiffit(command + " --json --seed 7");
    ASSERT_EQ(run.exit_code, 0) << command << run.messages;
    EXPECT_TRUE(has(run.out, "\"version\":\"0.")) << command;
    EXPECT_TRUE(has(run.out, "\"seed\":\"7\"")) << command;
    EXPECT_TRUE(has(
        run.out, "\"m.rxn\":\"d2bad92f8fc5c8dc71a665395d7b666c9b6a7c353c290b55cf305213b09aa13e\""))
        << command << run.out.substr(run.out.size() > 400 ? run.out.size() - 400 : 0);
  }
}

TEST(Provenance, IsInTheFoldersOfFits) {
  Scratch s;
  s.write("curve.csv", data_text);
  const std::string problem = " escep --data curve.csv --estimate k2=0.4 --seed 5 -o ";
  ASSERT_EQ(s.stiffit("fit" + problem + "f --threads 1").exit_code, 0);
  ASSERT_EQ(s.stiffit("fit" + problem + "g --threads 2").exit_code, 0);
  EXPECT_EQ(s.read("f/result.json"), s.read("g/result.json"));
  ASSERT_EQ(s.stiffit("profile" + problem + "p").exit_code, 0);
  for (const char* file : {"f/result.json", "p/profile.json"}) {
    const std::string json = s.read(file);
    EXPECT_TRUE(has(json, "\"version\":\"0.")) << file;
    EXPECT_TRUE(has(json, "\"seed\":\"5\"")) << file;
    EXPECT_TRUE(has(
        json, "\"curve.csv\":\"420799c6d6ac9dc697e5a80797068a1e2005b1019436c7192f474d8595a8943b\""))
        << file;
  }
}

// The JSON beside them names every table of a folder with the hash of what is there.
TEST(Provenance, NamesTheTablesOfAFolder) {
  Scratch s;
  s.write("curve.csv", data_text);
  s.write("fall.csv", "time,A\n0,1\n1,0.73\n2,0.56\n3,0.4\n4,0.3\n6,0.16\n");
  s.write("m.rxn", "species A = 1, B = 0; A -> B; k; k = 0.3\n");
  const std::string problem = " escep --data curve.csv --estimate k2=0.4 -o ";
  for (std::string command :
       {"fit" + problem + "out",
        std::string("fit m.rxn --data fall.csv --estimate k -o out --method integral"),
        "fit" + problem + "out --method gradient-flow", "profile" + problem + "out",
        "ensemble" + problem + "out --samples 60",
        std::string("ensemble m.rxn --sample \"k=uniform(0.1,1)\" --samples 8 --points 2 --end 3 "
                    "--rows --histogram 4 -o out")}) {
    std::filesystem::remove_all(s.folder() + "/out");
    const ProgramRun run = s.stiffit(command);
    ASSERT_NE(run.exit_code, 1) << command << run.messages;
    const std::string json =
        s.read(s.exists("out/result.json") ? "out/result.json" : "out/profile.json");
    int tables = 0;
    for (const auto& entry : std::filesystem::directory_iterator(s.folder() + "/out")) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".tsv") && !name.ends_with(".csv")) continue;
      ++tables;
      EXPECT_TRUE(has(json, "\"" + name + "\":\"" + sha256(s.read("out/" + name)) + "\""))
          << command << " " << name;
    }
    EXPECT_GE(tables, 2) << command;
  }
}

// A single table is only a table; the rest goes beside it where it is asked for.
TEST(Provenance, OfASingleTableOnRequest) {
  Scratch s;
  s.write("curve.csv", data_text);
  s.write("m.rxn", "species A = 1, B = 0; A -> B; k; k = 0.3\n");
  for (std::string command :
       {"simulate m.rxn --end 3 --points 2 -o", "stiffness m.rxn --end 3 --points 2 -o",
        "scan m.rxn --vary k=0.1:1:2 --end 3 -o",
        "compare m.rxn --methods rodas5p --errors 1e-2 --end 3 -o",
        "evaluate escep --data curve.csv --estimate k2=0.4 --simulations"}) {
    const ProgramRun run = s.stiffit(command + " table.csv --seed 7 --provenance from.json");
    ASSERT_EQ(run.exit_code, 0) << command << run.messages;
    const std::string json = s.read("from.json");
    EXPECT_TRUE(has(json, "\"version\":\"0.")) << command;
    EXPECT_TRUE(has(json, "\"seed\":\"7\"")) << command;
    EXPECT_TRUE(has(json, "\"inputs\":{\"")) << command << json;
    EXPECT_TRUE(has(json, "\"files\":{\"table.csv\":\"" + sha256(s.read("table.csv")) + "\"}"))
        << command << json;
    EXPECT_FALSE(has(s.read("table.csv"), "#")) << command;
  }
  EXPECT_EQ(s.stiffit("simulate m.rxn --provenance from.json").exit_code, 2);
  EXPECT_EQ(s.stiffit("simulate m.rxn -o t.csv --provenance none/from.json").exit_code, 1);
}

}  // namespace
}  // namespace stiffit::internal
