#pragma once

#include <pssc/core/error.hpp>

#include <utility>

namespace pssc::python {

/// A file that cannot be read or written: OSError there, where the library's other errors about data are ValueError.
class FileError : public Error {
 public:
  using Error::Error;
};

/// Runs what opens or writes files; its errors become FileError, a wrong parameter excepted.
template <class Body>
auto with_files(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    throw FileError(error.kind(), error.what());
  }
}

/// The library's errors as ValueError, OSError and MemoryError, with the same words.
void register_errors();

}  // namespace pssc::python
