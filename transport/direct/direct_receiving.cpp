// What poll() reads from the socket of one connection, and how it is delivered.
#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "transport/direct/connection.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

// Of one connection: bounds poll() when a peer sends without pause.
constexpr int kReadsPerPoll = 8;
// If a long payload with its own place is due, or may be as the answer to one, little more than its
// header is read first, so that the rest does not pass through a buffer. For a short placed message
// this would be slower than a copy, because it takes a second call, in which the kernel also sends
// a window update.
constexpr std::size_t kLittle = 128 * 1024;
constexpr std::size_t kShortLook = 1024;

}  // namespace

bool DirectTransport::much_is_due(const Connection& connection) const {
  const DirectPeer& peer = at(connection.peer);
  return peer.targets > 0 || (peer.expects && peer.landing.size() > kLittle) ||
         connection.outbound.keeps_memory(kLittle);
}

// Reads what has arrived. True: there may be more.
bool DirectTransport::receive(Connection& connection) {
  InboundStream& stream = *connection.stream;
  for (int read = 0; read < kReadsPerPoll; ++read) {
    if (stream.state() != InboundStream::StreamState::kReading) return false;
    const std::span<const iovec> room = stream.room(
        much_is_due(connection) && !connection.is_ending ? kShortLook : buffers_.bytes());
    if (room.empty()) return false;  // no memory for a buffer now
    const ssize_t got = receive_from(connection.fd.get(), room);
    if (got <= 0) {
      if (got < 0 && errno == EAGAIN) return false;
      lost(connection, connection.is_ending ? connection.ending : broken(got == 0 ? 0 : errno));
      return false;
    }
    connection.unsent_quarters = 0;
    const std::size_t asked = room[0].iov_len + (room.size() > 1 ? room[1].iov_len : 0);
    stream.arrived(static_cast<std::size_t>(got), connection);
    if (connection.phase != Connection::Phase::kOpen) return false;  // ended by a call of the sink
    note_arrived(connection);
    if (stream.state() == InboundStream::StreamState::kBroken) {
      ++counters_.broken_streams;
      fail(connection.peer, {Loss::kPeer, "recv", stream.reason()});
      return false;
    }
    if (stream.is_waiting()) {
      deliver_later(connection);
      return false;
    }
    if (static_cast<std::size_t>(got) < asked) return false;
  }
  return true;
}

// Its stream waits for resume_stalled(): in the next poll(), or when there is memory.
void DirectTransport::deliver_later(Connection& connection) {
  stalled_.push_back(&connection);
  if (connection.stream->state() != InboundStream::StreamState::kStalled) return;
  check_for_stuck_peers();
  if (connection.watched != Connection::kUnwatched)
    watch_for(connection, connection.watched & ~std::uint32_t{EPOLLIN});
}

// Something was received and is to be acknowledged, unless an answer has taken that along already.
void DirectTransport::note_arrived(Connection& connection) {
  connection.heard_in = polls_;
  connection.heard_at = now_;
  if (connection.untold() == 0) {
    connection.wanted = 0;
    return;
  }
  if (!connection.is_acknowledging) {
    connection.is_acknowledging = true;
    acknowledging_.push_back(&connection);
  }
  acknowledge_at_ = std::min(acknowledge_at_, acknowledgement_deadline(connection));
}

bool DirectTransport::may_resume(const Connection& connection) const {
  if (connection.stream->state() == InboundStream::StreamState::kPaused) return true;
  const DirectPeer& peer = at(connection.peer);
  return placement_enabled_ && connection.is_admitted &&
         (unexpected_ < kUnexpectedSlots ||
          (peer.expects && peer.expected == connection.stalled_key));
}

// Returns whether a stream had paused.
bool DirectTransport::resume_stalled() {
  bool had_paused = false;
  resuming_stalled_.swap(stalled_);
  for (Connection* const connection : resuming_stalled_) {
    if (connection->phase != Connection::Phase::kOpen) continue;  // ended by a call of the sink
    if (may_resume(*connection)) {
      had_paused |= connection->stream->state() == InboundStream::StreamState::kPaused;
      connection->stream->resume(*connection);
      if (connection->phase != Connection::Phase::kOpen) continue;
      note_arrived(*connection);
    }
    switch (connection->stream->state()) {
      case InboundStream::StreamState::kStopped: break;
      case InboundStream::StreamState::kPaused: deliver_later(*connection); break;
      case InboundStream::StreamState::kStalled:
        deliver_later(*connection);
        // Its end did not wait for memory: what waits for it comes again on another connection.
        if (connection->is_ending && connection->can_resume()) ending_.push_back(connection);
        break;
      case InboundStream::StreamState::kReading:
        watch_for(*connection, connection->outbound.waits() ? EPOLLIN | EPOLLOUT : EPOLLIN);
        if (connection->is_ending) ending_.push_back(connection);
        break;
      case InboundStream::StreamState::kBroken:
        ++counters_.broken_streams;
        fail(connection->peer, {Loss::kPeer, "recv", connection->stream->reason()});
        break;
    }
  }
  resuming_stalled_.clear();
  return had_paused;
}

void DirectTransport::Connection::on_message(std::span<const std::byte> message) {
  owner.lock_.is_held();
  ++owner.reports_;
  try {
    owner.sink_->on_message(peer, message);
  } catch (const std::bad_alloc&) {
    owner.no_memory_for(*this);
  }
}

std::byte* DirectTransport::Connection::place_of_write(RemoteMemory where, std::size_t length) {
  owner.lock_.is_held();
  const auto target = owner.targets_.find(where.key);
  if (target == owner.targets_.end() || target->second.peer != peer) return nullptr;
  const std::span<std::byte> memory = target->second.memory;
  if (where.address > memory.size() || length > memory.size() - where.address) return nullptr;
  target->second.writer = this;
  written_key = where.key;
  return memory.data() + where.address;
}

void DirectTransport::Connection::on_write_in_place(Immediate immediate) {
  owner.lock_.is_held();
  owner.targets_.at(written_key).writer = nullptr;  // it exists: deregister_memory() cuts the write
  written_key = 0;
  ++owner.reports_;
  try {
    owner.sink_->on_immediate(peer, immediate);
  } catch (const std::bad_alloc&) {
    owner.no_memory_for(*this);
  }
}

std::span<std::byte> DirectTransport::Connection::place_of_payload(PlacementKey placement) {
  owner.lock_.is_held();
  stalled_key = placement;
  if (!owner.placement_enabled_ || !is_admitted) return {};
  const DirectPeer& from = owner.at(peer);
  if (from.expects && from.expected == placement) {
    is_expected = true;
    return from.landing;
  }
  if (owner.unexpected_ == kUnexpectedSlots) return {};
  if (!owner.unexpected_memory_.empty()) {
    unexpected = std::move(owner.unexpected_memory_.back());
    owner.unexpected_memory_.pop_back();
  } else {
    unexpected.reset(new (std::nothrow) std::byte[kMaxPlacedBytes]);
    if (!unexpected) return {};  // tried again by resume_stalled()
  }
  ++owner.unexpected_;
  return {unexpected.get(), kMaxPlacedBytes};
}

void DirectTransport::Connection::on_placed_message(std::span<const std::byte> message,
                                                    const PlacedPayload& payload) {
  owner.lock_.is_held();
  // First, because the sink may expect the next payload.
  if (std::exchange(is_expected, false)) owner.at(peer).expects = false;
  ++owner.reports_;
  try {
    owner.sink_->on_placed_message(peer, message, payload);
  } catch (const std::bad_alloc&) {
    owner.no_memory_for(*this);
  }
  owner.give_back_unexpected(*this);
}

void DirectTransport::give_back_unexpected(Connection& connection) {
  if (!connection.unexpected) return;
  unexpected_memory_.push_back(std::move(connection.unexpected));
  --unexpected_;
}

}  // namespace lintel::transport
