# What `cmake --install` installs, besides the tools: the shared libraries with their public
# headers, the CMake package "lintel", the pkg-config modules "lintel-portals3", "portals4" and
# "lintel-mpi". The headers of MPI have a folder of their own, because other MPI implementations
# also have an mpi.h.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lintel)

# An installed tree may be moved: its files find their libraries relative to their own place
# ($ORIGIN). A package of a system omits that, because the linker searches its library folder.
# Libraries that only Lintel's own programs load are in a folder of their own in both cases.
option(LINTEL_INSTALL_RPATH
  "Installed programs and libraries find the libraries of their tree from their own place" ON)

# lintel_rpath(<targets> IN <their folder> FIND <library folders>): sets the run path of those of
# the targets that exist.
function(lintel_rpath)
  cmake_parse_arguments(arg "" "IN" "FIND" ${ARGN})
  set(path)
  foreach(folder IN LISTS arg_FIND)
    if(IS_ABSOLUTE "${arg_IN}" OR IS_ABSOLUTE "${folder}")
      cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
      list(APPEND path ${folder})
    elseif(arg_IN STREQUAL folder)
      list(APPEND path $ORIGIN)
    else()
      file(RELATIVE_PATH way /prefix/${arg_IN} /prefix/${folder})
      string(REGEX REPLACE "/$" "" way ${way})
      list(APPEND path $ORIGIN/${way})
    endif()
  endforeach()
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "${path}")
    endif()
  endforeach()
endfunction()
set(searched ${CMAKE_INSTALL_LIBDIR})
if(NOT LINTEL_INSTALL_RPATH)
  set(searched)
endif()
lintel_rpath(lintel_info lintel_run impi_server IN ${CMAKE_INSTALL_BINDIR} FIND ${searched})
lintel_rpath(lintel_perf IN ${CMAKE_INSTALL_BINDIR} FIND ${searched} ${CMAKE_INSTALL_LIBDIR}/lintel)
lintel_rpath(lintel portals3 portals4 lintel_mpi lintel_mpi_abi IN ${CMAKE_INSTALL_LIBDIR}
  FIND ${searched})
lintel_rpath(lintel_perf_api4 IN ${CMAKE_INSTALL_LIBDIR}/lintel FIND ${searched})
lintel_rpath(lintel_openmpi IN ${CMAKE_INSTALL_LIBDIR}/lintel/openmpi FIND ${searched})
# A libfabric outside of the folders that the linker searches.
set_target_properties(lintel PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

install(TARGETS lintel portals3 portals4 EXPORT lintel_targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS lintel_mpi lintel_mpi_abi EXPORT lintel_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lintel/mpi)
install(EXPORT lintel_targets NAMESPACE lintel:: DESTINATION ${package_dir}
  FILE lintelTargets.cmake)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lintelConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/lintelConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/lintelConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lintelConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/lintelConfigVersion.cmake
  DESTINATION ${package_dir})

# If the linker does not search the library folder, the .pc file gives a program that is linked by
# it the path of that folder. The .pc file finds the tree relative to its own place, at any depth of
# the library folder; with absolute folders this is not possible. Only the prefix of the
# installation decides which of the two applies, so a file is made for each.
# lintel_install_pc(<module> <description> <version> <library> [<folder of its headers>])
function(lintel_install_pc module description version library)
  set(headers "\${includedir}${ARGV4}")
  set(libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" prefix "\${pcfiledir}/${up}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(prefix ${CMAKE_INSTALL_PREFIX})
    set(libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  endif()
  set(rpath " -Wl,-rpath,\${libdir}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/module.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/pkgconfig/elsewhere/${module}.pc @ONLY)
  set(prefix /usr)
  set(rpath)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/module.pc.in
    ${CMAKE_CURRENT_BINARY_DIR}/pkgconfig/system/${module}.pc @ONLY)
endfunction()
lintel_install_pc(lintel-portals3 "Portals 3.3 on libfabric" ${PROJECT_VERSION} portals3)
lintel_install_pc(portals4 "Portals 4 on libfabric" 4.3.0 portals)
lintel_install_pc(lintel-mpi "MPI on libfabric" ${PROJECT_VERSION} lintel_mpi /lintel/mpi)
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/pkgconfig/install.cmake @ONLY CONTENT [[
set(folder "@CMAKE_INSTALL_LIBDIR@")
cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
set(place elsewhere)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(place system)
endif()
file(INSTALL DESTINATION "${folder}/pkgconfig" TYPE DIRECTORY
  FILES "@CMAKE_CURRENT_BINARY_DIR@/pkgconfig/${place}/")
]])
install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/pkgconfig/install.cmake)
