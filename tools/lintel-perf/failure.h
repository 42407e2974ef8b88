#pragma once
// How the tool gives up: one exception type that carries the sentence for the user and the exit
// code.

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

// What crosses the border between the program and its library for Portals 4 is one class on both
// sides: virtual calls and exceptions go across.
#define LINTEL_PERF_SEAM __attribute__((visibility("default")))

namespace lintel::perf {

enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,  // the run itself failed: wrong bytes, an error of a Ptl call
  kUnusable =
      2  // what was asked for cannot be done: wrong option, unreachable or incompatible peer
};

// The message is one sentence that names the offending value and what was expected; empty if
// another process of the tool has said it already.
class LINTEL_PERF_SEAM Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The other process died, went silent or cannot be reached.
class LINTEL_PERF_SEAM PeerLost : public Failure {
 public:
  explicit PeerLost(const std::string& sentence) : Failure(ExitCode::kUnusable, sentence) {}
};

// Throws Failure(kFailed) with a sentence in the form of fmt.
template <class... Arguments>
[[noreturn]] void fail(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw Failure(ExitCode::kFailed, fmt::format(sentence, std::forward<Arguments>(arguments)...));
}

// Throws Failure(kUnusable).
template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw Failure(ExitCode::kUnusable, fmt::format(sentence, std::forward<Arguments>(arguments)...));
}

// Does the work of one process. Says on stderr why it failed, if it did. Returns the exit code.
int exit_code_of(const std::function<ExitCode()>& work);

}  // namespace lintel::perf
