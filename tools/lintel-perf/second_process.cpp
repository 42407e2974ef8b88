#include "second_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "failure.h"

namespace lintel::perf {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> arguments_of(const Options& options, int fd) {
  std::vector<std::string> arguments{"lintel-perf",
                                     "--server",
                                     "--once",
                                     "--pid",
                                     "any",
                                     "--announce-fd",
                                     std::to_string(fd),
                                     "--deadline",
                                     fmt::format("{}", options.deadline_seconds)};
  if (!options.cpus.empty()) {
    arguments.insert(arguments.end(), {"--cpu", std::to_string(options.cpus.back())});
  }
  return arguments;
}

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_server(char* const* arguments, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the line above
  ::dup2(STDERR_FILENO, STDOUT_FILENO);   // stdout belongs to the table or to the JSON document
  ::execv("/proc/self/exe", arguments);
  ::_exit(127);
}

}  // namespace

SecondProcess::SecondProcess(const Options& options) : deadline_(options.deadline_seconds) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw Failure(ExitCode::kFailed, fmt::format("pipe failed: {}", std::strerror(errno)));
  ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  const std::vector<std::string> texts = arguments_of(options, ends[1]);
  std::vector<char*> arguments;
  for (const std::string& text : texts) arguments.push_back(const_cast<char*>(text.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) become_server(arguments.data(), parent);
  ::close(ends[1]);
  pipe_ = ends[0];
  if (child_ < 0) {
    ::close(pipe_);
    throw Failure(ExitCode::kFailed, fmt::format("fork failed: {}", std::strerror(errno)));
  }
}

SecondProcess::~SecondProcess() {
  ::close(pipe_);
  if (child_ < 0 || ended(std::chrono::seconds(3))) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

bool SecondProcess::ended(std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  do {
    if (child_ < 0 || ::waitpid(child_, nullptr, WNOHANG) != 0) {
      child_ = -1;
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (Clock::now() < end);
  return false;
}

void SecondProcess::report_early_end() {
  int status = 0;
  const pid_t child = std::exchange(child_, -1);
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::kUnusable))
    throw Failure(ExitCode::kUnusable, "");  // it has said why
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status)) : fmt::format("exit code {}", WEXITSTATUS(status));
  throw Failure(ExitCode::kFailed,
                fmt::format("the second process ended with {} before it was ready; expected it to open its interface", how));
}

ptl_process_id_t SecondProcess::address() {
  const auto end = Clock::now() + std::chrono::ceil<std::chrono::milliseconds>(deadline_);
  std::string line;
  while (line.empty() || line.back() != '\n') {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wait{pipe_, POLLIN, 0};
    const int ready = left > 0 ? ::poll(&wait, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      throw Failure(
          ExitCode::kUnusable,
          fmt::format("the second process did not start within {:g} s; expected it to open its interface (--deadline)", deadline_.count()));
    }
    std::array<char, 64> text{};
    const ssize_t got = ::read(pipe_, text.data(), text.size());
    if (got <= 0) report_early_end();
    line.append(text.data(), static_cast<std::size_t>(got));
  }
  ptl_process_id_t id{};
  if (std::sscanf(line.c_str(), "%u %u", &id.nid, &id.pid) != 2)
    throw Failure(ExitCode::kFailed, fmt::format("the second process said '{}'", line));
  return id;
}

}  // namespace lintel::perf
