#pragma once
// InterfaceRules: what an interface may do, and wants, beyond the API that its number stands for.
// Given when it is opened.

#include <cstdint>

namespace lintel::portals {

struct InterfaceRules {
  // Replies to its requests carry their data up to this many bytes, or up to the eager limit if
  // that is less. Up to the eager limit programs are promised the order that this gives; an
  // interface that needs no such order has longer data written into place, without the copies.
  std::uint64_t reply_limit = UINT64_MAX;
};

}  // namespace lintel::portals
