# One static library per folder of src/. A layer links exactly the layers it may include, so a forbidden include of a
# header that needs a link fails to build, and tests/layers checks the #include lines themselves.
find_package(nlohmann_json 3.11 REQUIRED)
find_package(simdjson REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(Threads REQUIRED)
find_package(hwy REQUIRED)

set(WGK_LAYERS base jinja package plan gpu ops cpu runtime)

# wgk_layer(<name> DEPENDS <layers…> LIBRARIES <targets…>)
function(wgk_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  if(NOT sources)
    file(WRITE "${PROJECT_BINARY_DIR}/empty_${name}.cpp" "")
    set(sources "${PROJECT_BINARY_DIR}/empty_${name}.cpp")
  endif()
  add_library(wgk_${name} STATIC ${sources})
  target_include_directories(wgk_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  list(TRANSFORM ARG_DEPENDS PREPEND wgk_)
  target_link_libraries(wgk_${name} PUBLIC ${ARG_DEPENDS} ${ARG_LIBRARIES} PRIVATE wgk_options)
  # Only what is marked WGK_API leaves the library (tests/abi).
  set_target_properties(wgk_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

wgk_layer(base LIBRARIES fmt::fmt nlohmann_json::nlohmann_json simdjson::simdjson OpenSSL::Crypto)
wgk_layer(jinja DEPENDS base)
wgk_layer(package DEPENDS base jinja)
wgk_layer(plan DEPENDS base jinja package)
wgk_layer(gpu DEPENDS base LIBRARIES webgpu::webgpu)
wgk_layer(ops DEPENDS base LIBRARIES Threads::Threads)
wgk_layer(cpu DEPENDS base ops LIBRARIES hwy::hwy Threads::Threads)
wgk_layer(runtime DEPENDS base package plan gpu ops cpu)
# Packages are found in the source tree while developing; installed ones relative to the library (src/package/locate.cpp).
if(PROJECT_IS_TOP_LEVEL)
  target_compile_definitions(wgk_package PRIVATE WGK_DEFAULT_KERNELS_DIR="${PROJECT_SOURCE_DIR}/kernels")
endif()

# What reaches the Hub is a layer of its own, and none of the others knows it: src/hub registers itself with src/package.
# libcurl is opened when the first request is made, so only its header is needed here (src/hub/curl_library.cpp).
option(WGK_WITH_HUB "Load packages from the Hugging Face Hub and its cache" ${WGK_DEVELOPER_MODE})
if(WGK_WITH_HUB)
  find_path(WGK_CURL_INCLUDE_DIR curl/curl.h REQUIRED)
  wgk_layer(hub DEPENDS base package LIBRARIES OpenSSL::Crypto Threads::Threads ${CMAKE_DL_LIBS})
  target_include_directories(wgk_hub SYSTEM PRIVATE "${WGK_CURL_INCLUDE_DIR}")
endif()

# The library that users link: the objects of all layers in one archive or shared object.
add_library(wgk)
add_library(wgk::wgk ALIAS wgk)
foreach(layer IN LISTS WGK_LAYERS)
  target_sources(wgk PRIVATE $<TARGET_OBJECTS:wgk_${layer}>)
endforeach()
if(WGK_WITH_HUB)
  target_compile_definitions(wgk INTERFACE WGK_WITH_HUB)  # so that programs can ask
  target_sources(wgk PRIVATE $<TARGET_OBJECTS:wgk_hub>)
  if(NOT BUILD_SHARED_LIBS)
    # Nothing calls the registration, so a linker would leave it in the archive.
    target_link_options(wgk INTERFACE "LINKER:-u,wgk_hub_registration")
  endif()
endif()
set_target_properties(wgk PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(wgk PUBLIC cxx_std_20)
target_include_directories(wgk PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>")
if(NOT BUILD_SHARED_LIBS)
  target_compile_definitions(wgk INTERFACE WGK_STATIC)
endif()
target_link_libraries(wgk PRIVATE $<BUILD_INTERFACE:wgk_options> fmt::fmt OpenSSL::Crypto hwy::hwy simdjson::simdjson Threads::Threads ${CMAKE_DL_LIBS}
  PUBLIC webgpu::webgpu)
