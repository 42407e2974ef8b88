# How tests join CTest: one label says what a test needs, and from it follow its name and its time limit.
#   unit      no network, milliseconds          system    several processes
#   protocol  engine on a simulated network     fault     several processes, one of which misbehaves
#   fabric    networks in one process           fuzz      libFuzzer, clang only
#   package   the installed tree                slow      minutes, or gigabytes
# Of unit and protocol tests it is the limit of a whole program. On a slow machine eight of them share two processors.
set(LINTEL_TIMEOUT_unit 200)
set(LINTEL_TIMEOUT_protocol 200)
set(LINTEL_TIMEOUT_fabric 60)
set(LINTEL_TIMEOUT_system 120)
set(LINTEL_TIMEOUT_fault 120)
set(LINTEL_TIMEOUT_fuzz 120)
set(LINTEL_TIMEOUT_package 300)
set(LINTEL_TIMEOUT_slow 600)
if(LINTEL_SANITIZE)
  foreach(label unit protocol)
    math(EXPR LINTEL_TIMEOUT_${label} "3 * ${LINTEL_TIMEOUT_${label}}")
  endforeach()
endif()

# Sets `properties` in the caller from the arguments that all the functions below share:
# LABEL <label> [SLOW] [SERIAL] [LOCK <what>] [PROCESSORS n] [ENVIRONMENT ...]. SLOW adds the label "slow", with its time limit, to the test's own.
# SERIAL tests run alone, those with the same LOCK one after the other.
macro(lintel_parse_test)
  cmake_parse_arguments(arg "SERIAL;SLOW" "LABEL;LOCK;PROCESSORS;SHARDS" "SOURCES;LIBS;ENVIRONMENT;COMMAND" ${ARGN})
  if(NOT DEFINED LINTEL_TIMEOUT_${arg_LABEL})
    message(FATAL_ERROR "${name}: no time limit for the test label '${arg_LABEL}'")
  endif()
  set(properties TIMEOUT ${LINTEL_TIMEOUT_${arg_LABEL}})
  set(labels ${arg_LABEL})
  if(arg_SLOW)
    set(properties TIMEOUT ${LINTEL_TIMEOUT_slow})
    list(APPEND labels slow)
  endif()
  if(arg_SERIAL AND NOT (LINTEL_SANITIZE AND arg_LABEL MATCHES "^(system|fault)$"))  # sanitized ones judge no times
    list(APPEND properties RUN_SERIAL ON)
  endif()
  if(arg_LOCK)
    list(APPEND properties RESOURCE_LOCK ${arg_LOCK})
  endif()
  if(arg_PROCESSORS)
    list(APPEND properties PROCESSORS ${arg_PROCESSORS})
  endif()
endmacro()

# lintel_precompile_headers(name): the program starts from what nearly every test includes, compiled once. Not in the clang preset, so that a header
# that a test forgot to include is missed there.
function(lintel_precompile_headers name)
  if(NOT TARGET lintel_test_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/lintel_test_headers.cpp CONTENT "")
    add_library(lintel_test_headers OBJECT ${PROJECT_BINARY_DIR}/lintel_test_headers.cpp)
    target_link_libraries(lintel_test_headers PRIVATE GTest::gtest GTest::gmock Threads::Threads $<BUILD_INTERFACE:lintel_options>)
    target_precompile_headers(lintel_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
      <algorithm> <array> <chrono> <functional> <map> <memory> <optional> <span> <string> <thread> <vector>)
  endif()
  target_precompile_headers(${name} REUSE_FROM lintel_test_headers)
endfunction()

# lintel_has_threads(<variable> <source>...): whether one of them includes <thread>. What is no C++ file is not looked at.
function(lintel_has_threads variable)
  list(FILTER ARGN INCLUDE REGEX "^[^<>]*\\.cpp$")
  set(${variable} OFF PARENT_SCOPE)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} included REGEX "^#include <thread>$" LIMIT_COUNT 1)
    if(included)
      set(${variable} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# lintel_add_test(name LABEL <label> SOURCES ... [LIBS ...] [SLOW] [SERIAL] [PROCESSORS n] [SHARDS n] [ENVIRONMENT ...])
# A GoogleTest program. Its cases run under CTest as "<label>.<Suite>.<Case>"; those of unit and protocol tests all in one, as "<label>.<name>", or with SHARDS
# in so many parts that may run at the same time, as "<label>.<name>.1" and so on. With the thread sanitizer there are of these only those that include <thread>.
function(lintel_add_test name)
  lintel_parse_test(${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest GTest::gmock GTest::gtest_main Threads::Threads
    $<BUILD_INTERFACE:lintel_options>)
  lintel_precompile_headers(${name})
  if(arg_LABEL MATCHES "^(unit|protocol)$")
    lintel_has_threads(threads ${arg_SOURCES})
    if(LINTEL_SANITIZE STREQUAL "thread" AND NOT threads)
      set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)  # one thread has nothing for this sanitizer to find
      return()
    endif()
    # Thousands of short cases: starting a program, with libfabric and all that it loads, for each would take longer than they do.
    if(NOT arg_SHARDS)
      set(arg_SHARDS 1)
    endif()
    foreach(shard RANGE 1 ${arg_SHARDS})
      set(test ${arg_LABEL}.${name})
      set(environment ${arg_ENVIRONMENT})
      if(arg_SHARDS GREATER 1)
        string(APPEND test .${shard})
        math(EXPR index "${shard} - 1")
        list(APPEND environment GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index})
      endif()
      add_test(NAME ${test} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${test} PROPERTIES LABELS "${labels}" ENVIRONMENT "${environment}" ${properties})
    endforeach()
    return()
  endif()
  # The properties are set by a script of our own: gtest_discover_tests takes lists among them apart.
  gtest_discover_tests(${name} TEST_PREFIX "${arg_LABEL}." DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_cases)
  list(JOIN properties " " property_words)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake)
  file(WRITE ${script}
    "if(${name}_cases)\n"
    "  set_tests_properties(\${${name}_cases} PROPERTIES LABELS \"${labels}\" ENVIRONMENT \"${arg_ENVIRONMENT}\"\n    ${property_words})\n"
    "endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# lintel_add_command_test(name LABEL <label> COMMAND ... [SLOW] [SERIAL] [PROCESSORS n] [ENVIRONMENT ...])
# Any command as the test "<label>.<name>": passes with exit code 0, counts as skipped with 77.
function(lintel_add_command_test name)
  lintel_parse_test(${ARGN})
  add_test(NAME ${arg_LABEL}.${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${arg_LABEL}.${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77 ENVIRONMENT "${arg_ENVIRONMENT}" ${properties})
endfunction()

# lintel_list_clauses(<variable> <script>)
# The clauses that a test script in Python has, as it lists them with --list; asked again when it or a module beside it changes. REQUIRES: Python3.
function(lintel_list_clauses variable script)
  cmake_path(GET script PARENT_PATH folder)
  file(GLOB modules ${folder}/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${modules})
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${script} --list OUTPUT_VARIABLE clauses OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" clauses "${clauses}")
  set(${variable} ${clauses} PARENT_SCOPE)
endfunction()

# lintel_add_fuzzer(name SOURCES ... [LIBS ...])
# A libFuzzer program. CTest runs it as "fuzz.<name>" for LINTEL_FUZZ_SECONDS, starting from the files in corpus/<name>, if there are any.
function(lintel_add_fuzzer name)
  lintel_parse_test(LABEL fuzz ${ARGN})
  if(NOT LINTEL_BUILD_FUZZ)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} $<BUILD_INTERFACE:lintel_options>)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  set(corpus ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
    list(APPEND corpus ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  endif()
  math(EXPR timeout "${LINTEL_FUZZ_SECONDS} + ${LINTEL_TIMEOUT_fuzz}")
  add_test(NAME fuzz.${name} COMMAND ${name} -max_total_time=${LINTEL_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/found/ ${corpus})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endfunction()
