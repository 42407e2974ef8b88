#pragma once
// FabricCounters: counts rare events of a FabricTransport, for diagnosis. A value.

#include <cstdint>

namespace lintel::transport {

struct FabricCounters {
  std::uint64_t foreign_completions = 0;  // completions of unknown operations
  std::uint64_t failed_receives = 0;      // messages that ended in an error while they arrived
  std::uint64_t failed_sends = 0;
  std::uint64_t failed_writes = 0;
};

}  // namespace lintel::transport
