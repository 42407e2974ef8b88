#pragma once
// LabelCollection: collects the contributions of each client in the server of IMPI. The set of a
// label is complete when every client has sent that label or a later one.
//
// Clients send labels in ascending order. So all sets up to the label of the slowest client are
// complete: clients that have not contributed to them never will. Contributions are opaque. The
// bytes and labels of one client are bounded. Knows no connections.

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

inline constexpr std::size_t kMaxClientBytes = 4U << 20;  // of all labels of one client
inline constexpr std::size_t kMaxClientLabels = 256;

class LabelCollection {
 public:
  // REQUIRES: 1 <= clients <= kMaxClients.
  explicit LabelCollection(unsigned clients) : contributors_(clients) {}

  // Adds a contribution. Returns "", or the end of a sentence that says what is wrong with it; then
  // nothing has changed. REQUIRES: client < clients.
  std::string add(unsigned client, Label label, std::string_view contribution);

  // The client has no more labels. Returns as above.
  std::string finish(unsigned client);

  // Removes everything that the client has sent. REQUIRES: no set was complete yet.
  void forget(unsigned client);

  // The sets that have become complete since the last call, ascending. The set of a label of IMPI
  // 0.0 that no client has sent is empty.
  std::vector<LabelSet> take_complete();

  // The client waits for others: it has sent a label that is not answered yet, or has no more
  // labels.
  bool is_waiting(unsigned client) const;
  // The client has no more labels.
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
  std::map<Label, std::map<unsigned, std::string>> sets_;  // the incomplete ones
  Label answered_ = kNoLabel;                              // sets up to this label were taken
};

}  // namespace lintel::mpi::impi
