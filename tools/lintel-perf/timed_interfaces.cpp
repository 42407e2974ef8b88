#include "timed_interfaces.h"

#include "api3/portals3_interface.h"
#include "api4/portals4_interface.h"

namespace lintel::perf {

TimedInterface& TimedInterfaces::of(Api api) {
  auto& interface = api == Api::kPortals4 ? portals4_ : portals3_;
  if (!interface) interface = api == Api::kPortals4 ? open_portals4(name_of(network_.id())) : open_portals3(network_);
  return *interface;
}

void TimedInterfaces::abandon() {
  for (auto* interface : {portals3_.get(), portals4_.get()}) {
    if (interface != nullptr) interface->abandon();
  }
}

}  // namespace lintel::perf
