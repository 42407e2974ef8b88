# lintel_headers: compiles each header of Lintel alone, as all_verify_interface_header_sets does, in
# a third of the time, because headers of other projects are precompiled. It finds a missing include
# of a header of Lintel. Only all_verify_interface_header_sets also finds a missing include of the
# standard library. Public headers are compiled without the precompiled header, because programs
# include them first.
set(LINTEL_HEADERS_OF_OTHERS
  <algorithm> <array> <atomic> <bit> <chrono> <compare> <condition_variable> <cstddef> <cstdint>
  <cstring> <deque> <functional> <limits> <list> <map> <memory> <mutex> <optional> <random> <set>
  <span> <stdexcept> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant>
  <vector>
  <boost/container/small_vector.hpp> <boost/intrusive/list.hpp> <boost/intrusive/set.hpp>
  <boost/intrusive/slist.hpp>)

add_library(lintel_headers OBJECT EXCLUDE_FROM_ALL)
target_precompile_headers(lintel_headers PRIVATE ${LINTEL_HEADERS_OF_OTHERS})
target_compile_options(lintel_headers PRIVATE -O0 -g0)  # nobody runs them
set_target_properties(lintel_headers PROPERTIES UNITY_BUILD OFF)

# lintel_add_headers(<folder>): adds the headers of the targets in that folder and below.
function(lintel_add_headers folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(verified ${target} VERIFY_INTERFACE_HEADER_SETS)
    if(NOT verified)
      continue()
    endif()
    target_link_libraries(lintel_headers PRIVATE ${target})
    get_target_property(headers ${target} HEADER_SET)
    get_target_property(base ${target} HEADER_DIRS)
    foreach(header IN LISTS headers)
      cmake_path(ABSOLUTE_PATH header BASE_DIRECTORY ${folder})
      file(RELATIVE_PATH path ${base} ${header})
      set(source ${PROJECT_BINARY_DIR}/lintel_headers/${path}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include <${path}>\n")
      target_sources(lintel_headers PRIVATE ${source})
      if(NOT base STREQUAL PROJECT_SOURCE_DIR)
        set_source_files_properties(${source} TARGET_DIRECTORY lintel_headers
          PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below IN LISTS folders)
    lintel_add_headers(${below})
  endforeach()
endfunction()
foreach(layer base transport portals mpi_layer)
  lintel_add_headers(${PROJECT_SOURCE_DIR}/${layer})
endforeach()
