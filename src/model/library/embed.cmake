# SPDX-License-Identifier: Apache-2.0
# The model texts become part of the program.
file(GLOB models CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/models/*.rxn)
string(REPLACE ";" "|" model_list "${models}")
set(embedded ${CMAKE_CURRENT_BINARY_DIR}/embedded_models.cpp)
set(script ${PROJECT_SOURCE_DIR}/cmake/embed_models.cmake)
add_custom_command(
  OUTPUT ${embedded}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded} "-DMODELS=${model_list}" -P ${script}
  DEPENDS ${models} ${script}
  VERBATIM)
target_sources(stiffit_model PRIVATE ${embedded})
