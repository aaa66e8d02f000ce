# SPDX-License-Identifier: Apache-2.0
# How a room is built: every src/ROOM/**/*.cpp is the library stiffit_ROOM, every *_test.cpp beside
# it goes into the test program stiffit_ROOM_test. A room names the rooms above it and its libraries.
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
include(GoogleTest)

add_library(stiffit_settings INTERFACE)
target_compile_options(stiffit_settings INTERFACE -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -Wno-restrict: g++ 12 sees overlaps in sums of strings that are none (GCC PR 105651).
  target_compile_options(stiffit_settings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                         -Wno-sign-conversion -Wshadow -Wno-restrict -Werror)
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
  set(STIFFIT_TEST_PREFIX "sanitized/")  # tells the two builds' tests apart in one ctest run
endif()

if(STIFFIT_FUZZ)  # by clang alone, see fuzz/run
  target_compile_options(stiffit_settings INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -O2 -g1)
  target_link_options(stiffit_settings INTERFACE -fsanitize=address,undefined)
endif()

# Where tests find the project and the suites of others: only this file is told, so that all others
# compile to the same objects in every checkout, which a compiler cache then knows.
add_library(stiffit_places STATIC ${PROJECT_SOURCE_DIR}/tests/places.cpp)
target_compile_definitions(stiffit_places PRIVATE
  STIFFIT_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared" STIFFIT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_include_directories(stiffit_places PUBLIC ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(stiffit_places PUBLIC stiffit_settings GTest::gtest)

# stiffit_test(NAME SOURCES... LINK...): one gtest program, each of its tests known to ctest.
function(stiffit_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LINK} stiffit_places GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O1)  # the time of a test goes into building it
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${STIFFIT_TEST_PREFIX}"
    PROPERTIES TIMEOUT 600)
endfunction()

# stiffit_room(ROOM [PROGRAM_ONLY] [IN FOLDER] [EXCEPT SUBFOLDER] LINK...): the library and the tests
# of src/ROOM, less a subfolder that is a room of its own.
function(stiffit_room room)
  cmake_parse_arguments(R "PROGRAM_ONLY" "IN;EXCEPT" "LINK" ${ARGN})
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
    if(NOT R_PROGRAM_ONLY AND NOT STIFFIT_SANITIZE)  # which has no bindings
      # It goes into the shared library and the Python module as well; nobody puts other functions
      # in the place of its own, so that calls inside a file are as quick as in a program.
      set_target_properties(stiffit_${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_compile_options(stiffit_${target} PRIVATE -fno-semantic-interposition)
    endif()
    target_link_libraries(stiffit_${target} PUBLIC stiffit_settings ${R_LINK})
  else()  # headers only
    add_library(stiffit_${target} INTERFACE)
    target_link_libraries(stiffit_${target} INTERFACE stiffit_settings ${R_LINK})
  endif()
  if(tests)
    stiffit_test(stiffit_${target}_test SOURCES ${tests} LINK stiffit_${target})
  endif()
endfunction()
