#pragma once
// Credit: how many bytes and messages a sender may send before they are received. CreditAccount:
// the credit between this process and one peer.

#include <cstdint>

namespace lintel::mpi {

struct Credit {
  std::uint64_t bytes = 0;
  std::uint32_t headers = 0;
};

// CreditLedger's record of a peer.
struct CreditAccount {
  Credit available;  // this process may still send to the peer
  Credit owed;       // matched messages of the peer, not returned as credit yet
  bool due = false;  // the peer is in CreditLedger::due_
};

}  // namespace lintel::mpi
