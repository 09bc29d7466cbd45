# pssc_finds_libraries(TARGET [folders...]): where an installed program or library looks for ours, as folders from $ORIGIN.
#
# The build tree's copies look in the same places (lib/ beside the command is the build tree's), because CMake ends the run
# path of one that it will rewrite at installation with an empty folder, and that means the current one: `cd photos && pssc
# cluster .` would run a library that lies among the photos.
function(pssc_finds_libraries target)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH TRUE INSTALL_RPATH "${ARGN}"
                        INSTALL_RPATH_USE_LINK_PATH TRUE)
endfunction()
