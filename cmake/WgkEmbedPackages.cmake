# wgk_embed_packages(<target> PACKAGES <folder or id>… [NAMESPACE <name>]): compiles packages into a target.
#
# The target gets a header <name>.hpp (default: wgk_embedded.hpp) that declares, in that namespace,
#   wgk::Result<wgk::Package> load(std::string_view op);
#   std::vector<std::string_view> ops();
# A package is a folder (relative to the current one), or the id of one that comes with wgk. What a call needs is
# embedded (metadata, manifest, templates); test cases are not. Every file is compared with its digest when the target
# is built, and once more when the package is loaded. A target that embeds for a library gives a NAMESPACE of its own.
#
# The second half of this file is the build step: cmake -DPACKAGES=… -DNAMESPACE=… -DOUTPUT=… -P WgkEmbedPackages.cmake

if(NOT CMAKE_SCRIPT_MODE_FILE)
  # Who includes this says where the packages are that come with wgk; projects around it see no variable of ours.
  set_property(GLOBAL PROPERTY WGK_KERNELS_DIR "${WGK_KERNELS_DIR}")

  function(wgk_embed_packages target)
    cmake_parse_arguments(ARG "" "NAMESPACE" "PACKAGES" ${ARGN})
    if(ARG_UNPARSED_ARGUMENTS)
      message(FATAL_ERROR "wgk_embed_packages: unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT ARG_PACKAGES)
      message(FATAL_ERROR "wgk_embed_packages: name at least one package after PACKAGES")
    endif()
    if(NOT ARG_NAMESPACE)
      set(ARG_NAMESPACE wgk_embedded)
    endif()
    if(NOT ARG_NAMESPACE MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
      message(FATAL_ERROR "wgk_embed_packages: NAMESPACE \"${ARG_NAMESPACE}\" is no identifier")
    endif()
    get_property(kernels GLOBAL PROPERTY WGK_KERNELS_DIR)
    set(script "${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
    set(folders "")
    set(inputs "")
    foreach(package IN LISTS ARG_PACKAGES)
      get_filename_component(folder "${package}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
      if(NOT EXISTS "${folder}/build/webgpu/metadata.json" AND kernels)
        set(folder "${kernels}/${package}")
      endif()
      if(NOT EXISTS "${folder}/build/webgpu/metadata.json")
        message(FATAL_ERROR "wgk_embed_packages: ${package} is neither a folder with build/webgpu/metadata.json nor the "
          "id of a package in \"${kernels}\"")
      endif()
      list(APPEND folders "${folder}")
      file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/build/webgpu/*")
      list(APPEND inputs ${files})
    endforeach()
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded")
    list(JOIN folders "|" all_folders)  # a list cannot travel through a command line
    add_custom_command(OUTPUT "${output}/${ARG_NAMESPACE}.cpp" "${output}/${ARG_NAMESPACE}.hpp"
      COMMAND "${CMAKE_COMMAND}" "-DPACKAGES=${all_folders}" "-DNAMESPACE=${ARG_NAMESPACE}" "-DOUTPUT=${output}"
        -P "${script}"
      DEPENDS ${inputs} "${script}"
      COMMENT "Embedding packages into ${target}"
      VERBATIM)
    target_sources(${target} PRIVATE "${output}/${ARG_NAMESPACE}.cpp" "${output}/${ARG_NAMESPACE}.hpp")
    target_include_directories(${target} PRIVATE "${output}")
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.25)

# The base64 of hexadecimal digits: three bytes, four letters.
function(wgk_base64 hex out)
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  string(LENGTH "${hex}" length)
  foreach(start RANGE 0 ${length} 6)
    string(SUBSTRING "${hex}" ${start} 6 group)
    string(LENGTH "${group}" digits)
    if(digits EQUAL 0)
      break()
    endif()
    string(SUBSTRING "${group}00000" 0 6 padded)
    math(EXPR bits "0x${padded}")
    math(EXPR count "${digits} / 2 + 1")
    foreach(index RANGE 3)
      if(index LESS count)
        math(EXPR letter "(${bits} >> (18 - 6 * ${index})) & 63")
        string(SUBSTRING "${letters}" ${letter} 1 letter)
        string(APPEND text "${letter}")
      else()
        string(APPEND text "=")
      endif()
    endforeach()
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# The bytes of a file as the initializer of an array.
function(wgk_bytes file out)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
    "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

string(REPLACE "|" ";" PACKAGES "${PACKAGES}")
set(arrays "")
set(packages "")
set(names "")
set(number 0)
foreach(package IN LISTS PACKAGES)
  set(folder "${package}/build/webgpu")
  file(READ "${folder}/metadata.json" metadata)
  string(JSON op ERROR_VARIABLE problem GET "${metadata}" name)
  string(JSON count ERROR_VARIABLE no_digests LENGTH "${metadata}" digest files)
  if(problem OR no_digests OR NOT op MATCHES "^[A-Za-z0-9._-]+$")
    message(FATAL_ERROR "${folder}/metadata.json: no package metadata (${problem}${no_digests})")
  endif()
  set(files metadata.json)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON path MEMBER "${metadata}" digest files ${index})
    string(JSON wanted GET "${metadata}" digest files "${path}")
    if(NOT path MATCHES "^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$" OR path MATCHES "\\.\\.")
      message(FATAL_ERROR "${folder}/metadata.json: \"${path}\" is not a canonical relative path")
    endif()
    if(NOT EXISTS "${folder}/${path}")
      message(FATAL_ERROR "${folder}/${path} is listed in metadata.json and absent; run wgk pack")
    endif()
    file(SHA256 "${folder}/${path}" hex)
    wgk_base64("${hex}" digest)
    if(NOT digest STREQUAL wanted)
      message(FATAL_ERROR "${folder}/${path} does not match metadata.json: it says ${wanted}, the file has ${digest}; "
        "restore the file, or run wgk pack")
    endif()
    if(path STREQUAL "manifest.json" OR path MATCHES "\\.wgsl(\\.jinja)?$")
      list(APPEND files "${path}")
    endif()
  endforeach()
  set(entries "")
  foreach(path IN LISTS files)
    wgk_bytes("${folder}/${path}" bytes)
    string(APPEND arrays "const unsigned char kFile${number}[] = {\n${bytes}0};\n")
    string(APPEND entries "      {\"${path}\", kFile${number}, sizeof(kFile${number}) - 1},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  string(APPEND packages "    {\"${op}\", {\n${entries}    }},\n")
endforeach()

file(CONFIGURE OUTPUT "${OUTPUT}/${NAMESPACE}.hpp" CONTENT [=[
// Made by wgk_embed_packages(): the packages in this program.
#pragma once

#include <string_view>
#include <vector>

#include <wgk/package.hpp>

namespace @NAMESPACE@ {

/// The package of that operator; its files are checked like those of a folder. Error: kPackage.
wgk::Result<wgk::Package> load(std::string_view op);

/// The operators of all packages in here.
std::vector<std::string_view> ops();

}  // namespace @NAMESPACE@
]=] @ONLY)

file(CONFIGURE OUTPUT "${OUTPUT}/${NAMESPACE}.cpp" CONTENT [=[
// Made by wgk_embed_packages().
#include "@NAMESPACE@.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace {

@arrays@
struct File {
  const char* path;
  const unsigned char* bytes;
  std::size_t size;
};
struct Embedded {
  std::string_view op;
  std::vector<File> files;
};

const std::vector<Embedded>& embedded() {
  static const std::vector<Embedded> kPackages = {
@packages@  };
  return kPackages;
}

}  // namespace

namespace @NAMESPACE@ {

wgk::Result<wgk::Package> load(std::string_view op) {
  std::string names;
  for (const Embedded& package : embedded()) {
    names += (names.empty() ? "" : ", ") + std::string(package.op);
    if (package.op != op) continue;
    std::map<std::string, std::string> files;
    for (const File& file : package.files) {
      files.emplace(file.path, std::string(reinterpret_cast<const char*>(file.bytes), file.size));
    }
    wgk::LoadOptions options;
    options.expected_op = std::string(op);
    return wgk::Package::from_memory(files, op, options);
  }
  return wgk::Error{wgk::ErrorCode::kPackage, std::string(op) + ": not embedded in this program; it has " + names};
}

std::vector<std::string_view> ops() {
  std::vector<std::string_view> out;
  for (const Embedded& package : embedded()) out.push_back(package.op);
  return out;
}

}  // namespace @NAMESPACE@
]=] @ONLY)
