# wgk_options: the warnings, sanitizers and hardening that every target of this project is built with.
add_library(wgk_options INTERFACE)

if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(wgk_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees uninitialised strings in every moved-from std::variant; clang-tidy's analyzer and UBSan look for real ones.
    target_compile_options(wgk_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
  # Results must not depend on whether the compiler fuses a multiply and an add.
  target_compile_options(wgk_options INTERFACE -ffp-contract=off)
  if(WGK_WERROR)
    target_compile_options(wgk_options INTERFACE -Werror)
  endif()
elseif(MSVC)
  target_compile_options(wgk_options INTERFACE /W4 /fp:precise)
  if(WGK_WERROR)
    target_compile_options(wgk_options INTERFACE /WX)
  endif()
endif()

# Packages come from strangers: what an attacker could use of a mistake is made smaller. The compile flags cost a few per
# cent of the host's time, so they are in release builds, which people run; tools/check_hardening.py looks at the result.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT WGK_SANITIZE)
  include(CheckCXXCompilerFlag)
  target_compile_options(wgk_options INTERFACE $<$<CONFIG:Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong>)
  target_compile_definitions(wgk_options INTERFACE $<$<CONFIG:Release>:_GLIBCXX_ASSERTIONS>)
  foreach(flag IN ITEMS -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "wgk_has${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(wgk_options INTERFACE $<$<CONFIG:Release>:${flag}>)
    endif()
  endforeach()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(wgk_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)  # executables are position-independent, since CMAKE_POSITION_INDEPENDENT_CODE is on

if(WGK_SANITIZE)
  target_compile_options(wgk_options INTERFACE -fsanitize=${WGK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(wgk_options INTERFACE -fsanitize=${WGK_SANITIZE})
endif()
