// Tables stay tables, which other programs read: where they came from stands in a JSON document
// beside them, which names each with its SHA-256.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/provenance.h"
#include "runtime/checkpoint/run_directory.h"

namespace stiffit::internal {

// A table of a run's folder. The JSON of the run is written after it, with `provenance`.
void write_table(const RunDirectory& folder, const std::string& name, const std::string& text,
                 Provenance& provenance);
// One that has grown there.
void note_table(const RunDirectory& folder, const std::string& name, Provenance& provenance);

}  // namespace stiffit::internal
