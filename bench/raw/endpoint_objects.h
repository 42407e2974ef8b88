#pragma once
// EndpointObjects: the fi_* objects of one endpoint, open and enabled, and the registration of its
// buffer.
//
// Owns them; borrows the buffer, which must outlive it.

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include "bench/raw/fabric_object.h"
#include "bench/raw/page_buffer.h"

namespace lintel::bench {

struct EndpointObjects {
  // Throws FabricError.
  EndpointObjects(fi_info& info, const PageBuffer& buffer);

  // Closed from the last to the first.
  FabricObject<fid_fabric> fabric;
  FabricObject<fid_domain> domain;
  FabricObject<fid_av> addresses;
  FabricObject<fid_cq> completions;
  FabricObject<fid_mr> region;
  FabricObject<fid_ep> endpoint;
  void* descriptor = nullptr;  // of the region
};

}  // namespace lintel::bench
