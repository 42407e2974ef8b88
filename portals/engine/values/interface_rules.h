#pragma once
// InterfaceRules: what an interface may do in addition to the API of its number. Given when it is
// opened.

#include <cstdint>

namespace lintel::portals {

struct InterfaceRules {
  // Replies to its requests carry up to this many bytes of data, or up to the eager limit if that
  // is less. Longer data are written to their place without copies. Programs are promised the order
  // of data up to the eager limit, so only an interface that does not need this order may have a
  // lower limit.
  std::uint64_t reply_limit = UINT64_MAX;
  // Its unexpected headers count in the budget that the interfaces of the process share. False: its
  // peers agree on a limit of their own.
  bool headers_in_budget = true;
};

}  // namespace lintel::portals
