#pragma once
// Two libfabric endpoints of one provider. They use libfabric directly, so that nothing of Lintel's
// transport changes the given bytes.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <vector>

#include "endpoint_pair.h"

namespace lintel::test {

class FabricPair final : public EndpointPair {
 public:
  // Listens on these two ports. Throws std::runtime_error with the call's name if the provider
  // cannot do it.
  FabricPair(const std::string& provider, const LoopbackPorts& ports);
  ~FabricPair() override;
  FabricPair(const FabricPair&) = delete;
  FabricPair& operator=(const FabricPair&) = delete;

  void send_to_target(std::span<const std::byte> bytes) override { send(0, bytes); }
  void send_to_initiator(std::span<const std::byte> bytes) override { send(1, bytes); }
  void write_to_target(std::span<const std::byte> bytes, std::uint32_t immediate) override;

 private:
  struct Side {
    fi_info* info = nullptr;
    fid_fabric* fabric = nullptr;
    fid_domain* domain = nullptr;
    fid_cq* queue = nullptr;
    fid_av* addresses = nullptr;
    fid_ep* endpoint = nullptr;
    fid_mr* registration = nullptr;
    fi_addr_t other = FI_ADDR_UNSPEC;
    std::vector<std::byte> memory;
    std::uint64_t arrived = 0;
    std::uint64_t sent = 0;
  };

  void open(Side& side, const std::string& provider, const std::string& host, std::uint16_t port);
  void meet(Side& side, const std::string& host, std::uint16_t port);
  void send(std::size_t from, std::span<const std::byte> bytes);
  void poll(Side& side);
  template <class Post>
  void post_and_wait(Side& from, Side& to, Post post);

  std::array<Side, 2> sides_;
};

}  // namespace lintel::test
