#pragma once
// Pmi1Server: the launcher's side of PMI-1 for one job: what the ranks have put, and which wait at
// the barrier.
//
// Takes lines and returns lines. Knows no descriptors and no processes. Lines come from foreign
// programs and are validated. What a rank may store is bounded. Provides: init, get_maxes,
// get_appnum, get_universe_size, get_my_kvsname, put, get, barrier_in, finalize, abort. The rest of
// PMI-1 (spawning, publishing) ends the job with a message.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/bootstrap/pmi1_line.h"

namespace lintel::run {

class Pmi1Server {
 public:
  struct PmiAnswer {
    std::size_t rank;
    std::string line;  // with its newline
  };
  // Why the job has to end.
  struct End {
    std::size_t rank;
    int exit_code;
    std::string reason;  // what follows "rank 3 "
    // the rank reports the loss of another, whose own message or end is handled first
    bool lost_process = false;
  };

  Pmi1Server(std::string job_name, std::size_t ranks);

  // Handles a line of `rank`, without its newline, and adds the lines to send.
  std::optional<End> take(std::size_t rank, std::string_view line, std::vector<PmiAnswer>& answers);

  // The rank sends no more: its connection or its process has ended.
  void leave(std::size_t rank) { ranks_[rank].gone = true; }

  // Whether it has begun PMI and not finalized it: then its connection should end only with its
  // process.
  bool is_within(std::size_t rank) const {
    return ranks_[rank].initialized && !ranks_[rank].finalized;
  }

  // A rank waits at a barrier that another will not reach any more: the job hangs.
  std::optional<End> hanging() const;

 private:
  struct Rank {
    bool initialized = false;
    bool finalized = false;
    bool gone = false;
    bool in_barrier = false;
    std::size_t stored_bytes = 0;
  };
  std::string answer_to_put(Rank& rank, const mpi::Pmi1Line& line);
  std::string answer_to_get(const mpi::Pmi1Line& line) const;
  bool names_space(const mpi::Pmi1Line& line) const;
  void enter_barrier(std::size_t rank, std::vector<PmiAnswer>& answers);

  std::string job_name_;
  std::vector<Rank> ranks_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace lintel::run
