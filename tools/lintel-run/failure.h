#pragma once
// How the tool gives up before a job runs: one exception type with the message for the user and the
// exit code.

#include <stdexcept>
#include <string>

namespace lintel::run {

inline constexpr int kExitFailed = 1;         // the system refused something, or the job hangs
inline constexpr int kExitWrongUsage = 2;     // the command line
inline constexpr int kExitTimeout = 124;      // --timeout, as timeout(1)
inline constexpr int kExitNotRunnable = 126;  // the program exists and cannot be run, as in a shell
inline constexpr int kExitNotFound = 127;     // the program does not exist, as in a shell

class RunFailure : public std::runtime_error {
 public:
  RunFailure(int exit_code, const std::string& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace lintel::run
