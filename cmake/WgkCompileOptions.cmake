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

if(WGK_SANITIZE)
  target_compile_options(wgk_options INTERFACE -fsanitize=${WGK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(wgk_options INTERFACE -fsanitize=${WGK_SANITIZE})
endif()
