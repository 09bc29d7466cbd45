#include "progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace pssc::command {

bool ProgressLine::wanted() {
  return isatty(STDERR_FILENO) == 1;
}

void ProgressLine::clear() {
  if (wanted()) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::operator()(const Progress& progress) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  const bool new_stage = progress.stage != stage_;
  if (!new_stage && now - last_shown_ < 100ms) return;
  if (new_stage) {
    stage_ = progress.stage;
    stage_began_ = now;
  }
  last_shown_ = now;
  std::string line = fmt::format("\r\033[K{}", stage_);
  if (progress.total > 0) {
    const double seconds = std::chrono::duration<double>(now - stage_began_).count();
    const double rate = seconds > 0 ? static_cast<double>(progress.done) / seconds : 0;
    line += fmt::format("  {} of {}", with_commas(progress.done), with_commas(progress.total));
    if (rate > 0)
      line += fmt::format("  {}/s  {:.0f} s left", with_commas(static_cast<std::size_t>(rate)),
                          static_cast<double>(progress.total - progress.done) / rate);
  }
  fmt::print(stderr, "{}", line);
  std::fflush(stderr);
}

std::string with_commas(std::size_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace pssc::command
