#include "rank_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "failure.h"
#include "rank_environment.h"

namespace lintel::run {
namespace {

[[noreturn]] void refused(const char* call) {
  throw RunFailure(kExitFailed, fmt::format("{} failed: {}", call, std::strerror(errno)));
}

struct Ends {
  FileDescriptor ours;
  FileDescriptor theirs;
};

// Both ends close on exec. Ours does not block.
Ends connect(bool rank_writes) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) refused("pipe");
  Ends ends{FileDescriptor(pipe[rank_writes ? 0 : 1]), FileDescriptor(pipe[rank_writes ? 1 : 0])};
  ::fcntl(ends.ours.get(), F_SETFL, O_NONBLOCK);
  return ends;
}

Ends connect_pmi() {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    refused("socketpair");
  Ends ends{FileDescriptor(sockets[0]), FileDescriptor(sockets[1])};
  ::fcntl(ends.ours.get(), F_SETFL, O_NONBLOCK);
  return ends;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What a child needs between fork and exec, prepared before, because the child may only make system
// calls.
struct Child {
  pid_t parent;
  int input, output, errors, pmi, report;
  const cpu_set_t* cores;
  const Signals* signals;
  char* const* arguments;
  char* const* environment;
};

[[noreturn]] void become(const Child& child) {
  const auto give_up = [&] {
    const int reason = errno;
    static_cast<void>(!::write(child.report, &reason, sizeof reason));
    ::_exit(kExitNotFound);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) ::_exit(kExitFailed);  // the parent died before the line above
  if (::dup2(child.input, STDIN_FILENO) < 0 || ::dup2(child.output, STDOUT_FILENO) < 0 ||
      ::dup2(child.errors, STDERR_FILENO) < 0)
    give_up();
  if (::fcntl(child.pmi, F_SETFD, 0) != 0) give_up();
  if (child.cores != nullptr && ::sched_setaffinity(0, sizeof *child.cores, child.cores) != 0)
    give_up();
  child.signals->restore();
  ::execvpe(child.arguments[0], child.arguments, child.environment);
  give_up();
  ::_exit(kExitFailed);
}

// Waits until the child runs the program. Throws with the reason if it does not.
void await_exec(FileDescriptor report, pid_t pid, const std::string& program) {
  int reason = 0;
  ssize_t got = 0;
  do got = ::read(report.get(), &reason, sizeof reason);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof reason)) return;
  ::waitpid(pid, nullptr, 0);
  throw RunFailure(
      reason == ENOENT ? kExitNotFound : kExitNotRunnable,
      fmt::format("cannot run '{}': {}; expected a program, by its path or found through PATH",
                  program, std::strerror(reason)));
}

}  // namespace

RankProcess::RankProcess(const RankStart& start, LineForwarder output_to, LineForwarder errors_to)
    : output_lines(std::move(output_to)), error_lines(std::move(errors_to)) {
  Ends standard_output = connect(true);
  Ends standard_error = connect(true);
  Ends pmi_socket = connect_pmi();
  Ends report = connect(true);
  ::fcntl(report.ours.get(), F_SETFL, 0);
  Ends standard_input;
  if (start.rank == 0) {
    standard_input = connect(false);
  } else {
    standard_input.theirs = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!standard_input.theirs.is_open()) refused("open of /dev/null");
  }
  const std::vector<std::string> environment = rank_environment(
      environ, start.rank, start.ranks, pmi_socket.theirs.get(), start.job_id, start.secret_file);
  const std::vector<char*> arguments = pointers_to(*start.program);
  const std::vector<char*> variables = pointers_to(environment);
  cpu_set_t cores{};
  if (start.cores != nullptr) cores = start.cores->of_rank(start.rank);
  const Child child{::getpid(),
                    standard_input.theirs.get(),
                    standard_output.theirs.get(),
                    standard_error.theirs.get(),
                    pmi_socket.theirs.get(),
                    report.theirs.get(),
                    start.cores != nullptr ? &cores : nullptr,
                    start.signals,
                    arguments.data(),
                    variables.data()};
  pid = ::fork();
  if (pid < 0) refused("fork");
  if (pid == 0) become(child);
  // also here, because a signal to the group may come before the child has run
  ::setpgid(pid, pid);
  report.theirs.close();
  await_exec(std::move(report.ours), pid, start.program->front());
  input = std::move(standard_input.ours);
  output = std::move(standard_output.ours);
  errors = std::move(standard_error.ours);
  pmi = std::move(pmi_socket.ours);
}

}  // namespace lintel::run
