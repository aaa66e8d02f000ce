// Where one way of computing gives place to another: all such limits that depend on a machine, in
// one table. benchmark/thresholds measures them and prints the same rows; the values here are from
// benchmark/results/2026-11-16-thresholds.md (Zen 3). Every limit is flat around its best: a
// factor of two changes the time near it by some 10 %.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::thresholds {

// Lanes with AVX-512 (Zen 4, benchmark/results/2026-11-17-ensembles.md): eight up to so many
// states, while most of the working set of as many trajectories stays in the first cache; then
// four; eight again where code and matrices come from the second cache anyway, and eight
// trajectories share the code. AVX2 has four.
inline constexpr int states_for_eight_lanes = 30, states_for_eight_lanes_again = 200;

// Values of a fitting problem at one point: courses from which on they run in lanes, by
// benchmark/conditions.
inline constexpr int courses_for_lanes = 3;

// f and J: ProgramOptions::largest_straight_line, rate terms up to which they are straight-line
// code; beyond, index tables.

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
// Of a table: slots up to which its solve is code, and updates before the block up to which its
// elimination is.
inline constexpr double generated_slots = 12000, generated_updates = 25000;

// One lane: updates per entry of L up to which rows are sorted by their lengths, and pivots of one
// block of them.
inline constexpr double short_row = 10;
inline constexpr int short_row_block = 4000;

// Newton: a solve costs as much as this many flops of a factorisation for each entry of L + U, f as
// this many for each entry of J.
inline constexpr double solve_flops = 6, rhs_flops = 10;
// Factorisations that cost more iterations than this are kept as long as they serve.
inline constexpr double thrift_iterations = 4;

// Method: steps of the BDF for one of Rodas5P at the same error.
inline constexpr double bdf_steps = 5;

}  // namespace stiffit::thresholds
