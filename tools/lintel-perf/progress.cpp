#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "units.h"

namespace lintel::perf {

Progress::Progress(bool quiet, std::size_t steps) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1), steps_(steps) {}

Progress::~Progress() { clear(); }

void Progress::size(std::size_t step, std::uint64_t size_bytes) {
  if (quiet_) return;
  const std::string text = fmt::format("[{}/{}] measuring and verifying {}", step + 1, steps_, size_name(size_bytes));
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", text);
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (quiet_ || !terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace lintel::perf
