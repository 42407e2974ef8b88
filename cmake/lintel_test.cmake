# How tests are added to CTest. One label says what a test needs, and sets its name and its time
# limit.
#   unit      no network, milliseconds
#   protocol  engine on a simulated network
#   fabric    networks in one process
#   system    several processes
#   fault     several processes, one of which misbehaves
#   package   the installed tree
#   script    scripts of the source tree
#   cost      optimised code: what one operation may cost
#   fuzz      libFuzzer, clang only
# More labels say where a test runs:
#   direct, net, tcp_ofi_rxm, shm  the network of a system or fault test
#   default  it names no network: direct, or what LINTEL_PROVIDER says
#   threads  several threads of one process use the library: for the thread sanitizer
#   slow     minutes, or gigabytes: not under sanitizers
#   parts    linked with parts of the libraries, not with what is shipped: asan runs it in place of
#            shipped
#   full     only tools/check --full runs it
# The time limit of unit, protocol and fabric tests is for a whole program. On a slow machine eight
# of them share two processors.
set(LINTEL_TESTS "" CACHE STRING "Build only the tests that have one of these labels; empty: all")
set(LINTEL_TIMEOUT_unit 200)
set(LINTEL_TIMEOUT_protocol 200)
set(LINTEL_TIMEOUT_fabric 300)
set(LINTEL_TIMEOUT_system 120)
set(LINTEL_TIMEOUT_fault 120)
set(LINTEL_TIMEOUT_fuzz 120)
set(LINTEL_TIMEOUT_package 300)
set(LINTEL_TIMEOUT_cost 200)
set(LINTEL_TIMEOUT_script 120)
set(LINTEL_TIMEOUT_slow 600)
if(LINTEL_SANITIZE)
  foreach(label unit protocol fabric)
    math(EXPR LINTEL_TIMEOUT_${label} "3 * ${LINTEL_TIMEOUT_${label}}")
  endforeach()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/lintel_networks.cmake)

# Sets `labels`, `properties` and `wanted` (by LINTEL_TESTS) in the caller from the arguments that
# all functions below share:
# LABEL <label> [SLOW] [THREADS] [PARTS] [FULL] [SERIAL] [POLLS] [PROCESSORS n] [NETWORK <network>]
# [TIMEOUT seconds] [ENVIRONMENT ...].
# SLOW, THREADS, PARTS and FULL add the labels of those names; SLOW also sets its time limit.
# TIMEOUT is a limit of the test's own. SERIAL tests run alone. Those with POLLS, whose processes
# never sleep, run one after the other beside the rest: side by side, each would wait for a message
# on the processor that the sender of that message needs.
macro(lintel_parse_test)
  cmake_parse_arguments(arg "SERIAL;POLLS;SLOW;THREADS;PARTS;FULL;TOGETHER"
    "LABEL;PROCESSORS;SHARDS;NETWORK;TIMEOUT" "SOURCES;LIBS;ENVIRONMENT;COMMAND;NEEDS" ${ARGN})
  if(NOT DEFINED LINTEL_TIMEOUT_${arg_LABEL})
    message(FATAL_ERROR "${name}: no time limit for the test label '${arg_LABEL}'")
  endif()
  set(properties TIMEOUT ${LINTEL_TIMEOUT_${arg_LABEL}})
  set(labels ${arg_LABEL})
  foreach(label SLOW THREADS PARTS FULL)
    if(arg_${label})
      string(TOLOWER ${label} label)
      list(APPEND labels ${label})
    endif()
  endforeach()
  if(arg_SLOW)
    set(properties TIMEOUT ${LINTEL_TIMEOUT_slow})
  endif()
  if(arg_TIMEOUT)
    set(properties TIMEOUT ${arg_TIMEOUT})
  endif()
  # sanitized ones judge no times
  if(arg_SERIAL AND NOT (LINTEL_SANITIZE AND arg_LABEL MATCHES "^(system|fault)$"))
    list(APPEND properties RUN_SERIAL ON)
  endif()
  if(arg_POLLS)
    list(APPEND properties RESOURCE_LOCK polled_processors)
  endif()
  if(arg_PROCESSORS)
    list(APPEND properties PROCESSORS ${arg_PROCESSORS})
  endif()
  set(choosing ${labels})
  if(arg_PARTS)
    list(REMOVE_ITEM choosing ${arg_LABEL})
  endif()
  lintel_wants(wanted ${choosing})
endmacro()

# lintel_wants(<variable> <label>...): whether LINTEL_TESTS has one of them.
function(lintel_wants variable)
  set(${variable} ON PARENT_SCOPE)
  if(LINTEL_TESTS)
    foreach(label IN LISTS ARGN)
      if(label IN_LIST LINTEL_TESTS)
        return()
      endif()
    endforeach()
    set(${variable} OFF PARENT_SCOPE)
  endif()
endfunction()

# lintel_precompile_headers(name): compiles the program with a precompiled header of what nearly
# every test includes.
function(lintel_precompile_headers name)
  if(NOT TARGET lintel_test_headers)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/lintel_test_headers.cpp CONTENT "")
    add_library(lintel_test_headers OBJECT ${PROJECT_BINARY_DIR}/lintel_test_headers.cpp)
    target_link_libraries(lintel_test_headers
      PRIVATE GTest::gtest GTest::gmock Threads::Threads $<BUILD_INTERFACE:lintel_options>)
    target_precompile_headers(lintel_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
      <algorithm> <array> <chrono> <functional> <map> <memory> <optional> <span> <string> <thread>
      <vector>)
  endif()
  target_precompile_headers(${name} REUSE_FROM lintel_test_headers)
endfunction()

# lintel_add_fixture(name SOURCES ... LIBS ...): what several test programs share. Optimised, unlike
# these: it makes the bytes that are sent, and runs a simulated network.
function(lintel_add_fixture name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LIBS} GTest::gtest $<BUILD_INTERFACE:lintel_options>)
  lintel_optimise_debug(${name})
endfunction()

# lintel_add_test(name LABEL <label> SOURCES ... [LIBS ...] [TOGETHER] [SHARDS n], and the arguments
# of lintel_parse_test)
# A GoogleTest program. CTest runs its cases as "<label>.<Suite>.<Case>". Unit, protocol and fabric
# tests, and others with TOGETHER, run all their cases in one process, as "<label>.<name>". With
# SHARDS they run as n parts that may run at the same time, as "<label>.<name>.1" and so on. If
# LINTEL_TESTS does not name a program, it is a target that nothing builds.
function(lintel_add_test name)
  lintel_parse_test(${ARGN})
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gtest GTest::gmock GTest::gtest_main
    Threads::Threads
    $<BUILD_INTERFACE:lintel_options>)
  lintel_precompile_headers(${name})
  if(NOT wanted)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  if(arg_TOGETHER OR arg_LABEL MATCHES "^(unit|protocol|fabric)$")
    # There are thousands of short cases. To start a program for each, with libfabric and all that
    # it loads, would take longer than the cases.
    if(NOT arg_SHARDS)
      set(arg_SHARDS 1)
    endif()
    if(arg_LABEL MATCHES "^(system|fault)$")
      list(APPEND labels direct default)
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
      set_tests_properties(${test} PROPERTIES LABELS "${labels}"
        ENVIRONMENT "${environment}" ${properties})
    endforeach()
    return()
  endif()
  # A script sets the properties, because gtest_discover_tests splits lists among them, and because
  # only the name of a case tells its network.
  gtest_discover_tests(${name} TEST_PREFIX "${arg_LABEL}." DISCOVERY_TIMEOUT 60
    TEST_LIST ${name}_cases)
  list(JOIN properties " " property_words)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake)
  file(WRITE ${script}
    "include(${PROJECT_SOURCE_DIR}/cmake/lintel_networks.cmake)\n"
    "foreach(case IN LISTS ${name}_cases)\n"
    "  lintel_network_labels(more \"\${case}\")\n"
    "  set_tests_properties(\"\${case}\" PROPERTIES LABELS \"${labels};\${more}\""
    " ENVIRONMENT \"${arg_ENVIRONMENT}\"\n    ${property_words})\n"
    "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

add_custom_target(lintel_test_needs ALL COMMENT "What tests start")

# lintel_add_test_program(name SOURCES ... [LIBS ...])
# A program that tests start. It is built if one of these tests is: its name is in the COMMAND, the
# TARGET_FILE or the NEEDS of a test.
function(lintel_add_test_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} $<BUILD_INTERFACE:lintel_options>)
  if(LINTEL_SANITIZE)
    # the libraries need the sanitizer's part for C++
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()

# lintel_build_with_tests(<word>...): lintel_test_needs builds the targets that are words of a
# command, or whose TARGET_FILE is part of one.
function(lintel_build_with_tests)
  foreach(word IN LISTS ARGN)
    if(word MATCHES "\\$<TARGET_FILE:([^>]+)>")
      set(word ${CMAKE_MATCH_1})
    endif()
    if(TARGET ${word})
      add_dependencies(lintel_test_needs ${word})
    endif()
  endforeach()
endfunction()

# lintel_add_command_test(name LABEL <label> COMMAND ..., and the arguments of lintel_parse_test)
# Any command as the test "<label>.<name>": passes with exit code 0, counts as skipped with 77.
# NEEDS: targets that it needs and does not name.
# A system or fault test runs on NETWORK, which is then in its environment and must be in its name;
# else on the default.
function(lintel_add_command_test name)
  lintel_parse_test(${ARGN})
  if(NOT wanted)
    return()
  endif()
  set(test ${arg_LABEL}.${name})
  if(arg_NETWORK)
    string(REPLACE "tcp_" "tcp\\;" provider ${arg_NETWORK})
    list(APPEND arg_ENVIRONMENT "LINTEL_PROVIDER=${provider}")
  endif()
  if(arg_LABEL MATCHES "^(system|fault)$")
    lintel_network_labels(more ${test})
    list(APPEND labels ${more})
    if(arg_NETWORK AND NOT arg_NETWORK IN_LIST more)
      message(FATAL_ERROR "${test}: runs on ${arg_NETWORK}, which its name does not say")
    endif()
  endif()
  lintel_build_with_tests(${arg_COMMAND} ${arg_NEEDS})
  add_test(NAME ${test} COMMAND ${arg_COMMAND})
  set_tests_properties(${test} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77
    ENVIRONMENT "${arg_ENVIRONMENT}" ${properties})
endfunction()

# lintel_list_clauses(<variable> <script>)
# The clauses of a test script in Python, as its option --list prints them. They are listed again
# when the script or a module beside it changes. REQUIRES: Python3.
function(lintel_list_clauses variable script)
  cmake_path(GET script PARENT_PATH folder)
  file(GLOB modules ${folder}/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${modules})
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${script} --list OUTPUT_VARIABLE clauses
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" clauses "${clauses}")
  set(${variable} ${clauses} PARENT_SCOPE)
endfunction()

# lintel_add_fuzzer(name SOURCES ... [LIBS ...])
# A libFuzzer program. CTest runs it as "fuzz.<name>" for LINTEL_FUZZ_SECONDS, starting from the
# files in corpus/<name>, if there are any.
function(lintel_add_fuzzer name)
  lintel_parse_test(LABEL fuzz ${ARGN})
  if(NOT LINTEL_BUILD_FUZZ OR NOT wanted)
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
  add_test(NAME fuzz.${name} COMMAND ${name} -max_total_time=${LINTEL_FUZZ_SECONDS} -timeout=10
    -rss_limit_mb=2048 -print_final_stats=1
    -artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/found/ ${corpus})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endfunction()
