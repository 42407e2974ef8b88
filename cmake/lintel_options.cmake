# lintel_options: the compiler options of Lintel's own targets. Linked PRIVATE as
# $<BUILD_INTERFACE:lintel_options>, so they never reach a consumer.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH LINTEL_SOURCE_DIR)

add_library(lintel_options INTERFACE)
target_compile_features(lintel_options INTERFACE cxx_std_20)
target_compile_options(lintel_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # false with std::string + in g++ 12 (GCC bug 105329)
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${LINTEL_WERROR}>:-Werror>
  -fno-semantic-interposition)  # nobody replaces a function of liblintel.so: let it inline its own
target_include_directories(lintel_options INTERFACE ${LINTEL_SOURCE_DIR})
# How the installed libraries are linked. Functions of other libraries are looked up when a library
# is loaded: at their first calls this would delay the first contact of a process.
# Measure: bench/compare/builds BEFORE AFTER --only first-contact
set(LINTEL_LINK_RULES -Wl,-Bsymbolic-functions -Wl,-z,now)
if(NOT LINTEL_SANITIZE)
  # so that a missing layer is an error here, and not in the first program; with a sanitizer some
  # symbols are defined later
  list(APPEND LINTEL_LINK_RULES -Wl,-z,defs)
endif()
# How small structs of a message are cleared and copied. Both options are checked, because only some
# compilers and processors have them. The code still runs on every processor.
#   -mtune=skylake             clears them by plain stores of 16 bytes. g++ otherwise uses "rep
#                              stos" from 33 bytes on, which takes about forty cycles to start.
#   -fno-tree-slp-vectorize    does not gather neighbouring fields into vectors, which code that
#                              reads them one by one would have to take apart again.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-mtune=skylake LINTEL_TUNES_FOR_SKYLAKE)
check_cxx_compiler_flag(-fno-tree-slp-vectorize LINTEL_LEAVES_FIELDS_APART)
target_compile_options(lintel_options INTERFACE
  $<$<AND:$<BOOL:${LINTEL_TUNES_FOR_SKYLAKE}>,$<COMPILE_LANGUAGE:CXX>>:-mtune=skylake>
  $<$<AND:$<BOOL:${LINTEL_LEAVES_FIELDS_APART}>,$<COMPILE_LANGUAGE:CXX>>:-fno-tree-slp-vectorize>)
# The shipped files do not depend on the path of the source tree. Not with a profile, because its
# files would be searched under the other name.
check_cxx_compiler_flag(-ffile-prefix-map=a=b LINTEL_MAPS_FILE_NAMES)
if(LINTEL_MAPS_FILE_NAMES AND NOT LINTEL_PROFILE MATCHES "^(USE|RECORD)$")
  target_compile_options(lintel_options
    INTERFACE $<$<CONFIG:Release>:-ffile-prefix-map=${LINTEL_SOURCE_DIR}=.>)
endif()
if(LINTEL_SANITIZE)
  # -g1: lines, no more
  target_compile_options(lintel_options INTERFACE -fsanitize=${LINTEL_SANITIZE}
    -fno-omit-frame-pointer -g1)
  target_link_options(lintel_options INTERFACE -fsanitize=${LINTEL_SANITIZE})
  if(LINTEL_SANITIZE MATCHES "undefined")
    target_compile_options(lintel_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
if(LINTEL_COVERAGE)
  target_compile_options(lintel_options INTERFACE --coverage -O0)
  target_link_options(lintel_options INTERFACE --coverage)
endif()

# Optimises a target also in a debug tree, but for coverage. Programs stay at -O0: what they compute
# is little.
function(lintel_optimise_debug target)
  if(NOT LINTEL_COVERAGE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-Og>)
  endif()
endfunction()

# One static library per folder: lintel_layer(base SOURCES a.cpp HEADERS a.h LIBS lintel_x) makes
# lintel_base. It may include only what it links. Each of its headers must compile alone. Most do as
# the first include of their source; the others are compiled by the targets
# all_verify_interface_header_sets and lintel_headers.
function(lintel_layer name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;LIBS" ${ARGN})
  add_library(lintel_${name} STATIC ${arg_SOURCES})
  set(alone)
  set(compiled_first)
  foreach(header IN LISTS arg_HEADERS)
    string(REGEX REPLACE "\\.h$" ".cpp" source ${header})
    set(first)
    if(source IN_LIST arg_SOURCES)
      file(STRINGS ${source} first REGEX "^#include" LIMIT_COUNT 1)
    endif()
    file(RELATIVE_PATH path ${LINTEL_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    if(first STREQUAL "#include \"${path}\"")
      list(APPEND compiled_first ${header})
    else()
      list(APPEND alone ${header})
    endif()
  endforeach()
  target_sources(lintel_${name} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${LINTEL_SOURCE_DIR} FILES ${alone}
    FILE_SET compiled_first TYPE HEADERS BASE_DIRS ${LINTEL_SOURCE_DIR} FILES ${compiled_first})
  set_target_properties(lintel_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
    VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY HEADERS
    # layers end in one library: what is small on the way of a message is inlined across them
    INTERPROCEDURAL_OPTIMIZATION_RELEASE ON)
  target_compile_features(lintel_${name} PUBLIC cxx_std_20)
  target_link_libraries(lintel_${name} PUBLIC ${arg_LIBS} PRIVATE $<BUILD_INTERFACE:lintel_options>)
  if(LINTEL_BUILD_FUZZ)
    # programs other than fuzz targets are no worse for it
    target_compile_options(lintel_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(LINTEL_PROFILE_OPTIONS)
    target_compile_options(lintel_${name} PRIVATE ${LINTEL_PROFILE_OPTIONS})
    add_dependencies(lintel_${name} lintel_profile)
  endif()
  lintel_optimise_debug(lintel_${name})
endfunction()
