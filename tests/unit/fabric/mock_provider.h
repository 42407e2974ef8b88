#pragma once
// Descriptions of providers as libfabric gives them, for tests of choices among providers that this
// machine does not have.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "transport/fabric/provider_description.h"

namespace lintel::transport {

inline constexpr std::uint64_t kAllCapabilities =
    FI_MSG | FI_SEND | FI_RECV | FI_RMA | FI_WRITE | FI_REMOTE_WRITE | FI_MULTI_RECV;

inline ProviderDescription mock_provider(const std::string& name) {
  ProviderDescription p;
  p.name = name;
  p.capabilities = kAllCapabilities;
  p.send_order = FI_ORDER_SAS;
  p.receive_order = FI_ORDER_SAS;
  p.mr_key_bytes = 8;
  p.cq_data_bytes = 8;
  p.max_message_bytes = std::size_t{1} << 40;
  p.inject_bytes = 128;
  p.iov_limit = 4;
  p.rma_iov_limit = 4;
  p.transmit_queue = 256;
  p.receive_queue = 256;
  return p;
}

// The description that verbs under rxm gives.
inline ProviderDescription mock_verbs() {
  ProviderDescription p = mock_provider("verbs;ofi_rxm");
  p.mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  p.mode = FI_RX_CQ_DATA;
  p.cq_data_bytes = 4;
  p.rma_iov_limit = 1;
  p.max_message_bytes = std::size_t{1} << 31;
  return p;
}

inline ProviderDescription mock_shared_memory() {
  ProviderDescription p = mock_provider("shm");
  p.socket_addresses = false;
  p.mr_mode = FI_MR_VIRT_ADDR;
  p.inject_bytes = 4096;
  return p;
}

}  // namespace lintel::transport
