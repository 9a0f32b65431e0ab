// Making sure that the first three file descriptors exist.
#pragma once

namespace wgk::cli {

/// Opens /dev/null on every standard descriptor that the parent closed. Without it the next file that is opened would
/// take its number, and messages would go into that file. A file that grows beyond the limit of the process becomes an
/// error instead of the end of the process.
void open_standard_streams();

}  // namespace wgk::cli
