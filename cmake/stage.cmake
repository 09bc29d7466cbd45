# pssc_stage(NAME SOURCES... [USES stages...] [PRIVATE libraries...])
#
# One folder of src/ as one target, pssc_NAME. A folder sees its own headers and the public headers of the stages it names
# in USES, and no others: an include against the direction of the arrows does not compile.
function(pssc_stage name)
  cmake_parse_arguments(STAGE "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(pssc_${name} OBJECT ${STAGE_SOURCES})
  target_include_directories(pssc_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  foreach(used ${STAGE_USES})
    target_link_libraries(pssc_${name} PUBLIC pssc_${used})
  endforeach()
  target_link_libraries(pssc_${name} PRIVATE pssc_options ${STAGE_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY PSSC_STAGES ${name})
  set_property(GLOBAL APPEND PROPERTY PSSC_LIBRARIES ${STAGE_PRIVATE})
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
endfunction()
