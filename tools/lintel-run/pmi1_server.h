#pragma once
// Pmi1Server: the launcher's side of PMI-1 for one job: what the ranks have put, and who waits at
// the barrier.
//
// Takes lines and gives lines; knows no descriptors and no processes. Lines come from foreign
// programs and are validated; what a rank may store is bounded. Provides: init, get_maxes,
// get_appnum, get_universe_size, get_my_kvsname, put, get, barrier_in, finalize, abort. The rest of
// PMI-1 (spawning, publishing) ends the job with a sentence.

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
  struct Answer {
    std::size_t rank;
    std::string line;  // with its newline
  };
  // Why the job has to end.
  struct End {
    std::size_t rank;
    int exit_code;
    std::string reason;         // what follows "rank 3 "
    bool lost_process = false;  // the rank says that another was lost to it: what that one said, or
                                // its end, comes first
  };

  Pmi1Server(std::string job_name, std::size_t ranks);

  // Takes a line of `rank`, without its newline, and adds the lines that are to be sent.
  std::optional<End> take(std::size_t rank, std::string_view line, std::vector<Answer>& answers);

  // The rank will say no more: its connection or its process has ended.
  void leave(std::size_t rank) { ranks_[rank].gone = true; }

  // Has begun PMI and not finalized it: such a rank's connection ends only with it, if all is well
  // with it.
  bool is_within(std::size_t rank) const {
    return ranks_[rank].initialized && !ranks_[rank].finalized;
  }

  // A rank that waits at a barrier to which another will not come any more: the job hangs.
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
  void enter_barrier(std::size_t rank, std::vector<Answer>& answers);

  std::string job_name_;
  std::vector<Rank> ranks_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace lintel::run
