#pragma once
// LabelSet: the contributions of all clients to one label, as the server sends them.

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
// REQUIRES: it has at least a label and a mask. A CommandReader of the server's side returns no
// COLL without them.
LabelSet decode_set(std::string_view payload);

}  // namespace lintel::mpi::impi
