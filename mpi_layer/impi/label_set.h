#pragma once
// LabelSet: what all clients have said to one label, as the server tells it.

#include <cstdint>
#include <string>
#include <string_view>

#include "mpi_layer/impi/label.h"

namespace lintel::mpi::impi {

struct LabelSet {
  Label label = kNoLabel;
  std::uint32_t mask = 0;     // bit i: client i has contributed
  std::string contributions;  // in ascending order of clients

  bool operator==(const LabelSet&) const = default;
};

// The payload of a server's COLL.
std::string encode(const LabelSet& set);
// REQUIRES: it has a label and a mask at least, as every COLL has that a CommandReader of the
// server's side gives.
LabelSet decode_set(std::string_view payload);

}  // namespace lintel::mpi::impi
