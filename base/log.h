#pragma once
// Writes log lines to standard error or a file: "lintel[4711] warn: peer 10.0.0.7:12 does not
// answer".
//
// Rules for the text: lower case; the call, the values and the system's words; no guessed cause. A
// blank precedes a value, so that a double click selects it. The first function that decides on an
// error logs it; its callers do not.
// Volume: error and warn rarely, info a few lines per process, debug per object, trace per message.
// Nothing per message at the default level.
// Thread: any. A line is one write(), so lines of several processes do not mix. Does not: allocate,
// buffer, or fail.

#include <atomic>
#include <string>

#include "base/config.h"

namespace lintel {

// Sets the level and the file of all lines from now on. An empty file name, or a file that cannot
// be opened, means standard error. `%p` in the name is replaced by the process id. Before the first
// call: level warn, standard error.
void configure_log(LogLevel level, const std::string& file);

// Writes one line at any level. Use LINTEL_LOG, which checks the level first.
void write_log(LogLevel level, const char* format, ...) __attribute__((format(printf, 2, 3)));

namespace internal {
extern std::atomic<LogLevel> log_level;
}

inline bool log_enabled(LogLevel level) {
  return level <= internal::log_level.load(std::memory_order_relaxed);
}

// `pattern` with each %p replaced by the process id, for a file name of each process.
std::string expand_process_id(const std::string& pattern, long process_id);

}  // namespace lintel

// LINTEL_LOG(kWarn, "peer %s does not answer", name): evaluates the arguments only if the level is
// enabled.
#define LINTEL_LOG(level, ...)                                       \
  (::lintel::log_enabled(::lintel::LogLevel::level)                  \
       ? ::lintel::write_log(::lintel::LogLevel::level, __VA_ARGS__) \
       : static_cast<void>(0))
