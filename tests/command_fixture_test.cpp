// What commands print, byte for byte: code may move, its results may not.
// The expected texts stand in tests/fixtures/commands; where a change is meant, run this test once
// with STIFFIT_WRITE_FIXTURES=1 and look at the difference before it is committed.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "places.h"
#include "program_run.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

struct Fixture {
  const char* name;
  const char* arguments;
  bool numbers = true;  // with floating-point numbers, which another optimisation level may round
};

void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.name; }

// One lane, or models without transcendental functions: the same bits with AVX2 and AVX-512.
const Fixture fixtures[] = {
    {"simulate_automatic", "simulate oregonator --end 40 --points 8"},
    {"simulate_bdf", "simulate robertson --method bdf --times 0.4,40,4000 --rtol 1e-8"},
    {"simulate_rodas5p_json", "simulate escep --method rodas5p --end 10 --points 2 --json"},
    {"simulate_dopri5", "simulate lotka-volterra --method dopri5 --end 20 --points 4 --set X=0.2"},
    {"simulate_fixed_step", "simulate escep --method rk4 --step 0.1 --end 5 --points 2"},
    {"simulate_adams_amounts", "simulate vdp1 --method adams --end 5 --points 2 --amounts"},
    {"simulate_sensitivities", "simulate escep --sensitivities k1,E --end 10 --points 2 --show P"},
    {"simulate_verify", "simulate escep --end 10 --points 2 --verify --show S,P,\"rate(binding)\""},
    {"simulate_network", "simulate n.net --end 2 --points 2"},
    {"simulate_used_up", "simulate used_up.rxn --end 3 --points 3"},
    {"simulate_fails", "simulate blows_up.rxn --end 3 --points 3"},
    {"scan", "scan escep --vary k1=0.5:1:2 --vary S=1:2:2 --end 10 --points 1"},
    {"scan_json", "scan escep --vary k1=0.5:2:3:log --end 10 --show P --json"},
    {"ensemble", "ensemble escep --sample 'k1=uniform(0.5,1.5)' --samples 16 --end 10 --points 2"},
    {"compare", "compare escep --methods rodas5p,bdf --errors 1e-3 --points 5 --stability"},
    {"compare_csv",
     "compare escep --methods rodas5p,rk4 --errors 1e-2 --points 5 -o c.csv >/dev/null && cat "
     "c.csv"},
    {"reduce_fast", "reduce escep --fast C --composite"},
    {"reduce_polynomial", "reduce mm.rxn --polynomial --end 10"},
    {"reduce_json", "reduce escep --fast C --json"},
    {"steady", "steady decay.rxn"},
    {"steady_json", "steady decay.rxn --json"},
    {"stiffness", "stiffness escep --points 4"},
    {"convert_text", "convert mm.rxn --to text", false},
    {"convert_antimony", "convert mm.rxn --to antimony", false},
    {"convert_sbml", "convert mm.rxn --to sbml", false},
    {"convert_c", "convert mm.rxn --to c", false},
    {"convert_latex", "convert mm.rxn --to latex", false},
    {"convert_net", "convert decay.rxn --to net --json", false},
    {"check", "check bad.rxn", false},
    {"check_json", "check units.rxn --json", false},
    {"check_start", "check start.rxn", false},
    {"info", "info escep", false},
    {"info_json", "info repressilator --json", false},
    {"methods", "methods --json", false},
    {"models", "models --json", false},
    {"models_text", "models vdp1", false},
    {"help", "--help", false},
    {"help_simulate", "simulate -h", false},
    {"man", "man", false},
    {"completion", "completion bash", false},
    {"wrong_command", "simulat escep", false},
    {"wrong_option", "simulate escep --pionts 3", false},
    {"wrong_name", "simulate escep --set k9=3", false},
    {"wrong_show", "simulate escep --show k1,Q", false},
    {"wrong_sensitivity", "simulate escep --sensitivities binding", false},
    {"wrong_times", "simulate escep --times 3,2", false},
    {"wrong_method", "simulate escep --method euler", false},
    {"wrong_vary", "scan escep --vary k1=2:1:3", false},
    {"wrong_varied", "scan escep --vary k9=1:2:3", false},
    {"wrong_sample", "ensemble escep --sample 'k1=gamma(1)'", false},
    {"wrong_kind", "convert escep --to smbl", false},
    {"fit", "fit decay.rxn --data d.csv --estimate k=0.5:0.01:100"},
    {"fit_gauss_newton", "fit decay.rxn --data d.csv --estimate k=0.5 --method gauss-newton"},
    {"fit_flow", "fit decay.rxn --data d.csv --estimate k=0.5 --method gradient-flow --degree 3"},
    {"fit_integral", "fit decay.rxn --data d.csv --estimate k=0.5 --method integral"},
    {"profile", "profile decay.rxn --data d.csv --estimate k=0.5:0.01:100"},
    {"help_fit", "fit -h", false},
    {"help_profile", "profile -h", false},
    {"help_ensemble", "ensemble -h", false},
    {"wrong_fit_method", "fit decay.rxn --method trustregion", false},
    {"wrong_fit_option", "fit decay.rxn --parents 3", false},
    {"wrong_fit_choice", "fit decay.rxn --sampling x", false},
    {"wrong_fit_count", "fit decay.rxn --starts 0", false},
    {"wrong_fit_together", "fit decay.rxn --resume", false},
    {"wrong_profile", "profile decay.rxn --method integral", false},
    {"wrong_sampler", "ensemble decay.rxn --data d.csv --sampler x", false},
};

void write_models(const Scratch& s) {
  s.write("d.csv", "time,A\n0,2.01\n0.2,1.68\n0.4,1.55\n0.7,1.4\n1,1.38\n1.5,1.33\n2,1.345\n");
  s.write("decay.rxn",
          "model decay\n  J1: A -> B; k*A\n  J2: B -> A; 2*k*B\n  k = 1; A = 2; B = 0\nend\n");
  s.write("mm.rxn",
          "model mm\n  S -> P; vmax*S/(km + S)\n  vmax = 0.5; km = 0.25; S = 1; P = 0\nend\n");
  s.write("n.net",
          "begin parameters\n 1 k 1\nend parameters\nbegin species\n 1 A(b,c) 2\n 2 B() 0\n"
          "end species\nbegin reactions\n 1 1 2 k\nend reactions\n");
  s.write("used_up.rxn", "A -> ; k*sqrt(A)\nk = 1; A = 1\n");
  s.write("blows_up.rxn", "A -> 2 A; k*A*A\nk = 1; A = 1\n");
  s.write("bad.rxn", "A -> B; k1*A\nB -> C; k2*Bb\nk1 = 1; A = 1; B = 0; C = 0\nD = = 3\n");
  s.write(
      "units.rxn",
      "unit mM = 1e-3 mole/litre, per_s = 1/second\ncompartment c = 1; species A in c = 1, B in c\n"
      "A -> B; k*A*c\nk = 1; k has per_s; A has mM\nx := A + k\n");
  s.write("start.rxn", "A -> B; k/(A - 1)\nk = 1; A = 1; B = 0\n");
}

// Without what a machine's clock says.
std::string without_seconds(std::string text) {
  text = std::regex_replace(text, std::regex(R"re("seconds":\{[^}]*\})re"), "\"seconds\":{}");
  // The last column of `compare`, and its width.
  text = std::regex_replace(text, std::regex(R"re( +seconds\n)re"), "\n");
  text = std::regex_replace(text, std::regex(R"re((rodas5p|bdf)( .*\d) +[-.e\d]+\n)re"), "$1$2\n");
  return std::regex_replace(text, std::regex(R"re((\n(?:rodas5p|rk4),.*),[-.e\d]+(?=\n))re"), "$1");
}

class CommandFixture : public testing::TestWithParam<Fixture> {};

TEST_P(CommandFixture, PrintsTheSameBytes) {
  const Fixture& fixture = GetParam();
  if (sanitized && fixture.numbers) return;
  Scratch s;
  write_models(s);
  const ProgramRun run = s.stiffit(fixture.arguments, "LC_ALL=C");
  const std::string found =
      without_seconds("exit code " + std::to_string(run.exit_code) + "\n--- stdout\n" + run.out +
                      "--- stderr\n" + run.messages);
  const std::filesystem::path path = std::filesystem::path(source_path("tests/fixtures/commands")) /
                                     (std::string(fixture.name) + ".txt");
  if (std::getenv("STIFFIT_WRITE_FIXTURES")) {
    std::ofstream(path, std::ios::binary) << found;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path;
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(found, expected) << fixture.arguments;
}

INSTANTIATE_TEST_SUITE_P(Commands, CommandFixture, testing::ValuesIn(fixtures),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace stiffit::internal
