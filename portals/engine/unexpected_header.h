#pragma once
// UnexpectedHeader: what the unexpected list needs to know of a message that landed in an overflow
// entry and has not been claimed.
//
// The engine derives its own header from this and adds the rest. It belongs to the engine and is
// linked into at most one UnexpectedList, which borrows it. Guarded by the endpoint's lock.
// Invariants: (1) initiator, match_bits and the address do not change while it is linked; whatever
// is added may.
// Memory: 48 bytes; more per class of searches, see unexpected_index.h.
// Does not: hold data or know its overflow entry, or unlink itself when it dies.

#include <boost/intrusive/list_hook.hpp>
#include <cstdint>

#include "base/ids.h"

namespace lintel::portals {

struct UnexpectedHeader {
  UnexpectedHeader() = default;
  UnexpectedHeader(ProcessId from, std::uint64_t bits) : initiator(from), match_bits(bits) {}
  UnexpectedHeader(const UnexpectedHeader&) = delete;
  UnexpectedHeader& operator=(const UnexpectedHeader&) = delete;

  ProcessId initiator;
  std::uint64_t match_bits = 0;

 private:
  friend class UnexpectedList;
  friend class UnexpectedIndex;

  std::uint64_t order_ = 0;  // grows along the list
  std::uint32_t place_ = 0;  // in the index; kNoPlace while no class has it
  boost::intrusive::list_member_hook<> order_link_;
};

}  // namespace lintel::portals
