#pragma once
// How the tool gives up: an exception that carries the sentence for the user and the exit code.

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

// Of classes whose virtual calls and exceptions go from the program to its library for Portals 4 or
// back.
#define LINTEL_PERF_SEAM __attribute__((visibility("default")))

namespace lintel::perf {

// The base of classes that are not copied.
struct LINTEL_PERF_SEAM NotCopied {
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
class LINTEL_PERF_SEAM PerfFailure : public std::runtime_error {
 public:
  PerfFailure(ExitCode code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The other process died, went silent or cannot be reached.
class LINTEL_PERF_SEAM PeerLost : public PerfFailure {
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
    const std::lock_guard lock(mutex_);
    if (!reason_.empty()) return;
    reason_ = reason;
    end_waits();
    said_.notify_all();
  }

  bool is_set() const {
    const std::lock_guard lock(mutex_);
    return !reason_.empty();
  }

  // Throws PeerLost with the reason if there is one, or comes within `limit`.
  void throw_if_set(std::chrono::milliseconds limit = {}) {
    std::unique_lock lock(mutex_);
    if (said_.wait_for(lock, limit, [this] { return !reason_.empty(); })) throw PeerLost(reason_);
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable said_;
  std::string reason_;  // empty: none
};

// Does the work of one process. Says on stderr why it failed, if it did. Returns the exit code.
template <class Work>
int exit_code_of(Work work) {
  const auto say = [](const std::exception& failure) {
    if (*failure.what() != '\0') fmt::print(stderr, "lintel-perf: {}\n", failure.what());
  };
  try {
    return static_cast<int>(work());
  } catch (const PeerLost& lost) {
    say(lost);
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(lost.code()));  // what is open stays open
  } catch (const PerfFailure& failure) {
    say(failure);
    return static_cast<int>(failure.code());
  } catch (const std::exception& error) {
    say(error);
    return static_cast<int>(ExitCode::kFailed);
  }
}

}  // namespace lintel::perf
