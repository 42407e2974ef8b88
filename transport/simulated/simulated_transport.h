#pragma once
// SimulatedTransport: one process on a SimulatedNetwork. Made by SimulatedNetwork::join(), owned by
// its caller. Borrows the network. Thread: the network's. Does not: wake a sleeper (wait_fd() is
// -1).
// More than 30 members, because 20 are functions of Transport.

#include <memory>
#include <unordered_map>
#include <vector>

#include "transport/simulated/simulated_endpoint.h"
#include "transport/simulated/simulated_network.h"
#include "transport/transport.h"

namespace lintel::transport {

class SimulatedTransport final : public Transport {
 public:
  SimulatedTransport(SimulatedNetwork& network, std::shared_ptr<SimulatedEndpoint> endpoint);
  SimulatedTransport(const SimulatedTransport&) = delete;
  SimulatedTransport& operator=(const SimulatedTransport&) = delete;
  ~SimulatedTransport() override;

  const TransportAttributes& attributes() const override { return network_.options().attributes; }
  ProcessId self() const override { return endpoint_->name; }
  Result<PeerId> resolve(ProcessId name) override { return endpoint_->known(name); }
  ProcessId name_of(PeerId peer) const override;

  MessageBuffer reserve(PeerId peer, std::size_t bytes) override;
  PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) override;
  void abandon(PeerId peer, const MessageBuffer& buffer) override;
  // Messages that were committed to the peer still arrive. Of placed messages and writes, those
  // arrive whose bytes have been read.
  void disconnect(PeerId peer) override;

  Result<Registration> register_memory(PeerId peer, std::span<std::byte> memory,
                                       Access access) override;
  void deregister_memory(const Registration& region) override;
  PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to, Immediate immediate,
                        Context context) override;

  PostStatus commit_placed(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                           std::span<const std::byte> payload, PlacementKey key,
                           Context context) override;
  bool expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) override;
  Withdrawal withdraw_placement(PeerId peer) override;

  // The numbers of the connection, see SimulatedConnection: while a message is delivered, of its
  // own one with its sender, which may have another by now.
  ConnectionBinding binding(PeerId peer) const override;
  void watch(PeerId, bool) override {}
  // If `now` is later than the network's time, advances the network's time.
  std::size_t poll(TimePoint now, Sink& sink) override;
  TimePoint next_deadline() const override { return kNever; }
  int wait_fd() const override { return -1; }
  bool prepare_wait() override { return endpoint_->reports.empty(); }

 private:
  struct Reserved {
    std::vector<std::byte> bytes;
    InFlight in_flight;
  };
  struct Borrowed;
  struct PlacedMessage;
  struct SimulatedWrite;

  // `placed message`: nullptr for a message without a payload.
  PostStatus send(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                  const std::shared_ptr<PlacedMessage>& placed_message);
  void keep(const std::shared_ptr<Borrowed>& borrowed);
  // Returns a function that tells whether the connection with the peer is still the present one.
  auto same_connection(PeerId peer) const {
    return [endpoint = endpoint_, name = name_of(peer),
            connection = endpoint_->connection_with(name_of(peer))] {
      return endpoint->connection_with(name) == connection;
    };
  }
  void hand_over(SimulatedMessage& message, Sink& sink);
  void refuse(PeerId peer);

  SimulatedNetwork& network_;
  std::shared_ptr<SimulatedEndpoint> endpoint_;
  std::unordered_map<std::uint64_t, Reserved> reserved_;  // by token
  std::uint64_t next_token_ = 1;
  const SimulatedMessage* delivered_ = nullptr;    // during hand_over()
  std::vector<std::weak_ptr<Borrowed>> borrowed_;  // under way; some may be done
};

}  // namespace lintel::transport
