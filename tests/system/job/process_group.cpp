#include "tests/system/job/process_group.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

namespace lintel::testing {

ProcessGroup::ProcessGroup(std::size_t size, Environment environment)
    : environment_(std::move(environment)), ranks_(size) {
  void* memory =
      ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  board_ = new (memory) Board(size);
}

ProcessGroup::~ProcessGroup() {
  for (Process& process : ranks_) kill_now(process);
  ::munmap(board_, sizeof(Board));
}

void ProcessGroup::start(std::size_t rank, const Body& body) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) std::abort();
  if (pid > 0) {
    ranks_[rank] = {pid, ranks_[rank].disregarded, 0};
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(4);
  for (const auto& [variable, value] : environment_) ::setenv(variable.c_str(), value.c_str(), 1);
  Rank self{rank, ranks_.size(), *board_};
  {
    SCOPED_TRACE("in rank " + std::to_string(rank));
    body(self);
  }
  std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

void ProcessGroup::start_all(const Body& body) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) start(rank, body);
}

void ProcessGroup::signal(std::size_t rank, int number) {
  ASSERT_GT(ranks_[rank].pid, 0) << "rank " << rank << " does not run";
  if (number == SIGKILL) {
    kill_now(ranks_[rank]);
  } else {
    ::kill(ranks_[rank].pid, number);
    siginfo_t stopped;
    if (number == SIGSTOP) ::waitid(P_PID, static_cast<id_t>(ranks_[rank].pid), &stopped, WSTOPPED);
  }
}

void ProcessGroup::kill_now(Process& process) {
  if (process.pid == 0) return;
  ::kill(process.pid, SIGKILL);
  ::waitpid(process.pid, &process.status, 0);
  process.pid = 0;
  process.status = 0;  // the test wanted this end
}

void ProcessGroup::reap() {
  for (Process& process : ranks_) {
    if (process.pid != 0 && ::waitpid(process.pid, &process.status, WNOHANG) == process.pid)
      process.pid = 0;
  }
}

void ProcessGroup::judge(std::size_t rank) {
  const Process& process = ranks_[rank];
  if (WIFSIGNALED(process.status)) {
    ADD_FAILURE() << "rank " << rank << " died of signal " << WTERMSIG(process.status);
  } else if (process.status != 0) {
    ADD_FAILURE() << "rank " << rank << " ended with exit code " << WEXITSTATUS(process.status);
  }
}

void ProcessGroup::join(std::size_t rank, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (true) {
    reap();
    if (ranks_[rank].pid == 0) return judge(rank);
    if (std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << "rank " << rank << " still ran after " << limit.count() << " ms";
      return kill_now(ranks_[rank]);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void ProcessGroup::join_all(std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  bool running = true;
  bool failed = false;
  while (running && !failed && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    reap();
    running = false;
    for (const Process& process : ranks_) {
      if (process.disregarded) continue;
      running = running || process.pid != 0;
      failed = failed || (process.pid == 0 && process.status != 0);
    }
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Process& process = ranks_[rank];
    if (process.disregarded) {
      kill_now(process);
    } else if (process.pid != 0) {
      if (!failed)
        ADD_FAILURE() << "rank " << rank << " still ran after " << limit.count() << " ms";
      kill_now(process);
    } else {
      judge(rank);
    }
  }
}

}  // namespace lintel::testing
