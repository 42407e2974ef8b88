#pragma once
// AccessControl: the table of the requests that are admitted. A request carries an index of this
// table, the cookie (clauses 2.3, 3.12).
//
// Owned by the network interface. Guarded by the process' lock. Initially every entry admits any
// process of the owner's user, because no value of an entry means "deny".
// Does not: check acks and replies, which name their descriptor.

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace lintel::portals {

// One entry; each member may be the wildcard 0xffffffff.
struct AccessEntry {
  ProcessId initiator;
  UserId user;
  JobId job;
  std::uint32_t portal_index = 0;
};

class AccessControl {
 public:
  AccessControl(std::uint32_t max_index, UserId owner);

  // False: `index` is out of range.
  [[nodiscard]] bool set(std::uint32_t index, const AccessEntry& entry);

  enum class Verdict : std::uint8_t { kAdmitted, kBadIndex, kDenied };
  Verdict check(std::uint32_t index, ProcessId initiator, UserId user, JobId job,
                std::uint32_t portal_index) const;

 private:
  std::vector<AccessEntry> entries_;
};

}  // namespace lintel::portals
