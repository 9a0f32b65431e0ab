// Errors and results: how every call of the library reports failure.
#pragma once

#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include <wgk/export.hpp>

namespace wgk::inline v0 {

/// What kind of thing went wrong; decides the exit code of the command line (README, "Exit codes").
enum class ErrorCode {
  kCheckFailed,  ///< something that was checked did not hold: a test case, a digest asked for by `verify`
  kUsage,        ///< the caller used the API or the command line wrongly
  kPackage,      ///< the package is bad: unreadable, malformed, wrong digest, no usable variant by its own fault
  kRequest,      ///< the request breaks the operator's contract, or a limit of the device
  kDevice,       ///< no usable adapter, device lost, out of memory, shader rejected, time-out
};

/// The name used in JSON output: "check", "usage", "package", "request" or "device".
WGK_API const char* error_code_name(ErrorCode code);

/// A failure. `message` is one line (several with notes) that says where, what, what was expected and what to do.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kUsage;
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

/// Thrown by the throwing forms (`Result::value()` and the functions documented to throw), and by nothing else.
class WGK_API Exception : public std::runtime_error {
 public:
  explicit Exception(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const noexcept { return error_; }  ///< with the code

 private:
  Error error_;
};

/// A value or an Error. Test it before `*`; `value()` throws wgk::Exception when it holds an error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}       // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const noexcept { return state_.index() == 0; }  ///< true: there is a value
  explicit operator bool() const noexcept { return ok(); }  ///< ok()

  T& operator*() & { return *std::get_if<0>(&state_); }  ///< the value; undefined when !ok()
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }  ///< the value; null when !ok()
  const T* operator->() const { return std::get_if<0>(&state_); }

  const Error& error() const& { return *std::get_if<1>(&state_); }  ///< undefined when ok()
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

  T& value() & {  ///< the value; throws wgk::Exception when !ok()
    if (!ok()) throw Exception(error());
    return **this;
  }
  const T& value() const& {
    if (!ok()) throw Exception(error());
    return **this;
  }
  T value() && {
    if (!ok()) throw Exception(std::move(*this).error());
    return std::move(**this);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit by design

  bool ok() const noexcept { return ok_; }  ///< true: no error
  explicit operator bool() const noexcept { return ok_; }  ///< ok()
  const Error& error() const& { return error_; }  ///< meaningless when ok()
  Error&& error() && { return std::move(error_); }
  /// Throws wgk::Exception when this is an error.
  void check() const {
    if (!ok_) throw Exception(error_);
  }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace wgk::inline v0
