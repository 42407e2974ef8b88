#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace lintel {
namespace internal {
std::atomic<LogLevel> log_level{LogLevel::kWarn};
}

namespace {
std::atomic<int> log_descriptor{STDERR_FILENO};
constexpr const char* kNames[] = {"error", "warn", "info", "debug", "trace"};
}  // namespace

std::string expand_process_id(const std::string& pattern, long process_id) {
  std::string expanded;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern.compare(at, 2, "%p") == 0) {
      expanded += std::to_string(process_id);
      ++at;
    } else {
      expanded += pattern[at];
    }
  }
  return expanded;
}

void configure_log(LogLevel level, const std::string& file) {
  internal::log_level.store(level, std::memory_order_relaxed);
  int descriptor = STDERR_FILENO;
  if (!file.empty()) {
    const std::string path = expand_process_id(file, getpid());
    descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const int reason = errno;
    if (descriptor < 0) {
      descriptor = STDERR_FILENO;
      write_log(LogLevel::kWarn, "cannot open log file %s : %s", path.c_str(), strerror(reason));
    }
  }
  const int previous = log_descriptor.exchange(descriptor);
  if (previous != STDERR_FILENO) close(previous);
}

void write_log(LogLevel level, const char* format, ...) {
  const int saved_errno = errno;
  char line[512];
  const std::size_t room = sizeof line - 1;  // for the end of the line
  const int head = std::snprintf(line, room, "lintel[%ld] %s: ", static_cast<long>(getpid()),
                                 kNames[static_cast<std::size_t>(level)]);
  std::size_t length = static_cast<std::size_t>(head);
  va_list arguments;
  va_start(arguments, format);
  const int body = std::vsnprintf(line + length, room - length, format, arguments);
  va_end(arguments);
  if (body > 0) length += std::min(static_cast<std::size_t>(body), room - length - 1);
  line[length++] = '\n';
  [[maybe_unused]] const auto written =
      ::write(log_descriptor.load(std::memory_order_relaxed), line, length);
  errno = saved_errno;
}

}  // namespace lintel
