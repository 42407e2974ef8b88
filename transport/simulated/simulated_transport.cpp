#include "transport/simulated/simulated_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

namespace {

constexpr Error kRefused{Loss::kPeer, "simulated network", "the connection was refused"};
constexpr Error kDisconnected{Loss::kPeer, "simulated network",
                              "the connection was ended by this process"};
constexpr Error kReset{Loss::kPeer, "simulated network", "the connection was reset by the peer"};

// The message that is being delivered, until the sink has returned.
class MessageInDelivery {
 public:
  MessageInDelivery(const SimulatedMessage*& present, const SimulatedMessage& message)
      : present_(present) {
    present = &message;
  }
  ~MessageInDelivery() { present_ = nullptr; }
  MessageInDelivery(const MessageInDelivery&) = delete;
  MessageInDelivery& operator=(const MessageInDelivery&) = delete;

 private:
  const SimulatedMessage*& present_;
};

}  // namespace

// Memory of the sender that must not change until finish().
struct SimulatedTransport::Borrowed {
  std::shared_ptr<SimulatedEndpoint> source;
  PeerId peer;  // the target, at the source
  Context context;
  InFlight in_flight = {};  // of a write; a placed message counts as a message
  bool done = false;        // on_write_done has been reported

  void finish(Error error) {
    if (std::exchange(done, true)) return;
    in_flight = InFlight();
    source->report(ReportWriteDone{context, error});
  }
};

struct SimulatedTransport::PlacedMessage : Borrowed {
  std::span<const std::byte> payload;
  PlacementKey key;
};

struct SimulatedTransport::SimulatedWrite : Borrowed {
  std::shared_ptr<SimulatedEndpoint> target;
  LocalMemory from;
  RemoteMemory to;
  Immediate immediate;
  std::vector<std::byte> bytes = {};
  bool cancelled = false;
};

SimulatedTransport::SimulatedTransport(SimulatedNetwork& network,
                                       std::shared_ptr<SimulatedEndpoint> endpoint)
    : network_(network), endpoint_(std::move(endpoint)) {}

SimulatedTransport::~SimulatedTransport() { endpoint_->end(); }

ProcessId SimulatedTransport::name_of(PeerId peer) const {
  LINTEL_ASSERT(peer.value < endpoint_->peers.size());
  return endpoint_->peers[peer.value];
}

MessageBuffer SimulatedTransport::reserve(PeerId peer, std::size_t bytes) {
  LINTEL_ASSERT(bytes <= attributes().max_message_bytes);
  const std::shared_ptr<SimulatedPair> pair = network_.pair(self(), name_of(peer));
  if (!endpoint_->alive || pair->messages >= network_.options().max_in_flight) return {};
  const std::uint64_t token = next_token_++;
  Reserved& reserved = reserved_[token];
  reserved.bytes.resize(bytes);
  reserved.in_flight = InFlight(pair, &SimulatedPair::messages);
  return {reserved.bytes.data(), bytes, token};
}

PostStatus SimulatedTransport::commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) {
  return send(peer, buffer, bytes, nullptr);
}

PostStatus SimulatedTransport::commit_placed(PeerId peer, const MessageBuffer& buffer,
                                             std::size_t bytes, std::span<const std::byte> payload,
                                             PlacementKey key, Context context) {
  LINTEL_ASSERT(bytes <= attributes().max_placed_message && is_placement_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes().max_placed_bytes);
  const auto placed_message =
      std::make_shared<PlacedMessage>(PlacedMessage{{endpoint_, peer, context}, payload, key});
  keep(placed_message);
  return send(peer, buffer, bytes, placed_message);
}

PostStatus SimulatedTransport::send(PeerId peer, const MessageBuffer& buffer, std::size_t bytes,
                                    const std::shared_ptr<PlacedMessage>& placed_message) {
  const auto node = reserved_.extract(buffer.token);
  LINTEL_ASSERT(!node.empty());
  Reserved& reserved = node.mapped();
  LINTEL_ASSERT(bytes <= reserved.bytes.size());
  if (!endpoint_->alive) return PostStatus::kOk;  // the process has ended

  const std::shared_ptr<SimulatedEndpoint> target = network_.find(name_of(peer));
  if (!target || !target->alive) {
    ++network_.counters_.messages_lost;
    const bool silent = target ? target->silent : !network_.options().refuse_absent;
    if (silent) {
      network_.at(network_.now() + network_.random_delay(),
                  [endpoint = endpoint_, peer, same = same_connection(peer)] {
                    if (same()) endpoint->report(ReportLeft{peer});
                  });
    } else {
      refuse(peer);
      if (placed_message)
        network_.at(network_.now() + network_.random_delay(),
                    [placed_message] { placed_message->finish(kRefused); });
    }
    return PostStatus::kOk;
  }

  reserved.bytes.resize(bytes);
  const SimulatedConnection connection{endpoint_->connection_with(target->name),
                                       target->connection_with(self())};
  auto message = std::make_shared<SimulatedMessage>(SimulatedMessage{
      self(), connection, std::move(reserved.bytes), std::move(reserved.in_flight)});
  SimulatedPair& pair = *network_.pair(self(), name_of(peer));
  const TimePoint delivery = std::max(network_.now() + network_.random_delay(), pair.last_delivery);
  pair.last_delivery = delivery;
  network_.at(network_.random_between(network_.now(), delivery),
              [endpoint = endpoint_, peer, same = same_connection(peer)] {
                if (same()) endpoint->report(ReportLeft{peer});
              });
  if (placed_message) {
    const TimePoint reading = network_.random_between(network_.now(), delivery);
    network_.at(reading, [placed_message, message] {
      if (!placed_message->source->alive || placed_message->done) return;
      message->payload =
          SimulatedPayload{placed_message->key,
                           {placed_message->payload.begin(), placed_message->payload.end()},
                           {}};
    });
    // After the bytes have been read; before or after they are in place.
    network_.at(network_.random_between(reading, delivery + network_.random_delay()),
                [placed_message] { placed_message->finish(Error()); });
  }
  network_.at(delivery, [&network = network_, target, message, placed_message] {
    const bool whole = !placed_message || message->payload;
    const bool arrives =
        target->alive && whole && !target->has_ended(message->from, message->connection);
    ++(arrives ? network.counters_.messages : network.counters_.messages_lost);
    if (placed_message && !target->alive && !target->silent) placed_message->finish(kReset);
    if (!arrives) return;
    if (placed_message && target->land(message->from, *message->payload))
      ++network.counters_.payloads_placed;
    target->report(std::move(*message));
  });
  return PostStatus::kOk;
}

void SimulatedTransport::abandon(PeerId, const MessageBuffer& buffer) {
  const std::size_t erased = reserved_.erase(buffer.token);
  LINTEL_ASSERT(erased == 1);
}

ConnectionBinding SimulatedTransport::binding(PeerId peer) const {
  const ProcessId name = name_of(peer);
  const std::shared_ptr<SimulatedEndpoint> other = network_.find(name);
  if (!other) return {};
  std::uint64_t lower = endpoint_->connection_with(name);
  std::uint64_t upper = other->connection_with(self());
  if (delivered_ != nullptr && delivered_->from == name) {
    lower = delivered_->connection.at_receiver;
    upper = delivered_->connection.at_sender;
  }
  if (name < self()) std::swap(lower, upper);
  ConnectionBinding binding;
  std::memcpy(binding.bytes.data(), &lower, 6);
  std::memcpy(binding.bytes.data() + 6, &upper, 6);
  return binding;
}

void SimulatedTransport::disconnect(PeerId peer) {
  const std::shared_ptr<SimulatedEndpoint> other = network_.find(name_of(peer));
  endpoint_->disconnect(peer, ++network_.connections_, other ? other->connection_with(self()) : 0);
  network_.renew_pair(self(), name_of(peer));
  for (const std::weak_ptr<Borrowed>& kept : borrowed_) {
    const std::shared_ptr<Borrowed> borrowed = kept.lock();
    if (borrowed && borrowed->peer == peer) borrowed->finish(kDisconnected);
  }
}

void SimulatedTransport::keep(const std::shared_ptr<Borrowed>& borrowed) {
  std::erase_if(borrowed_, [](const std::weak_ptr<Borrowed>& kept) { return kept.expired(); });
  borrowed_.push_back(borrowed);
}

void SimulatedTransport::refuse(PeerId peer) {
  network_.at(network_.now() + network_.random_delay(),
              [endpoint = endpoint_, peer, same = same_connection(peer)] {
                if (same()) endpoint->report(ReportFailed{peer, kRefused});
              });
}

bool SimulatedTransport::expect_placement(PeerId peer, PlacementKey key,
                                          std::span<std::byte> memory) {
  LINTEL_ASSERT(peer.value < endpoint_->peers.size() && is_placement_key(key));
  return endpoint_->alive && !memory.empty() &&
         endpoint_->expected.try_emplace(peer, SimulatedExpectation{key, memory}).second;
}

Withdrawal SimulatedTransport::withdraw_placement(PeerId peer) {
  const auto found = endpoint_->expected.find(peer);
  if (found == endpoint_->expected.end()) return Withdrawal::kNone;
  if (found->second.arriving) return Withdrawal::kArriving;
  endpoint_->expected.erase(found);
  return Withdrawal::kWithdrawn;
}

Result<Registration> SimulatedTransport::register_memory(PeerId peer, std::span<std::byte> memory,
                                                         Access access) {
  if (memory.empty())
    return Error(Loss::kOperation, "simulated network", "a region must not be empty");
  LINTEL_ASSERT(peer.value < endpoint_->peers.size());
  // Keys are random large numbers, so that a wrong key is not valid by chance.
  std::uint64_t key = 0;
  do {
    key = network_.random_() >> 1;
  } while (key == 0 || endpoint_->regions.contains(key));
  const std::uint64_t base =
      network_.options().virtual_addresses ? reinterpret_cast<std::uintptr_t>(memory.data()) : 0;
  endpoint_->regions.emplace(key, SimulatedRegion{peer, memory, base, access});
  return Registration{key, key, base};
}

void SimulatedTransport::deregister_memory(const Registration& region) {
  const std::size_t erased = endpoint_->regions.erase(region.id);
  LINTEL_ASSERT(erased == 1);
}

PostStatus SimulatedTransport::post_write(PeerId peer, const LocalMemory& from, RemoteMemory to,
                                          Immediate immediate, Context context) {
  LINTEL_ASSERT(from.length > 0 && from.length <= attributes().max_write_bytes);
  const auto region = endpoint_->regions.find(from.region.id);
  LINTEL_ASSERT(region != endpoint_->regions.end() &&
                region->second.access == Access::kWriteSource && region->second.peer == peer);
  const std::span<std::byte> covered = region->second.memory;
  LINTEL_ASSERT(from.data >= covered.data() && from.length <= covered.size() &&
                static_cast<std::size_t>(from.data - covered.data()) <=
                    covered.size() - from.length);

  const std::shared_ptr<SimulatedPair> pair = network_.pair(self(), name_of(peer));
  if (!endpoint_->alive || pair->writes >= network_.options().max_writes_in_flight)
    return PostStatus::kWouldBlock;

  auto write = std::make_shared<SimulatedWrite>(
      SimulatedWrite{{endpoint_, peer, context, InFlight(pair, &SimulatedPair::writes)},
                     network_.find(name_of(peer)),
                     from,
                     to,
                     immediate});
  keep(write);
  const TimePoint now = network_.now();
  const TimePoint landing = now + network_.random_delay();
  const TimePoint reading = network_.random_between(now, landing);
  const TimePoint done = network_.random_between(reading, landing + network_.random_delay());

  if (!write->target || !write->target->alive) {
    ++network_.counters_.writes_cancelled;
    // It never completes.
    if (write->target && write->target->silent) return PostStatus::kOk;
    network_.at(landing, [write] { write->finish(kRefused); });
    refuse(peer);
    return PostStatus::kOk;
  }
  const SimulatedConnection connection{endpoint_->connection_with(write->target->name),
                                       write->target->connection_with(self())};
  network_.at(reading, [&network = network_, write] {
    if (write->done) {
      write->cancelled = true;
      ++network.counters_.writes_cancelled;
      return;
    }
    const bool usable =
        write->source->alive && write->source->regions.contains(write->from.region.id);
    if (usable) {
      write->bytes.assign(write->from.data, write->from.data + write->from.length);
    } else {
      write->cancelled = true;
      ++network.counters_.writes_cancelled;
      write->finish(
          Error(Loss::kOperation, "simulated network", "the source of the write is gone"));
    }
  });
  network_.at(landing, [&network = network_, write, same = same_connection(peer), connection] {
    if (write->cancelled) return;
    SimulatedEndpoint& target = *write->target;
    if (target.has_ended(write->source->name, connection))
      return void(++network.counters_.writes_cancelled);
    if (!target.alive) {
      ++network.counters_.writes_cancelled;
      if (!target.silent) write->finish(kReset);
      return;
    }
    const auto found = target.regions.find(write->to.key);
    const std::size_t length = write->bytes.size();
    const SimulatedRegion* there = found == target.regions.end() ? nullptr : &found->second;
    const bool good = there != nullptr && there->access == Access::kWriteTarget &&
                      target.peers[there->peer.value] == write->source->name &&
                      write->to.address >= there->base &&
                      write->to.address - there->base <= there->memory.size() &&
                      length <= there->memory.size() - (write->to.address - there->base);
    if (!good) {
      ++network.counters_.writes_refused;
      const Error error(Loss::kPeer, "simulated network", "the peer has no such memory registered");
      write->finish(error);
      if (same()) write->source->report(ReportFailed{write->peer, error});
      return;
    }
    std::memcpy(there->memory.data() + (write->to.address - there->base), write->bytes.data(),
                length);
    ++network.counters_.writes;
    target.report(ReportImmediate{write->source->name, connection, write->immediate});
  });
  // After the bytes have been read; before or after they are in place.
  network_.at(done, [write] { write->finish(Error()); });
  return PostStatus::kOk;
}

std::size_t SimulatedTransport::poll(TimePoint now, Sink& sink) {
  network_.run_until(now);
  // Only the reports that exist now, so that a sink which answers at once does not keep poll()
  // busy.
  std::size_t reported = 0;
  for (std::size_t left = endpoint_->reports.size(); left > 0 && !endpoint_->reports.empty();
       --left, ++reported) {
    SimulatedReport report = std::move(endpoint_->reports.front());
    endpoint_->reports.pop_front();
    if (auto* message = std::get_if<SimulatedMessage>(&report)) {
      const MessageInDelivery delivery(delivered_, *message);
      hand_over(*message, sink);
    } else if (auto* left_report = std::get_if<ReportLeft>(&report)) {
      sink.on_message_left(left_report->to);
    } else if (auto* done = std::get_if<ReportWriteDone>(&report)) {
      sink.on_write_done(done->context, done->error);
    } else if (auto* immediate = std::get_if<ReportImmediate>(&report)) {
      sink.on_immediate(attributes().knows_source ? endpoint_->known(immediate->from) : kNoPeer,
                        immediate->immediate);
    } else if (auto* failed = std::get_if<ReportFailed>(&report)) {
      // A payload that has arrived is still reported: its report is behind this one in the queue.
      withdraw_placement(failed->peer);
      sink.on_peer_failed(failed->peer, failed->error);
    }
  }
  return reported;
}

void SimulatedTransport::hand_over(SimulatedMessage& message, Sink& sink) {
  message.in_flight = InFlight();
  endpoint_->heard[message.from] = message.connection.at_sender;
  const bool landed = message.payload && !message.payload->landed.empty();
  const PeerId from =
      landed || attributes().knows_source ? endpoint_->known(message.from) : kNoPeer;
  if (!message.payload) return sink.on_message(from, message.bytes);
  // First, because the sink may expect the next payload.
  if (landed) endpoint_->expected.erase(from);
  const std::span<const std::byte> bytes =
      landed ? message.payload->landed : std::span(message.payload->bytes);
  sink.on_placed_message(from, message.bytes, PlacedPayload{bytes, message.payload->bytes.size()});
}

}  // namespace lintel::transport
