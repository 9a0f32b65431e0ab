# webgpu::webgpu: the WebGPU implementation (webgpu.h, wgpu.h and the library).
#
#   -DWGK_WEBGPU_ROOT=<dir>   use that copy: <dir>/include/webgpu/{webgpu.h,wgpu.h} or <dir>/{webgpu.h,wgpu.h}, and
#                             libwgpu_native*.{so,dylib,dll} in <dir>/lib or <dir>. Nothing is downloaded.
#   otherwise                 wgpu-native is taken from the PyPI wheel of this exact version, whose SHA-256 is checked.
set(WGK_WEBGPU_ROOT "" CACHE PATH "Folder with webgpu.h, wgpu.h and the wgpu-native library; empty: download")

set(WGK_WGPU_WHEEL_VERSION 0.32.0)
set(WGK_WGPU_WHEEL_PLATFORM_Linux_x86_64 manylinux_2_28_x86_64)
set(WGK_WGPU_WHEEL_SHA256_Linux_x86_64 6499a31b5a29a10b4f1089fea4a0806411f42605fa86b6c0b543a07ca0de8568)
set(WGK_WGPU_WHEEL_PLATFORM_Linux_aarch64 manylinux_2_28_aarch64)
set(WGK_WGPU_WHEEL_SHA256_Linux_aarch64 00454ba1bc794d38c8365f4ad29f381b88ce0a7f115133bfaa6f1dfad7eb2764)
set(WGK_WGPU_WHEEL_PLATFORM_Darwin_x86_64 macosx_10_9_x86_64)
set(WGK_WGPU_WHEEL_SHA256_Darwin_x86_64 cfd3967616a3c42e2b7a234407df38668c697f5aa505d56e0814d647b6746302)
set(WGK_WGPU_WHEEL_PLATFORM_Darwin_arm64 macosx_11_0_arm64)
set(WGK_WGPU_WHEEL_SHA256_Darwin_arm64 6c3f654ea01ab2de8a2903354ced02a3c6ef161d0fba1aa4fea60aa86d021908)
set(WGK_WGPU_WHEEL_PLATFORM_Windows_AMD64 win_amd64)
set(WGK_WGPU_WHEEL_SHA256_Windows_AMD64 493c8a0425c7d3cc728a2489bce40d1a016d800306e59763ff1b21e176e66323)
set(WGK_WGPU_WHEEL_PLATFORM_Windows_ARM64 win_arm64)
set(WGK_WGPU_WHEEL_SHA256_Windows_ARM64 cb0414107825bd94538220cf3f329c83697b99b8e39c6e16e4e6726e427de75c)

function(wgk_download_webgpu out_root)
  set(host "${CMAKE_SYSTEM_NAME}_${CMAKE_SYSTEM_PROCESSOR}")
  if(host STREQUAL "Linux_arm64")
    set(host Linux_aarch64)
  endif()
  set(hint "Give a copy of wgpu-native with -DWGK_WEBGPU_ROOT=<dir>, or put the wheel into ${CMAKE_BINARY_DIR}/webgpu.")
  if(NOT DEFINED WGK_WGPU_WHEEL_SHA256_${host})
    message(FATAL_ERROR "wgk: no wheel of wgpu ${WGK_WGPU_WHEEL_VERSION} is known for ${host}. ${hint}")
  endif()
  set(sha256 ${WGK_WGPU_WHEEL_SHA256_${host}})
  set(platform ${WGK_WGPU_WHEEL_PLATFORM_${host}})
  set(dir "${CMAKE_BINARY_DIR}/webgpu")
  set(wheel "${dir}/wgpu-${WGK_WGPU_WHEEL_VERSION}-py3-none-${platform}.whl")
  set(unpacked "${dir}/${sha256}")

  if(NOT EXISTS "${unpacked}/wgpu/resources/webgpu.h")
    if(NOT EXISTS "${wheel}")
      find_package(Python3 REQUIRED COMPONENTS Interpreter)
      message(STATUS "Downloading the wheel wgpu==${WGK_WGPU_WHEEL_VERSION} (${platform})")
      execute_process(
        COMMAND "${Python3_EXECUTABLE}" -m pip download --quiet --disable-pip-version-check --no-deps
                --only-binary :all: --python-version 3.12 --platform "${platform}" --dest "${dir}"
                "wgpu==${WGK_WGPU_WHEEL_VERSION}"
        RESULT_VARIABLE failed ERROR_VARIABLE reason OUTPUT_QUIET)
      if(failed OR NOT EXISTS "${wheel}")
        message(FATAL_ERROR "wgk: cannot download wgpu==${WGK_WGPU_WHEEL_VERSION} with pip:\n${reason}\n${hint}")
      endif()
    endif()
    file(SHA256 "${wheel}" actual)
    if(NOT actual STREQUAL sha256)
      file(REMOVE "${wheel}")
      message(FATAL_ERROR "wgk: ${wheel} has SHA-256 ${actual}, expected ${sha256}; it was removed. ${hint}")
    endif()
    file(ARCHIVE_EXTRACT INPUT "${wheel}" DESTINATION "${unpacked}.part" PATTERNS "wgpu/resources/*")
    file(REMOVE_RECURSE "${unpacked}")
    file(RENAME "${unpacked}.part" "${unpacked}")
  endif()

  # The layout of WGK_WEBGPU_ROOT, so that what follows does not care where the files came from.
  set(root "${dir}/root")
  file(MAKE_DIRECTORY "${root}/include/webgpu" "${root}/lib")
  file(GLOB headers "${unpacked}/wgpu/resources/webgpu.h" "${unpacked}/wgpu/resources/wgpu.h")
  file(COPY ${headers} DESTINATION "${root}/include/webgpu")
  file(GLOB libraries "${unpacked}/wgpu/resources/*wgpu_native-release*")
  foreach(library IN LISTS libraries)
    get_filename_component(extension "${library}" LAST_EXT)
    configure_file("${library}" "${root}/lib/libwgpu_native${extension}" COPYONLY)
  endforeach()
  set(${out_root} "${root}" PARENT_SCOPE)
endfunction()

if(WGK_WEBGPU_ROOT)
  set(wgk_webgpu_root "${WGK_WEBGPU_ROOT}")
else()
  wgk_download_webgpu(wgk_webgpu_root)
endif()

find_path(WGK_WEBGPU_INCLUDE webgpu/webgpu.h PATHS "${wgk_webgpu_root}/include" NO_DEFAULT_PATH NO_CACHE)
if(NOT WGK_WEBGPU_INCLUDE)
  find_path(WGK_WEBGPU_INCLUDE webgpu.h PATHS "${wgk_webgpu_root}" "${wgk_webgpu_root}/include" NO_DEFAULT_PATH NO_CACHE)
endif()
find_library(WGK_WEBGPU_LIBRARY NAMES wgpu_native wgpu_native-release
  PATHS "${wgk_webgpu_root}/lib" "${wgk_webgpu_root}" NO_DEFAULT_PATH NO_CACHE)
if(NOT WGK_WEBGPU_INCLUDE OR NOT WGK_WEBGPU_LIBRARY)
  message(FATAL_ERROR "wgk: ${wgk_webgpu_root} must hold include/webgpu/webgpu.h, include/webgpu/wgpu.h and lib/libwgpu_native.so")
endif()

add_library(webgpu::webgpu SHARED IMPORTED GLOBAL)
set_target_properties(webgpu::webgpu PROPERTIES
  IMPORTED_LOCATION "${WGK_WEBGPU_LIBRARY}"
  IMPORTED_NO_SONAME ON
  INTERFACE_INCLUDE_DIRECTORIES "${WGK_WEBGPU_INCLUDE}")
