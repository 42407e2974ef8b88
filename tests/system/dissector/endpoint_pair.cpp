#include "endpoint_pair.h"

#include "direct_pair.h"
#include "fabric_pair.h"

namespace lintel::test {

std::unique_ptr<EndpointPair> open_pair(const std::string& provider, std::uint16_t initiator_port,
                                        std::uint16_t target_port) {
  if (provider == transport::DirectTransport::kName)
    return std::make_unique<DirectPair>(initiator_port, target_port);
  return std::make_unique<FabricPair>(provider, initiator_port, target_port);
}

}  // namespace lintel::test
