# How everything is compiled. No -march: the shipped binary runs on any x86-64, SIMD variants are chosen at run time.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(GNUInstallDirs)
if(PSSC_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What one folder has compiled serves the others, of this checkout and of the next.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()

add_library(pssc_options INTERFACE)
target_compile_options(pssc_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef
                            -Wno-missing-field-initializers>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unused-parameter --expt-relaxed-constexpr>)
# GCC 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(pssc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(PSSC_WERROR)
  target_compile_options(pssc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()

include(cmake/hardening.cmake)
if(PSSC_SANITIZE)
  set(sanitize -fno-sanitize-recover=all -fno-omit-frame-pointer)
  string(REPLACE "," ";" kinds ${PSSC_SANITIZE})
  foreach(kind ${kinds})
    list(APPEND sanitize -fsanitize=${kind})
  endforeach()
  list(TRANSFORM sanitize PREPEND -Xcompiler= OUTPUT_VARIABLE sanitize_host)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${sanitize}>" "$<$<COMPILE_LANGUAGE:CUDA>:${sanitize_host}>")
  add_link_options(-fsanitize=${PSSC_SANITIZE})
  add_compile_definitions(PSSC_SANITIZED)
  # GCC 12 then thinks that std::regex reads what it has not written.
  target_compile_options(pssc_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
endif()
