// Tensors for people.
#pragma once

#include <string>

#include <wgk/tensor.hpp>

namespace wgk::cli {

/// One line per row of the last dimension, cut after a screenful.
std::string tensor_text(const HostTensor& tensor);

}  // namespace wgk::cli
