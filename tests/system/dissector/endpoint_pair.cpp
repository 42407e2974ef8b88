#include "endpoint_pair.h"

#include "direct_pair.h"
#include "fabric_pair.h"

namespace lintel::test {

std::unique_ptr<EndpointPair> open_pair(const std::string& provider, const LoopbackPorts& ports) {
  if (provider == transport::DirectTransport::kName) return std::make_unique<DirectPair>(ports);
  return std::make_unique<FabricPair>(provider, ports);
}

}  // namespace lintel::test
