# Builds a consumer in one of the three ways and runs it.
# cmake -DWAY=find_package|pkg_config|add_subdirectory -DSOURCE=… -DWORK=… -DPREFIX=… -DLIBDIR=… -DCXX=… [-DOPTIONS=…] -P run.cmake
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " text)
    message(FATAL_ERROR "failed (${failed}): ${text}")
  endif()
endfunction()

string(REPLACE "|" ";" OPTIONS "${OPTIONS}")  # a list cannot travel through a command line
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(here "${SOURCE}/tests/consumer")
if(WAY STREQUAL "pkg_config")
  must("${here}/pkg_config/build.sh" "${CXX}" "${PREFIX}" "${LIBDIR}" "${here}/main.cpp" "${WORK}/consumer")
else()
  must("${CMAKE_COMMAND}" -S "${here}/${WAY}" -B "${WORK}" "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DWGK_SOURCE=${SOURCE}"
    "-DCMAKE_CXX_COMPILER=${CXX}" ${OPTIONS})
  must("${CMAKE_COMMAND}" --build "${WORK}" --target consumer)
endif()
# Away from the source tree, so that only what was built or installed is found.
set(ENV{WGK_KERNELS_PATH} "${KERNELS}")
execute_process(COMMAND "${WORK}/consumer" WORKING_DIRECTORY "${WORK}" OUTPUT_VARIABLE out RESULT_VARIABLE failed)
message(STATUS "${out}")
if(failed OR NOT out MATCHES "^wgk [0-9.]+: -2 1\n$")
  message(FATAL_ERROR "the consumer printed '${out}' and ended with ${failed}")
endif()
