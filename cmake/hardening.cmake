# What makes a mistake in our code, or in a decoder that we call, harder to exploit; tests/build/binaries.py reads the result.
# Sanitizers watch more closely and do not get along with it.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported()  # else CMake compiles for position-independent programs, but does not link them as such

# Sets `result` to those of the flags that the compiler takes.
function(supported_flags result)
  set(taken)
  foreach(flag ${ARGN})
    string(MAKE_C_IDENTIFIER "PSSC_TAKES${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND taken ${flag})
    endif()
  endforeach()
  set(${result} ${taken} PARENT_SCOPE)
endfunction()

if(NOT PSSC_SANITIZE AND NOT PSSC_FUZZ)
  supported_flags(harden -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
                  -ftrivial-auto-var-init=zero)
  # Level 3 came with GCC 12. Without optimisation there is nothing that could be checked.
  set(level 2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(level 3)
  endif()
  set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
  list(TRANSFORM harden PREPEND -Xcompiler= OUTPUT_VARIABLE harden_host)
  list(TRANSFORM fortify PREPEND -Xcompiler= OUTPUT_VARIABLE fortify_host)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${harden}>" "$<$<COMPILE_LANGUAGE:CUDA>:${harden_host}>"
                      "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:${fortify}>"
                      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Debug>>>:${fortify_host}>")
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
