#pragma once
// EndpointOptions: the settings of an Endpoint. A plain struct.

#include <cstddef>
#include <cstdint>

#include "portals/engine/protocol/transfer_limits.h"

namespace lintel::portals {

struct EndpointOptions {
  std::size_t eager_limit = TransferLimits::kEagerDefault;
  // What this process may have begun and not ended, and as many operations of other processes; a
  // share of it for each peer, see Operations.
  std::size_t max_operations = 65536;
  // Bytes for answers that peers do not read, see AnswerBudget, and for long operations of others,
  // see OperationPlaces.
  std::size_t answer_limit = std::size_t{256} << 20;
  std::size_t operation_limit = std::size_t{64} << 20;
  // Of the tokens of operations and the numbers of transfers, see Operations and Immediates. Other
  // than 0 only for tests.
  std::uint64_t random_seed = 0;
};

}  // namespace lintel::portals
