#pragma once

#include "archive.hpp"

#include <pssc/core/spread.hpp>

#include <string>

namespace pssc {

/// What rank 0 has of a thing that every rank is to hold whole, to all; transfer(archive) lists it.
template <class Transfer>
void share(const Context& context, Transfer&& transfer) {
  if (context.ranks().ranks() == 1) return;
  std::string bytes;
  if (context.ranks().rank() == 0) {
    WriterTo archive([&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); });
    transfer(archive);
  }
  broadcast(context, bytes);
  if (context.ranks().rank() == 0) return;
  Reader archive(bytes);
  transfer(archive);
}

/// Asked of rank 0, known to all.
template <class Question>
bool true_at_first(const Context& context, Question&& question) {
  std::vector<std::uint8_t> answer{0};
  once(context, [&] { answer[0] = question(); });
  broadcast(context, answer);
  return answer[0] != 0;
}

}  // namespace pssc
