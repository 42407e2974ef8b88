#pragma once
// FabricDomain and FabricEndpoint: the libfabric objects of one FabricTransport, in the order in
// which they need each other.
//
// They own the objects. The provider may use buffers until the endpoint is closed, and a
// registration needs its domain: so declare a FabricDomain first, then buffers and registrations,
// then a FabricEndpoint. Thread: see OfiHandle.

#include <cstddef>

#include "transport/fabric/handles.h"

namespace lintel::transport {

struct FabricDomain {
  // `selected` is one of `offers`. Opens nothing.
  FabricDomain(OfiInfo offers, fi_info* selected) : info_list(std::move(offers)), info(selected) {}
  // Error: that of the provider. What was opened before is closed by the destructor.
  Error open();

  OfiInfo info_list;
  fi_info* info;
  OfiFabric fabric;
  OfiDomain domain;
};

struct FabricEndpoint {
  // Opens an endpoint that is not yet enabled, with a queue of that many entries. `wait_object`:
  // see OfiCompletionQueue. Error: as above.
  Error open(const FabricDomain& domain, std::size_t entries, fi_wait_obj wait_object);

  OfiCompletionQueue completions;
  OfiAddressVector addresses;
  OfiEndpoint endpoint;
};

}  // namespace lintel::transport
