// Runs that are killed at any moment, again and again, and go on: their results are those of a run
// that nobody disturbed, and no finished piece is computed twice. STIFFIT_KILLS says how often
// (default 4 for each command, 2 with sanitizers).
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

#include "program_run.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

struct Killed {
  const char* name;
  const char* words;
  const char* state;    // the database of the run
  const char* pieces;   // the kind of its pieces that are final once they are there; "": none
  const char* results;  // files to compare, separated by blanks
};

void PrintTo(const Killed& k, std::ostream* out) { *out << k.name; }

const char* const chain_model =
    "model chain\n  A -> B; k1*A\n  B -> C; k2*B\n  C -> D; k3*C/(K + C)\n"
    "  A = 5; B = 0; C = 0; D = 0; k1 = 1; k2 = 0.5; k3 = 2; K = 0.7\nend\n";

// The curve of the model with a little noise, by a rule instead of a generator.
std::string chain_data() {
  std::string text = "time,B,C\n";
  for (int i = 1; i <= 20; ++i) {
    const double t = 0.4 * i;
    const double b = 10 * (std::exp(-0.5 * t) - std::exp(-t));
    text += std::to_string(t) + "," + std::to_string(b * (1 + 0.03 * std::sin(7.0 * i))) + "," +
            std::to_string(0.4 * b * (1 + 0.03 * std::cos(5.0 * i))) + "\n";
  }
  return text;
}

// Pieces by kind and number. Empty if the state is not there yet.
std::map<std::string, std::string> pieces_in(const std::string& file, const std::string& kind) {
  std::map<std::string, std::string> pieces;
  sqlite3* handle = nullptr;
  sqlite3_stmt* rows = nullptr;
  // The killed process may still be on its way out, with its locks.
  constexpr int patience = 10000;
  if (sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
      sqlite3_busy_timeout(handle, patience) == SQLITE_OK &&
      sqlite3_prepare_v2(handle, "SELECT kind, number, hex(record) FROM pieces", -1, &rows,
                         nullptr) == SQLITE_OK) {
    int code;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
      auto text = [&](int c) {
        return reinterpret_cast<const char*>(sqlite3_column_text(rows, c));
      };
      const std::string found = text(0);
      if (found.starts_with(kind)) pieces[found + " " + text(1)] = text(2);
    }
    EXPECT_EQ(code, SQLITE_DONE) << sqlite3_errmsg(handle);
  }
  sqlite3_finalize(rows);
  sqlite3_close(handle);
  return pieces;
}

class Kill : public testing::TestWithParam<Killed> {};

TEST_P(Kill, GoesOnToTheSameResult) {
  const Killed& k = GetParam();
  const char* wished = std::getenv("STIFFIT_KILLS");
  const int kills = wished ? std::atoi(wished) : sanitized ? 2 : 4;
  Scratch scratch;
  scratch.write("chain.rxn", chain_model);
  scratch.write("data.csv", chain_data());
  const std::string words = std::string(k.words) + " -o ";
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const ProgramRun whole = scratch.stiffit(words + "whole");
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  ASSERT_TRUE(whole.exit_code == 0 || whole.exit_code == 3) << whole.messages;

  std::mt19937 random(20261116);
  std::uniform_real_distribution<double> moment(0, 0.7 * seconds);
  int killed = 0, runs = 0;
  // A run that has come to its end is followed by another one, until all kills are spent.
  for (; killed < kills && runs < 10 * kills; ++runs) {
    const std::string folder = "part" + std::to_string(runs);
    const std::string state = folder + "/" + k.state;
    auto go_on = [&](const std::string& how) {
      return scratch.stiffit(words + folder + (scratch.exists(state) ? " --resume" : ""), how);
    };
    std::map<std::string, std::string> seen;
    bool ended = false;
    while (!ended && killed < kills) {
      const ProgramRun run = go_on("timeout -s KILL " + std::to_string(moment(random)));
      // Ended before the kill, or killed; a folder that was killed while it was made is said so.
      ASSERT_TRUE(run.exit_code == whole.exit_code || run.exit_code == 137) << run.messages;
      ended = run.exit_code != 137;
      killed += !ended;
      if (*k.pieces == '\0') continue;
      std::map<std::string, std::string> now = pieces_in(scratch.folder() + "/" + state, k.pieces);
      for (const auto& [piece, record] : seen) {
        ASSERT_TRUE(now.contains(piece)) << piece << " is lost";
        EXPECT_EQ(now[piece], record) << piece << " was done again";
      }
      seen = std::move(now);
    }
    if (!ended) {
      const ProgramRun last = go_on("");
      EXPECT_EQ(last.exit_code, whole.exit_code) << last.messages;
    }
    std::istringstream files(k.results);
    for (std::string file; files >> file;) {
      EXPECT_FALSE(scratch.read("whole/" + file).empty()) << file;
      EXPECT_EQ(scratch.read(folder + "/" + file), scratch.read("whole/" + file)) << file;
    }
  }
  EXPECT_EQ(killed, kills);
  RecordProperty("killed", killed);
  std::cout << k.name << ": killed " << killed << " times in " << runs << " runs of " << seconds
            << " s\n";
}

INSTANTIATE_TEST_SUITE_P(
    Every, Kill,
    testing::Values(
        Killed{"fit",
               "fit chain.rxn --data data.csv --estimate k1=1,k2=1,k3=1,K=1 --start-from random "
               "--starts 60 --advice no",
               "fit.sqlite", "start", "result.json parameters.tsv simulations.tsv"},
        Killed{"bootstrap",
               sanitized ? "fit chain.rxn --data data.csv --estimate k1=1,k2=1 --bootstrap 150 "
                           "--advice no"
                         : "fit chain.rxn --data data.csv --estimate k1=1,k2=1 --bootstrap 800 "
                           "--advice no",
               "fit.sqlite", "bootstrap", "result.json parameters.tsv"},
        Killed{"evolution",
               "fit chain.rxn --data data.csv --estimate k1=1,k2=1,k3=1,K=1 --method evolution "
               "--starts 2 --generations 60 --advice no",
               "fit.sqlite", "start", "result.json parameters.tsv"},
        Killed{"profile",
               "profile chain.rxn --data data.csv --estimate k1=1,k2=1,k3=1,K=1 --starts 4",
               "profile.sqlite", "side", "profile.json intervals.tsv profiles.tsv"},
        Killed{"cloud",
               sanitized ? "ensemble chain.rxn --sample 'k1=lognormal(1,0.3)' --samples 1500 --rows"
                         : "ensemble chain.rxn --sample 'k1=lognormal(1,0.3)' "
                           "--sample 'K=uniform(0.3,2)' --samples 8000 --rows",
               "ensemble.sqlite", "", "result.json bands.csv samples.csv"},
        Killed{"chains",
               sanitized ? "ensemble chain.rxn --data data.csv --estimate k1=1,k2=1,k3=1,K=1 "
                           "--samples 400 --warmup 200"
                         : "ensemble chain.rxn --data data.csv --estimate k1=1,k2=1,k3=1,K=1 "
                           "--samples 4000",
               "ensemble.sqlite", "draws", "result.json intervals.tsv draws.csv bands.csv"}),
    [](auto& at) { return std::string(at.param.name); });

}  // namespace
}  // namespace stiffit::internal
