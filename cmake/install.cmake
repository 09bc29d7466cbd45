# cmake --install: headers (each stage installs its own), library, command, man page, CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS pssc EXPORT pssc-targets COMPONENT development)
install(TARGETS pssc_command)
install(FILES docs/pssc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(EXPORT pssc-targets NAMESPACE pssc:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pssc COMPONENT development)
write_basic_package_version_file(pssc-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/pssc-config.cmake.in pssc-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pssc)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pssc-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/pssc-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pssc COMPONENT development)
