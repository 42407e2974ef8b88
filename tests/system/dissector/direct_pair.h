#pragma once
// Two DirectTransports without a session: the given messages are those of the stream.

#include <array>
#include <vector>

#include "endpoint_pair.h"
#include "transport/direct/direct_transport.h"

namespace lintel::test {

class DirectPair final : public EndpointPair {
 public:
  explicit DirectPair(const LoopbackPorts& ports);

  void send_to_target(std::span<const std::byte> bytes) override { send(0, bytes); }
  void send_to_initiator(std::span<const std::byte> bytes) override { send(1, bytes); }
  void write_to_target(std::span<const std::byte> bytes, std::uint32_t immediate) override;

 private:
  struct Side final : transport::Sink {
    std::unique_ptr<transport::DirectTransport> transport;
    transport::PeerId other;
    std::vector<std::byte> memory;
    std::size_t arrived = 0;
    std::size_t sent = 0;
    std::string loss;

    void on_message(transport::PeerId, std::span<const std::byte>) override { ++arrived; }
    void on_message_left(transport::PeerId) override { ++sent; }
    void on_write_done(transport::Context, Error) override { ++sent; }
    void on_immediate(transport::PeerId, transport::Immediate) override { ++arrived; }
    void on_peer_failed(transport::PeerId, Error error) override { loss = error.reason(); }
  };

  void send(std::size_t from, std::span<const std::byte> bytes);
  template <class Post>
  void post_and_wait(Side& from, Side& to, Post post);

  std::array<Side, 2> sides_;
};

}  // namespace lintel::test
