// SPDX-License-Identifier: Apache-2.0
#include "read/petab/read_petab.h"

namespace stiffit {

bool is_petab_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

bool PetabReading::has_errors() const {
  for (const Diagnostics& d : findings)
    if (d.has_errors()) return true;
  return false;
}

std::string PetabReading::text() const {
  std::string out;
  for (const Diagnostics& d : findings) out += render(d);
  return out;
}

PetabReading read_petab(const std::string& yaml_path, const FileReader& read) {
  (void)read;
  throw InputError("error: PEtab problems cannot be read yet: '" + yaml_path + "'\n");
}

}  // namespace stiffit
