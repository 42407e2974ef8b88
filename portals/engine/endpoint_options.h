#pragma once
// EndpointOptions: what the settings say to an Endpoint. A plain struct.

#include <cstddef>

#include "portals/engine/transfer_limits.h"

namespace lintel::portals {

struct EndpointOptions {
  std::size_t eager_limit = TransferLimits::kEagerDefault;
  // Requests that may be under way at once, of this process and, apart, of others.
  std::size_t max_operations = 65536;
};

}  // namespace lintel::portals
