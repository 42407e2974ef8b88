#pragma once
// How the tool gives up: an exception that carries the sentence for the user and the exit code.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace lintel::perf {

// The base of classes that are not copied.
struct NotCopied {
  NotCopied() = default;
  NotCopied(const NotCopied&) = delete;
  NotCopied& operator=(const NotCopied&) = delete;
};

enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,   // the run itself failed: wrong bytes, an error of a Ptl call
  kUnusable = 2  // what was asked for cannot be done: wrong option, unreachable or other peer
};

// The message is one sentence that names the offending value and what was expected; empty if
// another process of the tool has said it already.
class PerfFailure : public std::runtime_error {
 public:
  PerfFailure(ExitCode code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The other process died, went silent or cannot be reached.
class PeerLost : public PerfFailure {
 public:
  explicit PeerLost(const std::string& sentence) : PerfFailure(ExitCode::kUnusable, sentence) {}
};

// Throw PerfFailure(kFailed), and PerfFailure(kUnusable), with a sentence in the form of fmt.
template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw PerfFailure(ExitCode::kFailed,
                    fmt::format(sentence, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw PerfFailure(ExitCode::kUnusable,
                    fmt::format(sentence, std::forward<Arguments>(arguments)...));
}

// Why waiting has to end, said by one thread and heard by another. Thread safe.
class StopReason {
 public:
  // The first reason counts: runs `end_waits` and returns, or does nothing if there is one already.
  template <class EndWaits>
  void set(const std::string& reason, EndWaits end_waits) {
    std::call_once(once_, [&] {
      said_.set_exception(std::make_exception_ptr(PeerLost(reason)));
      end_waits();
    });
  }

  // Whether there is one, or comes within `limit`.
  bool is_set(std::chrono::milliseconds limit = {}) const {
    return heard_.wait_for(limit) == std::future_status::ready;
  }

  // Throws PeerLost with the reason then.
  void throw_if_set(std::chrono::milliseconds limit = {}) const {
    if (is_set(limit)) heard_.get();
  }

 private:
  std::once_flag once_;
  std::promise<void> said_;
  std::shared_future<void> heard_{said_.get_future()};
};

// The exit code of a process that ends because of this.
inline ExitCode code_of(const std::exception& error) {
  const auto* failure = dynamic_cast<const PerfFailure*>(&error);
  return failure == nullptr ? ExitCode::kFailed : failure->code();
}

// Does the work of one process. Says on stderr why it failed, if it did. Returns the exit code.
template <class Work>
int exit_code_of(Work work) {
  try {
    return static_cast<int>(work());
  } catch (const std::exception& error) {
    if (*error.what() != '\0') fmt::print(stderr, "lintel-perf: {}\n", error.what());
    const int code = static_cast<int>(code_of(error));
    if (dynamic_cast<const PeerLost*>(&error) == nullptr) return code;
    std::fflush(nullptr);
    std::_Exit(code);  // what is open stays open
  }
}

}  // namespace lintel::perf
