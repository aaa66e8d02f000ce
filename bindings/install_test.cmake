# SPDX-License-Identifier: Apache-2.0
# Installs everything below the build folder, builds examples/cpp against that, runs it, and looks
# whether the program, its manual page, completions and the Python package are where they belong.
function(run out)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE complained
                  RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${code}\n${said}${complained}")
  endif()
  set(${out} "${said}" PARENT_SCOPE)
endfunction()

set(prefix ${BUILD}/installed)
set(example ${BUILD}/installed-example)
file(REMOVE_RECURSE ${prefix} ${example})
run(said ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file bin/stiffit include/stiffit/stiffit.h share/man/man1/stiffit.1
        share/bash-completion/completions/stiffit share/zsh/site-functions/_stiffit
        share/fish/vendor_completions.d/stiffit.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

run(said ${CMAKE_COMMAND} -S ${SOURCE}/examples/cpp -B ${example} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix})
run(said ${CMAKE_COMMAND} --build ${example})
run(said ${example}/enzyme ${SOURCE}/examples/escep)
if(NOT said MATCHES "P after 1200 s: [0-9.]+ mM" OR NOT said MATCHES "k1 +1\\.[23]" OR
   NOT said MATCHES "k2 +0\\.4[12]")
  message(FATAL_ERROR "the example says\n${said}")
endif()
message("${said}")

# Public headers name nothing that is not installed with them.
file(GLOB headers ${prefix}/include/stiffit/*.h)
foreach(header IN LISTS headers)
  file(STRINGS ${header} includes REGEX "#include")
  foreach(line IN LISTS includes)
    if(NOT line MATCHES "#include (<[a-z]+>|\"stiffit/[a-z]+\\.h\")$")
      message(FATAL_ERROR "${header}: ${line}")
    endif()
  endforeach()
endforeach()

if(PYTHON_FOLDER)
  run(said ${CMAKE_COMMAND} -E env --unset=PYTHONPATH PYTHONPATH=${prefix}/${PYTHON_FOLDER}
      PYTHONDONTWRITEBYTECODE=1 ${PYTHON} -c
      "import stiffit\nprint(stiffit.__file__, stiffit.load('oregonator').simulate())")
  if(NOT said MATCHES "${prefix}")
    message(FATAL_ERROR "Python imports ${said}")
  endif()
endif()
