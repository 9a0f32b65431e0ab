# Installation: the library, its headers and packages, and what find_package(wgk) and pkg-config need. The WebGPU library
# is installed beside it unless WGK_INSTALL_WEBGPU is off, because few systems have one.
option(WGK_INSTALL "Make the install target" ${PROJECT_IS_TOP_LEVEL})
option(WGK_INSTALL_WEBGPU "Install the WebGPU library and its headers too" ON)
if(NOT WGK_INSTALL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(wgk_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/wgk")
set_target_properties(wgk PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  INSTALL_RPATH "$ORIGIN")
install(TARGETS wgk EXPORT wgkTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET wgk_cli)
  set_target_properties(wgk_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS wgk_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" OPTIONAL)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/wgk" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/kernels/" DESTINATION "${CMAKE_INSTALL_DATADIR}/wgk/kernels")

get_target_property(wgk_webgpu_library webgpu::webgpu IMPORTED_LOCATION)
get_target_property(wgk_webgpu_headers webgpu::webgpu INTERFACE_INCLUDE_DIRECTORIES)
get_filename_component(wgk_webgpu_file "${wgk_webgpu_library}" NAME)
get_filename_component(wgk_webgpu_name "${wgk_webgpu_library}" NAME_WE)
string(REGEX REPLACE "^lib" "" wgk_webgpu_name "${wgk_webgpu_name}")
if(WGK_INSTALL_WEBGPU)
  install(FILES "${wgk_webgpu_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY "${wgk_webgpu_headers}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "w*gpu.h")
endif()

install(EXPORT wgkTargets NAMESPACE wgk:: DESTINATION "${wgk_cmake_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/wgkConfig.cmake.in" "${PROJECT_BINARY_DIR}/wgkConfig.cmake"
  INSTALL_DESTINATION "${wgk_cmake_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_DATADIR)
# Until 1.0, a new minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/wgkConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/wgkConfig.cmake" "${PROJECT_BINARY_DIR}/wgkConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/WgkEmbedPackages.cmake"
  DESTINATION "${wgk_cmake_dir}")

# A static library leaves its dependencies to whoever links it.
if(BUILD_SHARED_LIBS)
  set(wgk_pc_libs "")
  set(wgk_pc_cflags "")
else()
  set(wgk_pc_libs "-lfmt -lcrypto -lhwy -lsimdjson -lstdc++ -pthread")
  set(wgk_pc_cflags "-DWGK_STATIC")
  if(WGK_WITH_HUB)
    string(PREPEND wgk_pc_libs "-Wl,-u,wgk_hub_registration ")
  endif()
endif()
if(WGK_WITH_HUB)
  string(APPEND wgk_pc_cflags " -DWGK_WITH_HUB")
endif()
# Relative, so that the installed tree can be moved.
file(RELATIVE_PATH wgk_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/wgk.pc.in" "${PROJECT_BINARY_DIR}/wgk.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/wgk.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
