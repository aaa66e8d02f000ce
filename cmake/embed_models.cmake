# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ file with the text of every file in MODELS (a list separated by '|').
# Run as: cmake -DOUTPUT=... -DMODELS=... -P embed_models.cmake
string(REPLACE "|" ";" models "${MODELS}")
set(entries "")
foreach(file IN LISTS models)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "      {\"${name}\", R\"model(${text})model\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made from the files of src/model/library/models; do not edit.
#include \"model/library/embedded_models.h\"

namespace stiffit::internal {

std::vector<EmbeddedModel> embedded_models() {
  return {
${entries}  };
}

}  // namespace stiffit::internal
")
