#pragma once

#include <stdexcept>
#include <string>

namespace pssc {

/// Whose fault it is, and so what a program does about it (the command's exit codes are 1, 2 and 3).
enum class ErrorKind {
  failed = 1,  ///< the run failed: disk full, out of memory, a library gave up
  usage = 2,   ///< the command or a parameter is wrong
  input = 3,   ///< the data cannot be used
};

/// The one exception of the library. The message holds the value and the remedy, in one line.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

inline Error usage_error(const std::string& message) {
  return {ErrorKind::usage, message};
}
inline Error input_error(const std::string& message) {
  return {ErrorKind::input, message};
}
inline Error run_error(const std::string& message) {
  return {ErrorKind::failed, message};
}

}  // namespace pssc
