// Where one way of computing gives place to another: all such limits that depend on a machine, in
// one table. benchmark/thresholds measures them and prints the same rows; the values here are from
// benchmark/results/2026-11-17-thresholds.md (Zen 4) and 2026-11-16-thresholds.md (Zen 3). Every
// limit is flat around its best: a factor of two changes the time near it by some 10 %. Those that
// benchmark/thresholds varies are fields of Thresholds, which options carry; the others are
// constant. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal::thresholds {

// Lanes with AVX-512 (Zen 4, benchmark/results/2026-11-17-ensembles.md): eight up to so many
// states, while most of the working set of as many trajectories stays in the first cache; then
// four; eight again where code and matrices come from the second cache anyway, and eight
// trajectories share the code. AVX2 has four.
inline constexpr int states_for_eight_lanes = 30, states_for_eight_lanes_again = 200;

// Rodas5P: states from which on output rows get a Newton iteration; below, a step may be one piece
// of code, which leaves no matrix behind (benchmark/results/2026-11-17-ensembles.md).
inline constexpr int states_for_corrected_output = 32;

// Values of a fitting problem at one point: courses from which on they run in lanes, by
// benchmark/conditions.
inline constexpr int courses_for_lanes = 3;

// f and J: rate terms up to which they are straight-line code; beyond, index tables.
inline constexpr int straight_line_terms = 4000;
// A step as one piece of code: instructions of f and J together.
inline constexpr int fused_step_parts = 2000;

// LU: flops of a factorisation up to which it is written out as code, by lanes. One trajectory
// would have to make up for the time of writing it out: 30 ms at 180,000 flops.
struct GeneratedFlops {
  int lanes;
  double flops;
};
inline constexpr GeneratedFlops generated_flops[] = {{1, 60000}, {4, 180000}, {8, 80000}};
// From tables, nanoseconds of a multiply-add per lane: in the sparse loops and in the dense block
// that is left when the rest has filled up.
inline constexpr double sparse_update_one_lane = 0.6, sparse_update_lanes = 0.15;
inline constexpr double dense_update = 0.12;

// Newton: a solve costs as much as this many flops of a factorisation for each entry of L + U, f as
// this many for each entry of J.
inline constexpr double solve_flops = 6, rhs_flops = 10;

// Two threads: numbers of the bands of an ensemble from which on they share them.
inline constexpr double numbers_for_threads = 1e5;
// How often a thread looks whether there is work before it goes to sleep: some 0.2 ms.
inline constexpr int turns_awake = 10000;

// Method: steps of the BDF for one of Rodas5P at the same error.
inline constexpr double bdf_steps = 5;
// Tolerances from which on DOP853 takes the place of DOPRI5, and series may.
inline constexpr double tight_rtol = 1e-8, series_rtol = 1e-10;
// Operations around any step of one lane.
inline constexpr double step_operations = 150;
// Several lanes, in flops of an LU (egfr_net in four lanes: 0.08 ns for one, 7.8 us for a solve of
// 37,404 entries, 5.8 and 14 us for f and J of 8,431): a solve for each entry of L + U, f and J for
// each of J, and what is around a step for each state.
inline constexpr double lane_solve = 2.6, lane_f = 8.5, lane_j = 21, lane_state = 50;
// The BDF in lanes: iterations of the slowest lane for one of each, and an LU of one lane to its
// share of one of all.
inline constexpr double lane_divergence_factor = 1.5, partial_refactorisation_ratio = 1.5;

}  // namespace stiffit::internal::thresholds

namespace stiffit::internal {

// Limits that a program and its linear algebra are made with (ProgramOptions, LinearOptions).
struct Thresholds {
  // f from index tables: states of a stretch.
  int rhs_stretch = 4096;
  // Products with matrices of derivatives: entries up to which they are code, 3.4 to 10 times as
  // fast as loops at all sizes measured (to 30,000); making it takes 0.17 us an entry.
  double product_entries = 30000;
  // A step as one piece of code: instructions, which several lanes share.
  double fused_step_one_lane = 4000, fused_step_lanes = 10000;

  // Order of elimination: states up to which the order of Markowitz is tried beside minimum degree.
  // Mflop of an LU with it and with AMD (COLAMD): egfr_net 3.1, 3.3 (9.4); bcr 7.2, 59 (74);
  // fceri_gamma2 3300, 4500 (7600). Its time grows with n * fill: 1 ms, 5 ms, 0.4 s.
  int markowitz_states = 5000;

  // LU from a table: slots up to which its solve is code, and updates before the block up to which
  // its elimination is. The code is 1.5 to 2.5 times as fast at all sizes measured (to 25,000 slots
  // and 310,000 updates), but making it takes 4 ms at 300 species and 22 ms at 1,000, which the
  // runs of one trajectory there (2 and 16 ms) do not win back.
  double generated_slots = 12000, generated_updates = 25000;

  // One lane: updates per entry of L up to which rows are sorted by their lengths (trees of
  // modules, 4.6: the LU is 2 to 3.5 times as fast as with rows as they come; a random network of
  // 1,000 species, 15: 1.3 times, but the solve is slower), and pivots of one block of them.
  double level_scheduled_updates = 10;
  int level_schedule_block = 4000;

  // Newton: factorisations that cost more iterations than this are kept as long as they serve: from
  // 1 to 1.8 that takes 1.7 to 2.2 times as long as renewing them early, at 2.8 and 4.3 as long,
  // from 9 on 0.8 times.
  double jacobian_reuse_threshold = 4;

  // Two threads in one trajectory: terms of f, entries of L + U, and multiply-adds of a part of a
  // dense block, from which on they share it.
  double terms_for_threads = 20000, entries_for_threads = 50000;
  double dense_updates_for_threads = 1e7;
};

}  // namespace stiffit::internal
