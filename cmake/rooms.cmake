# SPDX-License-Identifier: Apache-2.0
# How a room is built: every src/ROOM/**/*.cpp is the library stiffit_ROOM, every *_test.cpp beside
# it goes into the test program stiffit_ROOM_test. A room names the rooms above it and its libraries.
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
include(GoogleTest)

add_library(stiffit_settings INTERFACE)
target_compile_options(stiffit_settings INTERFACE -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -Wno-restrict and the three behind it: in sums of strings g++ 12 sees overlaps, endless lengths and
  # ends passed that are none (GCC PR 105651). The sanitized build watches bounds.
  target_compile_options(stiffit_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                         -Wno-sign-conversion -Wshadow -Wno-restrict -Wno-array-bounds
                         -Wno-stringop-overread -Wno-stringop-overflow -Werror)
else()  # warnings are judged by g++
  target_compile_options(stiffit_settings INTERFACE -w)
endif()
target_include_directories(stiffit_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(stiffit_settings INTERFACE Threads::Threads)
if(STIFFIT_SANITIZE)
  target_compile_options(stiffit_settings INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1
                         -D_GLIBCXX_ASSERTIONS)
  target_link_options(stiffit_settings INTERFACE -fsanitize=address,undefined)
  # Programs at a fixed place: what the sanitizers note of every line is not moved at each start, of
  # which the tests have thousands.
  set(type $<TARGET_PROPERTY:TYPE>)
  target_compile_options(stiffit_settings INTERFACE
                         $<$<NOT:$<STREQUAL:${type},MODULE_LIBRARY>>:-fno-pie>)
  target_link_options(stiffit_settings INTERFACE $<$<STREQUAL:${type},EXECUTABLE>:-no-pie>)
  set(STIFFIT_TEST_PREFIX "sanitized/")  # tells the two builds' tests apart in one ctest run
endif()

if(STIFFIT_FUZZ)  # by clang alone, see fuzz/run
  target_compile_options(stiffit_settings INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -O2 -g1)
  target_link_options(stiffit_settings INTERFACE -fsanitize=address,undefined)
endif()

# The headers of the standard library that most files read, compiled once for each set of compiler
# settings instead of some 400 times: a quarter of the processor time of a build. Files still include
# what they use. The settings of a file that has its own are not those of these headers, which would
# win (g++): such files have SKIP_PRECOMPILE_HEADERS.
set(stiffit_standard_headers <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string>
    <string_view> <unordered_map> <utility> <variant> <vector>)

# stiffit_precompile(TARGET KIND [PIC] [OPTIONS...] [HEADERS...] [LINK...]): TARGET reads the headers
# of its KIND, which all targets of that kind share.
function(stiffit_precompile target kind)
  cmake_parse_arguments(P "PIC" "" "OPTIONS;HEADERS;LINK" ${ARGN})
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(shared stiffit_headers_${kind})
  if(NOT TARGET ${shared})
    add_library(${shared} OBJECT ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
    set_target_properties(${shared} PROPERTIES EXCLUDE_FROM_ALL ON)
    target_compile_options(${shared} PRIVATE ${P_OPTIONS})
    if(P_PIC)
      set_target_properties(${shared} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_link_libraries(${shared} PRIVATE stiffit_settings ${P_LINK})
    target_precompile_headers(${shared} PRIVATE ${stiffit_standard_headers} ${P_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# stiffit_join(TARGET MOST SOURCES...): MOST files of one folder at a time are compiled as one, which
# reads their headers and makes the functions of their templates once: about a quarter of the
# processor time of a build. A change of one file compiles its batch again, so batches are small. A file that defines
# macros, sets pragmas or has compiler settings of its own is compiled alone, so that no other file
# gets them. -DSTIFFIT_UNITY=OFF: every file alone.
function(stiffit_join target most)
  if(NOT STIFFIT_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders "")
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(folder ${path} DIRECTORY)
    set(own "")
    if(EXISTS ${path})
      file(STRINGS ${path} own REGEX "^ *# *(define|pragma) " LIMIT_COUNT 1)
    endif()
    if(EXISTS ${path} AND NOT own)
      string(MD5 folder ${folder})
      list(APPEND folders ${folder})
      list(APPEND files_${folder} ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(batch 0)
  foreach(folder IN LISTS folders)
    # As many in each batch of the folder, but for one.
    list(LENGTH files_${folder} count)
    math(EXPR batches "(${count} + ${most} - 1) / ${most}")
    math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
    set(place 0)
    foreach(source IN LISTS files_${folder})
      math(EXPR number "${batch} + ${place} / ${size}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${number})
      math(EXPR place "${place} + 1")
    endforeach()
    math(EXPR batch "${batch} + ${batches}")
  endforeach()
endfunction()

# Where tests find the project and the suites of others: only this file is told, so that all others
# compile to the same objects in every checkout, which a compiler cache then knows.
add_library(stiffit_places STATIC ${PROJECT_SOURCE_DIR}/tests/places.cpp)
target_compile_definitions(stiffit_places PRIVATE
  STIFFIT_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared" STIFFIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_include_directories(stiffit_places PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(stiffit_places PUBLIC stiffit_settings GTest::gtest)

# stiffit_test(NAME [ALONE] SOURCES... LINK...): one gtest program, each of its tests known to ctest.
# ALONE: its files have names in common, so that each is compiled alone.
function(stiffit_test name)
  cmake_parse_arguments(T "ALONE" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LINK} stiffit_places GTest::gtest_main)
  if(NOT T_ALONE)
    stiffit_join(${name} 4 ${T_SOURCES})
  endif()
  target_compile_options(${name} PRIVATE -O1)  # the time of a test goes into building it
  stiffit_precompile(${name} tests OPTIONS -O1 HEADERS <gtest/gtest.h> LINK GTest::gtest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${STIFFIT_TEST_PREFIX}"
    PROPERTIES TIMEOUT 600)
endfunction()

# stiffit_room(ROOM [PROGRAM_ONLY] [LIGHT] [TESTS_ALONE] [IN FOLDER] [EXCEPT SUBFOLDER] [HEADERS...] LINK...): the
# library and the tests of src/ROOM, less a subfolder that is a room of its own. LIGHT: it reads,
# writes or commands and computes nothing, so that -O1 is enough. HEADERS: further ones that many of
# its files read.
function(stiffit_room room)
  cmake_parse_arguments(R "PROGRAM_ONLY;LIGHT;TESTS_ALONE" "IN;EXCEPT" "HEADERS;LINK" ${ARGN})
  if(NOT R_IN)
    set(R_IN ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  string(REPLACE "/" "_" target ${room})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${R_IN}/${room}/*.cpp)
  if(R_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/${room}/${R_EXCEPT}/")
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(stiffit_${target} STATIC ${sources})
    set(options "")
    set(kind heavy)
    set(batch 6)
    if(R_LIGHT)
      set(options -O1)
      set(kind light)
      set(batch 8)
    endif()
    stiffit_join(stiffit_${target} ${batch} ${sources})
    set(pic "")
    if(NOT R_PROGRAM_ONLY AND NOT STIFFIT_SANITIZE)  # which has no bindings
      # It goes into the shared library and the Python module as well; nobody puts other functions
      # in the place of its own, so that calls inside a file are as quick as in a program.
      set(pic PIC)
      set_target_properties(stiffit_${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      list(APPEND options -fno-semantic-interposition)
    endif()
    target_compile_options(stiffit_${target} PRIVATE ${options})
    target_link_libraries(stiffit_${target} PUBLIC stiffit_settings ${R_LINK})
    if(R_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_precompile_headers(stiffit_${target} PRIVATE ${stiffit_standard_headers} ${R_HEADERS})
    elseif(NOT R_HEADERS)
      stiffit_precompile(stiffit_${target} ${kind} OPTIONS ${options} ${pic})
    endif()
  else()  # headers only
    add_library(stiffit_${target} INTERFACE)
    target_link_libraries(stiffit_${target} INTERFACE stiffit_settings ${R_LINK})
  endif()
  if(tests)
    set(alone "")
    if(R_TESTS_ALONE)
      set(alone ALONE)
    endif()
    stiffit_test(stiffit_${target}_test ${alone} SOURCES ${tests} LINK stiffit_${target})
  endif()
endfunction()
