# Builds web/ in a folder of its own, so that nothing is written into the sources: FROM, TO, NPM.
file(MAKE_DIRECTORY ${TO})
file(REMOVE_RECURSE ${TO}/src)
# Writable, also where the sources are not.
file(COPY ${FROM}/ DESTINATION ${TO} NO_SOURCE_PERMISSIONS PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)

function(run_npm)
  execute_process(COMMAND ${NPM} ${ARGN} WORKING_DIRECTORY ${TO} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "npm ${ARGN} failed in ${TO}:\n${output}")
  endif()
endfunction()

# Packages are fetched anew only where their list has changed.
file(SHA256 ${TO}/package-lock.json wanted)
set(installed "")
if(EXISTS ${TO}/node_modules/.pssc-installed)
  file(READ ${TO}/node_modules/.pssc-installed installed)
endif()
if(NOT installed STREQUAL wanted)
  # Not `npm ci`, which wants an entry in the list for every platform that a package may be built for.
  run_npm(install --no-save --no-audit --no-fund)
  file(WRITE ${TO}/node_modules/.pssc-installed ${wanted})
endif()
run_npm(run build)
