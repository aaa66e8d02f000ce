// SPDX-License-Identifier: Apache-2.0
#include "report/tables/result_table.h"

#include "base/files/output_file.h"
#include "runtime/checkpoint/sha256.h"

namespace stiffit::internal {

void write_table(const RunDirectory& folder, const std::string& name, const std::string& text,
                 Provenance& provenance) {
  write_file(folder.file(name), text);
  add_file(provenance, name, sha256(text));
}

void note_table(const RunDirectory& folder, const std::string& name, Provenance& provenance) {
  add_file(provenance, name, sha256_of_file(folder.file(name)));
}

}  // namespace stiffit::internal
