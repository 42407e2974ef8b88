#pragma once
// ProviderDescription: the answer of fi_getinfo about one provider as plain values, so that
// decisions can be tested with providers that this machine does not have. The numbers are
// libfabric's.

#include <cstddef>
#include <cstdint>
#include <string>

struct fi_info;

namespace lintel::transport {

struct ProviderDescription {
  std::string name;                // "net", "tcp;ofi_rxm", "verbs;ofi_rxm", "shm", ...
  bool reliable_datagram = true;   // endpoint type FI_EP_RDM
  bool socket_addresses = true;    // IPv4 sockaddr; else strings, as for shared memory
  std::uint64_t capabilities = 0;  // FI_MSG, FI_RMA, FI_MULTI_RECV, ...
  std::uint64_t mode = 0;          // FI_CONTEXT, ...: demands of the provider
  int mr_mode = 0;                 // FI_MR_LOCAL, FI_MR_VIRT_ADDR, ...: demands of the provider
  std::uint64_t send_order = 0;    // FI_ORDER_SAS, ...
  std::uint64_t receive_order = 0;
  std::size_t mr_key_bytes = 0;
  std::size_t cq_data_bytes = 0;
  std::size_t max_message_bytes = 0;  // largest transfer in one operation
  std::size_t inject_bytes = 0;
  std::size_t iov_limit = 0;
  std::size_t rma_iov_limit = 0;
  std::size_t transmit_queue = 0;  // operations
  std::size_t receive_queue = 0;
};

// REQUIRES: `info` came from fi_getinfo.
ProviderDescription describe(const fi_info& info);

// Native reliable datagrams over TCP: "net" of libfabric 1.17, "tcp" of 1.18 and later.
bool is_native_tcp(const ProviderDescription& provider);
bool is_shared_memory(const ProviderDescription& provider);

// Whether the name `wanted` selects the provider `name`: the same name, or its core provider ("tcp"
// selects "tcp;ofi_rxm" if no other is named tcp).
bool means(const std::string& wanted, const std::string& name);

}  // namespace lintel::transport
