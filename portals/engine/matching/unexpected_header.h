#pragma once
// UnexpectedHeader: the part of an unexpected message that the unexpected list uses. Its data are
// in an overflow entry, and no entry has claimed it.
//
// UnexpectedMessage derives from it. It belongs to UnexpectedMessages and is linked into at most
// one UnexpectedList, which borrows it. Guarded by the process' lock.
// Invariant: initiator, match_bits and the address do not change while it is linked. Members of
// derived classes may change.
// Memory: 48 bytes, and more for each class of searches (unexpected_index.h).
// Does not: have the data, know its overflow entry, or unlink itself in its destructor.

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
