// memory(x, tau, n): what x was, spread over the past by a gamma kernel of mean tau and shape n
// (n = 1: exponential), as n equations in a row (the linear chain).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/model.h"

namespace stiffit::internal {

inline constexpr int longest_chain = 100;

// The integral of K(age) x(t - age) over the ages since the start, K(u) = a^n u^(n-1) e^(-a
// u)/(n-1)!, a = n/tau: u1' = a (x - u1), u2' = a (u1 - u2), ..., all zero at the start. Returns
// the last one. `taken` says which names are not free.
ExprId add_linear_chain(Model& model, ExprId signal, ExprId mean, int stages, Span span,
                        const std::function<bool(const std::string&)>& taken);

// True if the expression speaks of the arguments of a function.
bool has_arguments(const Expressions& expressions, ExprId root);

}  // namespace stiffit::internal
