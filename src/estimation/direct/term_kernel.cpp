// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/term_kernel.h"

#include "compile/lower.h"

namespace stiffit::internal {

TermKernel::TermKernel(FitEquations& equations, std::vector<RowTerm> terms, bool second_derivatives)
    : terms_(std::move(terms)) {
  Graph& g = equations.graph();
  const auto parameters = static_cast<int>(equations.system().parameters.size());
  std::vector<NodeId> first, second;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    for (auto& [leaf, node] : g.gradient(terms_[t].node, Leaf::state)) {
      partials_.push_back({static_cast<int>(t), leaf});
      first.push_back(node);
      if (!second_derivatives) continue;
      for (auto& [other, bent] : g.gradient(node, Leaf::state))
        if (other >= leaf) {
          seconds_.push_back({static_cast<int>(t), leaf, other});
          second.push_back(bent);
        }
    }
  if (terms_.empty()) return;
  const LeafArrays arrays{0, 1, 2, parameters};
  std::vector<Target> targets;
  auto add = [&](NodeId node) { targets.push_back({3, static_cast<int>(targets.size()), node}); };
  for (const RowTerm& term : terms_) add(term.node);
  values_ = make_kernel(lower(g, targets, arrays, 4, nullptr), 1);
  for (NodeId node : first) add(node);
  for (NodeId node : second) add(node);
  all_ = make_kernel(lower(g, targets, arrays, 4, nullptr), 1);
}

namespace {

void run(const Kernel& kernel, double time, const double* leaves, const double* parameters,
         double* result) {
  if (!kernel) return;
  // Kernels take all arrays as writable; only the last one is written.
  double* const arrays[4] = {&time, const_cast<double*>(leaves), const_cast<double*>(parameters),
                             result};
  kernel(arrays);
}

}  // namespace

void TermKernel::values(double time, const double* leaves, const double* parameters,
                        double* result) const {
  run(values_, time, leaves, parameters, result);
}

void TermKernel::all(double time, const double* leaves, const double* parameters,
                     double* result) const {
  run(all_, time, leaves, parameters, result);
}

}  // namespace stiffit::internal
