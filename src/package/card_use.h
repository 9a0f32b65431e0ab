// The section of a card that shows how to call the kernel.
#pragma once

#include <string>

#include "package/cases.h"
#include "package/model.h"

namespace wgk::package {

/// `example` gives the shapes and attributes; without one, the inputs that every call needs are named.
std::string use_section(const LoadedPackage& loaded, const TestCase* example);

}  // namespace wgk::package
