#include "transport/fabric/fabric_domain.h"

#include <utility>

namespace lintel::transport {

Error FabricDomain::open() {
  Result<OfiFabric> opened_fabric = OfiFabric::open(*info);
  if (!opened_fabric) return opened_fabric.error();
  fabric = std::move(opened_fabric).value();
  Result<OfiDomain> opened_domain = OfiDomain::open(fabric, *info);
  if (!opened_domain) return opened_domain.error();
  domain = std::move(opened_domain).value();
  return {};
}

Error FabricEndpoint::open(const FabricDomain& domain, std::size_t entries,
                           fi_wait_obj wait_object) {
  Result<OfiCompletionQueue> queue = OfiCompletionQueue::open(domain.domain, entries, wait_object);
  if (!queue) return queue.error();
  completions = std::move(queue).value();
  Result<OfiAddressVector> vector = OfiAddressVector::open(domain.domain);
  if (!vector) return vector.error();
  addresses = std::move(vector).value();
  Result<OfiEndpoint> opened =
      OfiEndpoint::open(domain.domain, *domain.info, completions, addresses);
  if (!opened) return opened.error();
  endpoint = std::move(opened).value();
  return {};
}

}  // namespace lintel::transport
