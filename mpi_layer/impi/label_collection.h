#pragma once
// LabelCollection: what the server of IMPI has collected: each client's contributions, until every
// client has sent a label or has gone past it.
//
// Clients send labels in ascending order. So when the slowest one has come to label L, all sets up
// to L are complete: whoever has not contributed never will. Contributions are opaque. What one
// client may contribute in all is bounded. Knows no connections.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/impi/command.h"
#include "mpi_layer/impi/label_set.h"

namespace lintel::mpi::impi {

inline constexpr std::size_t kMaxClientBytes = 4U << 20;  // of all labels of a client together
inline constexpr std::size_t kMaxClientLabels = 256;

class LabelCollection {
 public:
  // REQUIRES: 1 <= clients <= kMaxClients.
  explicit LabelCollection(unsigned clients) : contributors_(clients) {}

  // Takes a contribution. Returns "", or what is wrong with it as the end of a sentence; nothing
  // has changed then. REQUIRES: client < clients.
  std::string add(unsigned client, Label label, std::string_view contribution);

  // The client has no more labels. The same as above.
  std::string finish(unsigned client);

  // What the client has sent is as if it had not been. REQUIRES: no set was complete yet.
  void forget(unsigned client);

  // Sets that have become complete since the last call, ascending. A label of IMPI 0.0 that nobody
  // has sent has an empty one.
  std::vector<LabelSet> take_complete();

  // The client cannot go on before others do: it has sent a label that has not been answered, or
  // all it had.
  bool is_waiting(unsigned client) const;
  // It has sent all it had.
  bool is_finished(unsigned client) const { return contributors_[client].is_finished; }
  bool all_finished() const;

 private:
  struct Contributor {
    Label last = kNoLabel;
    bool is_finished = false;
    std::size_t labels = 0;
    std::size_t bytes = 0;
  };

  std::vector<Contributor> contributors_;
  std::map<Label, std::map<unsigned, std::string>> sets_;  // not complete yet
  Label answered_ = kNoLabel;                              // up to here
};

}  // namespace lintel::mpi::impi
