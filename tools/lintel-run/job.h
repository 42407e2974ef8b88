#pragma once
// Job: the ranks of one job from their start to the last one's end, and everything between them and
// lintel-run: standard streams, PMI-1, signals.
//
// One thread, one poll() loop; nothing else blocks. The first rank that fails decides the exit code
// and ends the job: SIGTERM to all process groups, SIGKILL after kGrace. A rank fails when it ends
// with another exit code than 0 or by a signal, aborts, breaks PMI-1, or leaves others waiting at a
// barrier for ever. If another is about to end at that moment, its end is waited for, and decides
// if it has failed: the others may have missed it before its end could be seen here. Invariant:
// when run() has returned, or the Job is gone, no process that the job has started is left,
// whatever process group it has gone to.

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "guardian.h"
#include "input.h"
#include "options.h"
#include "output.h"
#include "pmi1_server.h"
#include "rank_process.h"
#include "signals.h"

namespace lintel::run {

class Job {
 public:
  // `job_id` tells this job from others on the machine; not 0.
  Job(const Options& options, unsigned job_id);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  // Starts the ranks and serves them until all have ended; the exit code. Throws Failure when not
  // all of them can be started.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  void start_ranks();
  // One round: waits for something to happen, and does what follows from it.
  void serve();
  void watch(int fd, short events, std::function<void()> handler);
  void watch_all();
  // Milliseconds to the next deadline, for poll().
  int patience() const;
  void keep_deadlines();

  void on_signals();
  void reap();
  void on_end_of(std::size_t rank, int status);
  // The rank has failed: the job ends, at once or after another rank whose failure may be the
  // cause.
  void fail(const Pmi1Server::End& failure);
  // Another rank, that has not failed yet, may be the cause: it has left PMI in the midst, so it is
  // being ended; or the failure is the loss of a process, and the other has said something, such as
  // an abort, that was not read yet.
  bool may_follow_another(const Pmi1Server::End& failure) const;
  void end(int exit_code, const std::string& reason);
  void signal_ranks(int number);
  void kill_descendants();
  bool is_drained() const;

  void read_stream(FileDescriptor& stream, LineForwarder& lines);
  void drain(FileDescriptor& stream, LineForwarder& lines);
  void read_pmi(std::size_t rank);
  void send_pmi_answers(std::size_t rank);
  void leave_pmi(std::size_t rank);

  const Options& options_;
  unsigned job_id_;
  Signals signals_;
  Guardian guardian_;
  Output output_;
  Output errors_;
  Input input_;
  Pmi1Server server_;
  std::vector<RankProcess> ranks_;
  std::size_t running_ = 0;

  int exit_code_ = 0;
  bool is_ending_ = false;
  std::optional<Pmi1Server::End> failure_;  // waits for the end of another
  std::optional<Clock::time_point> failure_at_;
  unsigned interruptions_ = 0;                   // SIGINT and SIGTERM so far
  std::optional<Clock::time_point> timeout_at_;  // --timeout
  std::optional<Clock::time_point> kill_at_;     // the grace is over
  std::optional<Clock::time_point> hanging_at_;  // what looks like a job that hangs is one
  std::optional<Clock::time_point> drained_at_;  // all ranks have ended; what still holds a stream
                                                 // open then is not waited for

  std::vector<pollfd> polled_;
  std::vector<std::function<void()>> handlers_;  // beside polled_
};

}  // namespace lintel::run
