// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/tangents.h"

#include <algorithm>
#include <stdexcept>

#include "sensitivity/bdf_tangents.h"
#include "sensitivity/dirk_tangents.h"

#define STIFFIT_STEP_FILE "sensitivity/tangent_steps.h"
#include "ode/lanes/foreach_isa.h"

namespace stiffit::internal {

Tangents::Tangents(const SensitivityProblem& problem, std::size_t directions)
    : problem_(problem),
      n_(problem.kernels.states),
      lanes_(problem.lanes),
      chunks_((directions + lanes_ - 1) / lanes_),
      size_(AlignedArray::padded(n_ * lanes_)),
      directions_(static_cast<int>(directions)),
      shifts_(problem.kernels.parameters * directions),
      s_(chunks_ * size_),
      s_new_(chunks_ * size_),
      largest_(chunks_ * size_),
      rest_(chunks_ * size_),
      work_(size_),
      jacobian_(problem.place.size() * lanes_),
      diagonal_(lanes_),
      solver_(problem.linear->make_solver()),
      forcing_(chunks_),
      number_(problem.wanted.size(), -1) {}

void Tangents::begin(std::span<const Direction> directions) {
  if (directions.size() != static_cast<std::size_t>(directions_))
    throw std::invalid_argument("another number of directions");
  s_.fill(0);
  largest_.fill(0);
  std::fill(shifts_.begin(), shifts_.end(), 0.0);
  for (std::size_t d = 0; d < directions.size(); ++d)
    for (auto& [parameter, value] : directions[d].parameters) {
      const std::size_t p = parameter;
      if (p >= problem_.wanted.size() || !problem_.wanted[p])
        throw std::invalid_argument("no derivatives were made for parameter " +
                                    std::to_string(parameter));
      shifts_[p * directions.size() + d] += value;
    }
  std::vector<int> moved;
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
    Forcing& forcing = forcing_[chunk];
    const std::size_t first = chunk * lanes_, last = std::min(first + lanes_, directions.size());
    moved.clear();
    for (std::size_t d = first; d < last; ++d)
      for (auto& [parameter, value] : directions[d].parameters) {
        int& number = number_[parameter];
        if (number >= 0) continue;
        number = static_cast<int>(moved.size());
        moved.push_back(parameter);
      }
    forcing.terms.clear();
    if (forcing.shifts.size() < moved.size() * lanes_)
      forcing.shifts = AlignedArray(moved.size() * lanes_);
    for (std::size_t k = 0; k < moved.size(); ++k) {
      const std::size_t p = moved[k];
      for (std::size_t l = 0; l < lanes_; ++l)
        forcing.shifts[k * lanes_ + l] = first + l < last ? shift(p, first + l) : 0;
      for (auto& [row, entry] : problem_.parameter_entries[p])
        forcing.terms.push_back({row, entry, static_cast<int>(k)});
      number_[p] = -1;
    }
  }
}

void Tangents::write_chunked(const double* chunked, double* out) const {
  const std::size_t count = directions_;
  for (std::size_t d = 0; d < count; ++d) {
    const double* from = chunked + d / lanes_ * size_ + d % lanes_;
    for (std::size_t i = 0; i < n_; ++i) out[i * count + d] = from[i * lanes_];
  }
}

void Tangents::write(double* out) const { write_chunked(s_.data(), out); }

namespace {

template <template <int> class Stepper, class... Arguments>
auto make_for_lanes(const SensitivityProblem& problem, Arguments&&... arguments)
    -> std::unique_ptr<typename Stepper<8>::Made> {
  if (problem.lanes == 8) return std::make_unique<Stepper<8>>(problem, arguments...);
  return std::make_unique<Stepper<4>>(problem, arguments...);
}

}  // namespace

std::unique_ptr<Tangents> make_tangents(const SensitivityProblem& problem, std::size_t directions) {
#if defined(__x86_64__)
  switch (problem.problem.program->isa) {
    case Isa::avx512:
      return make_for_lanes<isa_avx512::TangentStepper>(problem, directions);
    case Isa::avx2:
      return make_for_lanes<isa_avx2::TangentStepper>(problem, directions);
    default:
      break;
  }
#endif
  return make_for_lanes<isa_portable::TangentStepper>(problem, directions);
}

std::unique_ptr<BdfTangents> make_bdf_tangents(const SensitivityProblem& problem,
                                               std::size_t directions,
                                               LinearisedStep& derivatives) {
#if defined(__x86_64__)
  switch (problem.problem.program->isa) {
    case Isa::avx512:
      return make_for_lanes<isa_avx512::BdfTangentStepper>(problem, directions, derivatives);
    case Isa::avx2:
      return make_for_lanes<isa_avx2::BdfTangentStepper>(problem, directions, derivatives);
    default:
      break;
  }
#endif
  return make_for_lanes<isa_portable::BdfTangentStepper>(problem, directions, derivatives);
}

std::unique_ptr<DirkTangents> make_dirk_tangents(const SensitivityProblem& problem,
                                                 std::size_t directions,
                                                 LinearisedStep& derivatives,
                                                 const DirkTableau& tableau) {
#if defined(__x86_64__)
  switch (problem.problem.program->isa) {
    case Isa::avx512:
      return make_for_lanes<isa_avx512::DirkTangentStepper>(problem, directions, derivatives,
                                                            tableau);
    case Isa::avx2:
      return make_for_lanes<isa_avx2::DirkTangentStepper>(problem, directions, derivatives,
                                                          tableau);
    default:
      break;
  }
#endif
  return make_for_lanes<isa_portable::DirkTangentStepper>(problem, directions, derivatives,
                                                          tableau);
}

}  // namespace stiffit::internal
