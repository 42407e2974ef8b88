#pragma once
// Two libfabric endpoints of one provider in this process, joined over TCP on loopback: sends real traffic, so that a capture shows how the
// provider frames it. Raw libfabric on purpose: nothing of Lintel's transport stands between the bytes given and the wire.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lintel::test {

class FabricPair {
 public:
  // Listens on these two ports. Throws std::runtime_error with the call's name if the provider cannot do it.
  FabricPair(const std::string& provider, std::uint16_t initiator_port, std::uint16_t target_port);
  ~FabricPair();
  FabricPair(const FabricPair&) = delete;
  FabricPair& operator=(const FabricPair&) = delete;

  // Sends `bytes`, at most 64 KiB, and returns once the other side has them.
  void send_to_target(std::span<const std::byte> bytes) { send(0, bytes); }
  void send_to_initiator(std::span<const std::byte> bytes) { send(1, bytes); }

  // Writes `bytes`, at most 64 KiB, into the target's memory with that completion data; returns once the target has the completion.
  void write_to_target(std::span<const std::byte> bytes, std::uint64_t immediate);

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

  void open(Side& side, const std::string& provider, std::uint16_t port);
  void meet(Side& side, std::uint16_t port);
  void send(std::size_t from, std::span<const std::byte> bytes);
  void poll(Side& side);
  template <class Post>
  void post_and_wait(Side& from, Side& to, Post post);

  std::array<Side, 2> sides_;
};

}  // namespace lintel::test
