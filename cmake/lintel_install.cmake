# What `cmake --install` puts where, besides the tools: the shared libraries with their public headers, the CMake package "lintel",
# the pkg-config modules "lintel-portals3", "portals4" and "lintel-mpi". The headers of MPI have a folder of their own: others have an mpi.h too.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lintel)

install(TARGETS lintel portals3 portals4 EXPORT lintel_targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS lintel_mpi lintel_mpi_abi EXPORT lintel_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lintel/mpi)
install(EXPORT lintel_targets NAMESPACE lintel:: DESTINATION ${package_dir} FILE lintelTargets.cmake)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/lintelConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/lintelConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/lintelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lintelConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/lintelConfigVersion.cmake
  DESTINATION ${package_dir})

# The .pc file finds the tree from its own place, whatever the depth of the library folder; with absolute folders that is not possible.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(LINTEL_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(LINTEL_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(LINTEL_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" up ${up})
  set(LINTEL_PC_PREFIX "\${pcfiledir}/${up}")
  set(LINTEL_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(LINTEL_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# lintel_install_pc(<module> <description> <version> <library> [<folder of its headers>])
function(lintel_install_pc module description version library)
  set(headers "\${includedir}${ARGV4}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/module.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
lintel_install_pc(lintel-portals3 "Portals 3.3 on libfabric" ${PROJECT_VERSION} portals3)
lintel_install_pc(portals4 "Portals 4 on libfabric" 4.3.0 portals)
lintel_install_pc(lintel-mpi "MPI on libfabric" ${PROJECT_VERSION} lintel_mpi /lintel/mpi)
