// Expressions that have no value everywhere: NaN where an event has yet to set something, or 0/0 at
// the start. Their derivatives must not turn what is not looked at into NaN: 0 * NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "symbolic/graph.h"

namespace stiffit::internal {

// `value` where `condition` holds, else NaN. Derivatives are those of `value`: where they matter,
// it has one.
NodeId defined_where(Graph& graph, NodeId condition, NodeId value);
bool is_partly_defined(const Graph& graph, NodeId node);
// The expression as it is where all of it has a value.
NodeId where_defined(Graph& graph, NodeId root);

// `first` up to that time, then `law`. Up to then the derivatives are taken as zero.
NodeId law_after(Graph& graph, double time, double first, NodeId law);
bool is_law_after(const Graph& graph, NodeId node);

}  // namespace stiffit::internal
