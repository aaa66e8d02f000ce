// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/tangents.h"

#include <stdexcept>

#include "sensitivity/bdf_tangents.h"

#define STIFFIT_STEP_FILE "sensitivity/tangent_steps.h"
#include "integrate/foreach_isa.h"

namespace stiffit {

Tangents::Tangents(const SensitivityProblem& problem, std::span<const Direction> directions)
    : problem_(problem),
      n_(static_cast<std::size_t>(problem.kernels.states)),
      lanes_(static_cast<std::size_t>(problem.lanes)),
      chunks_((directions.size() + lanes_ - 1) / lanes_),
      size_(AlignedArray::padded(n_ * lanes_)),
      directions_(static_cast<int>(directions.size())),
      shifts_(static_cast<std::size_t>(problem.kernels.parameters) * directions.size()),
      s_(chunks_ * size_),
      s_new_(chunks_ * size_),
      largest_(chunks_ * size_),
      rest_(chunks_ * size_),
      work_(size_),
      jacobian_(problem.place.size() * lanes_),
      diagonal_(lanes_),
      solver_(problem.linear->make_solver()) {
  for (std::size_t d = 0; d < directions.size(); ++d)
    for (auto& [parameter, value] : directions[d].parameters) {
      const auto p = static_cast<std::size_t>(parameter);
      if (p >= problem.wanted.size() || !problem.wanted[p])
        throw std::invalid_argument("no derivatives were made for parameter " +
                                    std::to_string(parameter));
      shifts_[p * directions.size() + d] += value;
    }
  const SparseRows& rows = problem.kernels.parameter;
  forcing_.resize(chunks_);
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
    Forcing& forcing = forcing_[chunk];
    std::vector<int> number(problem.wanted.size(), -1);
    std::vector<double> shifts;
    for (std::size_t p = 0; p < number.size(); ++p) {
      std::vector<double> own(lanes_, 0.0);
      bool moves = false;
      for (std::size_t l = 0; l < lanes_ && chunk * lanes_ + l < directions.size(); ++l) {
        own[l] = shift(p, chunk * lanes_ + l);
        moves |= own[l] != 0;
      }
      if (!moves) continue;
      number[p] = static_cast<int>(shifts.size() / lanes_);
      shifts.insert(shifts.end(), own.begin(), own.end());
    }
    forcing.shifts = AlignedArray(shifts.size());
    std::copy(shifts.begin(), shifts.end(), forcing.shifts.data());
    for (std::size_t i = 0; i < n_; ++i) {
      for (int e = rows.row_start[i]; e < rows.row_start[i + 1]; ++e) {
        const auto column = static_cast<std::size_t>(rows.column[static_cast<std::size_t>(e)]);
        if (number[column] < 0) continue;
        forcing.terms.push_back({static_cast<int>(i), e, number[column]});
      }
    }
  }
}

void Tangents::write_chunked(const double* chunked, double* out) const {
  const auto count = static_cast<std::size_t>(directions_);
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

std::unique_ptr<Tangents> make_tangents(const SensitivityProblem& problem,
                                        std::span<const Direction> directions) {
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
                                               std::span<const Direction> directions,
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

}  // namespace stiffit
