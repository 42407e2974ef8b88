#pragma once
// Credit: how much may be sent ahead of its receive; CreditAccount: what stands between this
// process and one peer.

#include <cstdint>

namespace lintel::mpi {

struct Credit {
  std::uint64_t bytes = 0;
  std::uint32_t headers = 0;
};

// CreditLedger's record of a peer.
struct CreditAccount {
  Credit available;  // what the peer may still be sent ahead
  Credit owed;       // what of the peer was matched since credit was given last
  bool due = false;  // the peer is in the ledger's list of those to be given some
};

}  // namespace lintel::mpi
