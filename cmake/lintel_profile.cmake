# LINTEL_PROFILE: compiles the libraries with a profile of messages. The cost of a message is mostly
# code that is not in the processor's cache, so the place of that code, and what is inlined, matter
# more than the number of instructions.
#
#   OFF     no profile. Packages are built this way: their build must not run programs for half a
#           minute, and two builds with counted profiles would not give the same bytes.
#   USE     builds a second tree first, build/X/profile, with counters. Its lintel-perf and an MPI
#           program run for half a minute over loopback (lintel_train.cmake). Then the libraries of
#           this tree are compiled with the counts. This happens once: to count again, remove the
#           second tree and build again. Functions that have changed since then have no counts.
#   RECORD  the second tree
#
# GCC only; other compilers build as with OFF.
set(LINTEL_PROFILE OFF CACHE STRING
  "Compile the libraries with a profile of their own: OFF, USE or RECORD")
set_property(CACHE LINTEL_PROFILE PROPERTY STRINGS OFF USE RECORD)
if(NOT LINTEL_PROFILE MATCHES "^(OFF|USE|RECORD)$")
  message(FATAL_ERROR "LINTEL_PROFILE is \"${LINTEL_PROFILE}\"; expected OFF, USE or RECORD")
endif()
if(LINTEL_PROFILE STREQUAL "OFF")
  return()
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12 OR
    CMAKE_CROSSCOMPILING)
  message(STATUS "Left out, needs g++ 12 and programs that run here: the profile of the libraries")
  return()
endif()

# Names in the profile are relative to the tree, because another tree uses them.
if(LINTEL_PROFILE STREQUAL "RECORD")
  set(record -fprofile-generate=${PROJECT_BINARY_DIR}/counted
    -fprofile-prefix-path=${PROJECT_BINARY_DIR} -fprofile-update=prefer-atomic)
  target_compile_options(lintel_options INTERFACE ${record})
  target_link_options(lintel_options INTERFACE ${record})
  return()
endif()

set(lintel_profile_tree ${PROJECT_BINARY_DIR}/profile)
block()
  set(inherited)
  foreach(name CMAKE_BUILD_TYPE CMAKE_MAKE_PROGRAM CMAKE_C_COMPILER CMAKE_CXX_COMPILER
      CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
      CMAKE_C_FLAGS CMAKE_CXX_FLAGS CMAKE_PREFIX_PATH)
    if(DEFINED ${name})
      string(REPLACE ";" "\\;" value "${${name}}")
      list(APPEND inherited "-D${name}=${value}")
    endif()
  endforeach()
  add_custom_command(OUTPUT ${lintel_profile_tree}/trained
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${lintel_profile_tree}
      -G ${CMAKE_GENERATOR} ${inherited}
      -DLINTEL_PROFILE=RECORD -DLINTEL_BUILD_TOOLS=ON -DLINTEL_BUILD_TESTS=OFF
      -DLINTEL_BUILD_BENCH=OFF
    COMMAND ${CMAKE_COMMAND} --build ${lintel_profile_tree}
      --target lintel_perf lintel_run lintel_mpi
    COMMAND ${CMAKE_COMMAND} -DTREE=${lintel_profile_tree} -DSOURCE=${PROJECT_SOURCE_DIR}
      -P ${PROJECT_SOURCE_DIR}/cmake/lintel_train.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${lintel_profile_tree}/trained
    COMMENT
      "Profile of the libraries: building them with counters and running them for half a minute"
      VERBATIM)
  add_custom_target(lintel_profile DEPENDS ${lintel_profile_tree}/trained)
endblock()

# Functions that are not in the profile are compiled as without a profile.
set(LINTEL_PROFILE_OPTIONS -fprofile-use=${lintel_profile_tree}/counted
  -fprofile-prefix-path=${PROJECT_BINARY_DIR} -fprofile-partial-training
  # most of what was counted is waiting: the code of a message must not count as cold beside it
  --param=hot-bb-count-ws-permille=999
  -Wno-missing-profile -Wno-coverage-mismatch)
