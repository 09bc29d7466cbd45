#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace pssc::test {

/// A version 1.0 .npy file of little-endian float32 or int32, for tests that read what was written.
template <class T>
struct Npy {
  std::vector<std::size_t> shape;
  std::vector<T> values;

  explicit Npy(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    char prefix[10];
    if (!file.read(prefix, sizeof prefix)) throw std::runtime_error("no array in " + path.string());
    const auto length = static_cast<unsigned char>(prefix[8]) + 256U * static_cast<unsigned char>(prefix[9]);
    std::string header(length, ' ');
    file.read(header.data(), length);
    const std::string kind = std::is_same_v<T, float> ? "<f4" : "<i4";
    if (header.find("'" + kind + "'") == std::string::npos) throw std::runtime_error(path.string() + " is not " + kind);
    const std::size_t open = header.find('('), close = header.find(')');
    const std::string dims = header.substr(open, close - open);
    const std::regex number("[0-9]+");
    std::size_t count = 1;
    for (std::sregex_iterator it(dims.begin(), dims.end(), number), end; it != end; ++it)
      count *= shape.emplace_back(std::stoul(it->str()));
    values.resize(count);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (!file) throw std::runtime_error(path.string() + " is cut short");
  }
};

}  // namespace pssc::test
