// The order of hashes, addresses and threads never shows: the same bytes with addresses that stand
// still and random ones, with memory filled with one byte or another, on one thread and on several.
// tools/check_determinism is the long form.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "program_run.h"

namespace stiffit::internal {
namespace {

const char* const network =
    "#: end 20\nA + B -> C; k1*A*B\nC -> A + B; k2*C\nC -> D; k3*C/(K + C)\nD -> E; k4*D\n"
    "E -> ; k5*E\nA = 5; B = 4; C = 0; D = 0; E = 0\n"
    "k1 = 0.3; k2 = 0.1; k3 = 0.8; K = 0.5; k4 = 0.4; k5 = 0.1\n";
const char* const data =
    "time,C,D\n0.5,1.9,0.2\n1,2.6,0.5\n2,2.7,1\n4,1.7,1.5\n8,0.5,1.1\n12,0.2,0.6\n16,0.1,0.3\n";

// Times that were measured are no part of the answer.
std::string without_times(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("seconds ")) kept += line + "\n";
  return kept;
}

class Determinism : public testing::TestWithParam<const char*> {};

TEST_P(Determinism, TheSameBytesEveryTime) {
  static const bool addresses_can_stand_still = std::system("setarch -R true 2>/dev/null") == 0;
  struct Variant {
    const char *environment, *threads;
  };
  const Variant variants[] = {
      {addresses_can_stand_still ? "MALLOC_PERTURB_=1 setarch -R" : "MALLOC_PERTURB_=1", "1"},
      {"MALLOC_PERTURB_=170", "3"}};
  std::string first;
  for (const Variant& variant : variants) {
    const Scratch scratch;
    scratch.write("m.rxn", network);
    scratch.write("d.csv", data);
    std::string words = GetParam();
    if (const std::size_t at = words.find("{t}"); at != std::string::npos)
      words.replace(at, 3, std::string("--threads ") + variant.threads);
    const ProgramRun run = scratch.stiffit(words, variant.environment);
    EXPECT_EQ(run.exit_code, 0) << run.messages;
    std::string all = without_times(run.out) + "\n-- messages --\n" + run.messages;
    for (const char* file : {"out/parameters.tsv", "out/waterfall.tsv", "out/bands.csv"})
      if (scratch.exists(file)) all += scratch.read(file);
    if (first.empty())
      first = all;
    else
      EXPECT_EQ(all, first) << words;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Determinism,
    testing::Values(
        "models", "info m.rxn", "check m.rxn", "convert m.rxn --to sbml", "convert m.rxn --to c",
        "simulate m.rxn {t}", "simulate repressilator --method bdf {t}",
        "simulate m.rxn --sensitivities k1,K {t}", "steady escep", "stiffness oregonator",
        "scan m.rxn --vary k1=0.1:1:4 {t}",
        "ensemble m.rxn --sample 'k1=lognormal(0.3,0.2)' --samples 100 -o out {t}",
        "evaluate m.rxn --data d.csv --estimate k1,k3,K {t}",
        "fit m.rxn --data d.csv --estimate k1,k3,K --starts 6 --start-from random -o out {t}",
        "profile m.rxn --data d.csv --estimate k1,k3 {t}"));

}  // namespace
}  // namespace stiffit::internal
