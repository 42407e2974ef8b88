#pragma once
// HeldTransport: a transport whose network is the test.
//
// It keeps what is sent. The test calls it to deliver what arrives. Owned by the engine's endpoint;
// the test keeps a reference. It replaces a session: peers are known, messages come once and in
// order. Invariant: the test ends every posted write, by end_write() or end_all_writes().

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "transport/transport.h"

namespace lintel::testing {

class HeldTransport final : public transport::Transport {
 public:
  HeldTransport(ProcessId self, std::vector<ProcessId> peers);
  ~HeldTransport() override;

  // ---- The test's side
  void arrives(std::size_t peer, std::vector<std::byte> message);
  // `length` bytes of payload were sent; those in `payload` found room.
  void placed_arrives(std::size_t peer, std::vector<std::byte> message,
                      std::vector<std::byte> payload, std::uint64_t length);
  void immediate_arrives(std::uint32_t value);
  void peer_fails(std::size_t peer);
  // Ends the write with this index among those under way.
  void end_write(std::size_t index, Error error);
  void end_all_writes();

  struct Sent {
    std::size_t peer;
    std::vector<std::byte> bytes;
  };
  std::deque<Sent> sent;        // at most kKept, newest last
  bool room = true;             // messages and writes are accepted
  bool refuses_memory = false;  // register_memory() fails
  std::size_t writes_under_way() const { return writes_.size(); }
  std::size_t regions() const { return regions_.size(); }
  std::size_t watched() const { return watched_; }

  // ---- transport::Transport
  const transport::TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return self_; }
  Result<transport::PeerId> resolve(ProcessId name) override;
  ProcessId name_of(transport::PeerId peer) const override { return peers_.at(peer.value); }
  transport::MessageBuffer reserve(transport::PeerId peer, std::size_t bytes) override;
  transport::PostStatus commit(transport::PeerId peer, const transport::MessageBuffer& buffer,
                               std::size_t bytes) override;
  void abandon(transport::PeerId peer, const transport::MessageBuffer& buffer) override;
  void disconnect(transport::PeerId) override {}
  Result<transport::Registration> register_memory(transport::PeerId peer,
                                                  std::span<std::byte> memory,
                                                  transport::Access access) override;
  void deregister_memory(const transport::Registration& region) override;
  transport::PostStatus post_write(transport::PeerId peer, const transport::LocalMemory& from,
                                   transport::RemoteMemory to, transport::Immediate immediate,
                                   transport::Context context) override;
  void watch(transport::PeerId peer, bool watched) override;
  std::size_t poll(TimePoint now, transport::Sink& sink) override;
  TimePoint next_deadline() const override { return kNever; }
  int wait_fd() const override { return -1; }
  bool prepare_wait() override { return queue_.empty(); }

 private:
  static constexpr std::size_t kKept = 32;
  using Report = std::function<void(transport::Sink&)>;

  ProcessId self_;
  std::vector<ProcessId> peers_;
  transport::TransportAttributes attributes_;
  std::deque<Report> queue_;
  std::map<std::uint64_t, std::vector<std::byte>> lent_;
  std::uint64_t token_ = 0;
  std::set<std::uint64_t> regions_;
  std::uint64_t region_ = 0;
  std::vector<transport::Context> writes_;
  std::size_t watched_ = 0;
  unsigned touched_ = 0;
};

}  // namespace lintel::testing
