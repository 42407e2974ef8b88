#pragma once
// JobDeadlines: when a LaunchedJob acts although nothing has happened. A deadline that is empty is
// never reached.

#include <chrono>
#include <optional>

namespace lintel::run {

struct JobDeadlines {
  using Clock = std::chrono::steady_clock;
  using Deadline = std::optional<Clock::time_point>;

  Deadline timeout;  // --timeout
  Deadline kill;     // the grace is over
  Deadline hanging;  // a job that seems to hang is declared hanging
  Deadline failure;  // a failure is no longer held back for the end of another rank
  Deadline drained;  // all ranks have ended; open streams are not waited for any longer

  // The first of them.
  Deadline next() const {
    Deadline first;
    for (const Deadline& deadline : {timeout, kill, hanging, failure, drained}) {
      if (deadline && (!first || *deadline < *first)) first = deadline;
    }
    return first;
  }
  // Whether the deadline was reached. It is empty then.
  static bool take(Deadline& deadline, Clock::time_point now) {
    const bool over = deadline && *deadline <= now;
    if (over) deadline.reset();
    return over;
  }
};

}  // namespace lintel::run
