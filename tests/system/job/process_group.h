#pragma once
// ProcessGroup: the processes of one test.
//
// Forks them, lets them run to their end, and kills those that do not end in time. Made on the
// stack of a test that has never called Portals and has one thread. Each rank is a fork that runs a
// body and exits with 0 unless an expectation in it failed. Failed expectations print in the
// process where they fail. The test fails by the exit code. Invariant: when the group is destroyed,
// its processes are gone.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/system/job/board.h"

namespace lintel::testing {

using Environment = std::map<std::string, std::string>;

// What a body is given: its rank, and the board.
struct Rank {
  std::size_t number;
  std::size_t size;
  Board& board;

  std::size_t other() const { return 1 - number; }  // of two
  void barrier() const { board.barrier(number); }
};

class ProcessGroup {
 public:
  using Body = std::function<void(Rank&)>;

  // `environment` is set in every rank before its body runs.
  explicit ProcessGroup(std::size_t size, Environment environment = {});
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup();

  Board& board() { return *board_; }
  std::size_t size() const { return ranks_.size(); }
  void set(const std::string& variable, const std::string& value) {
    environment_[variable] = value;
  }
  // Starts a rank. It may be started again once it has ended.
  void start(std::size_t rank, const Body& body);
  void start_all(const Body& body);
  pid_t os_pid(std::size_t rank) const { return ranks_[rank].pid; }
  // Sends a signal to a running rank. SIGKILL makes that its expected end. After SIGSTOP it does
  // nothing more.
  void signal(std::size_t rank, int number);
  // Ignores the rank's exit code: it is killed at the end, or by another rank.
  void disregard(std::size_t rank) { ranks_[rank].disregarded = true; }
  // Expects that the rank ends within `limit`, with exit code 0. Kills it otherwise.
  void join(std::size_t rank, std::chrono::milliseconds limit = std::chrono::seconds(60));
  // join() for all but the disregarded ranks, which are killed then. One limit for all. A rank that
  // fails ends the wait for the others.
  void join_all(std::chrono::milliseconds limit = std::chrono::seconds(60));

 private:
  struct Process {
    pid_t pid = 0;  // 0: does not run
    bool disregarded = false;
    int status = 0;
  };
  void reap();
  void kill_now(Process& process);
  void judge(std::size_t rank);

  Board* board_;
  Environment environment_;
  std::vector<Process> ranks_;
};

}  // namespace lintel::testing
