// Results as HDF5 in the layout that pyPESTO documents (doc/storage_format): /problem,
// /optimization/results/N, /profiling/0/N. Thetas are on the estimation scale, as there. What the
// result came from stands beside that, as attributes: /provenance (version), /provenance/settings,
// /provenance/inputs (SHA-256 by file).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/fit_summary.h"

namespace stiffit::internal {

// Writes beside it and renames. Throws InputError if that fails. Either may be null.
void write_pypesto_hdf5(const std::string& path, const FitSummary* fit,
                        const ProfileSummary* profile);

}  // namespace stiffit::internal
