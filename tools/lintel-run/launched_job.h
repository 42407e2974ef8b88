#pragma once
// LaunchedJob: the ranks of one job from the start to the end of the last, and everything between
// them and lintel-run: standard streams, Pmi1Connections, signals.
//
// One thread, one poll() loop; nothing else blocks. The first rank that fails decides the exit code
// and ends the job: SIGTERM to all process groups, SIGKILL after kGrace. A rank fails when it ends
// with another exit code than 0 or by a signal, aborts, breaks PMI-1, or leaves others waiting at a
// barrier for ever. If another rank is about to end at that time, its end is waited for, and
// decides if it is a failure: the others may have noticed its loss before its end was visible here.
// Invariant: when run() has returned, or the LaunchedJob is destroyed, no process that the job has
// started is left, in whatever process group.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "guardian.h"
#include "input.h"
#include "job_deadlines.h"
#include "job_secret_file.h"
#include "options.h"
#include "output.h"
#include "pmi1_connections.h"
#include "poll_set.h"
#include "rank_process.h"
#include "signals.h"

namespace lintel::run {

class LaunchedJob {
 public:
  // `job_id` distinguishes this job from others on the machine. Not 0.
  LaunchedJob(const RunOptions& options, unsigned job_id);
  LaunchedJob(const LaunchedJob&) = delete;
  LaunchedJob& operator=(const LaunchedJob&) = delete;
  ~LaunchedJob();

  // Starts the ranks and serves them until all have ended. Returns the exit code. Throws RunFailure
  // when not all of them can be started.
  int run();

 private:
  using Clock = JobDeadlines::Clock;

  void start_ranks();
  void watch_all();
  // Milliseconds to the next deadline, for poll().
  int poll_timeout() const;
  void keep_deadlines();

  void on_signals();
  void reap();
  void on_end_of(std::size_t rank, int status);
  // Handles the failure of a rank: ends the job, at once or after another rank whose failure may be
  // the cause.
  void fail(const Pmi1Server::End& failure);
  // Whether another rank that has not failed yet may be the cause: it has closed PMI without
  // finalizing, so it is ending; or the failure is the loss of a process, and the other has sent
  // something, such as an abort, that was not read yet.
  bool may_follow_another(const Pmi1Server::End& failure) const;
  void end(int exit_code, const std::string& reason);
  void signal_ranks(int number);
  bool is_drained() const;
  void read_pmi(std::size_t rank);

  const RunOptions& options_;
  unsigned job_id_;
  Signals signals_;
  Guardian guardian_;
  Output output_;
  Output errors_;
  Input input_;
  Pmi1Connections pmi_;
  JobSecretFile secret_;
  std::vector<RankProcess> ranks_;
  std::size_t running_ = 0;
  PollSet polled_;

  std::optional<int> exit_code_;            // the job is ending, with this code
  std::optional<Pmi1Server::End> failure_;  // waits for the end of another
  JobDeadlines deadlines_;
  unsigned interruptions_ = 0;  // SIGINT and SIGTERM so far
};

}  // namespace lintel::run
