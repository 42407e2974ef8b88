#include "transport/faulty/faulty_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

namespace {

// When to poll again after a call that was blocked, because no event reports the end of the period.
constexpr Nanoseconds kNoRoomRetry = std::chrono::microseconds(100);
constexpr std::size_t kMaxDelayedPerPeer = 1024;

}  // namespace

FaultyTransport::FaultyTransport(std::unique_ptr<Transport> wrapped, const FaultPlan& plan)
    : wrapped_(std::move(wrapped)),
      attributes_(wrapped_->attributes()),
      plan_(plan),
      random_(plan.seed) {
  if (plan_.has_other_than_resets())
    attributes_.max_placed_bytes = attributes_.max_placed_message = 0;
}

FaultyTransport::FaultyPeer& FaultyTransport::at(PeerId peer) {
  if (peer.value >= peers_.size()) peers_.resize(peer.value + 1);
  return peers_[peer.value];
}

bool FaultyTransport::has_no_room() {
  if (no_room_calls_ == 0 && happens(plan_.block)) no_room_calls_ = plan_.block_calls;
  if (no_room_calls_ == 0) return false;
  --no_room_calls_;
  ++counters_.blocked;
  blocked_since_poll_ = true;
  return true;
}

// Whether the peer is dead, or dies when this message is sent.
bool FaultyTransport::dies(PeerId id, FaultyPeer& peer) {
  if (!plan_.death || wrapped_->name_of(id).pid != plan_.death->pid) return false;
  ++peer.messages;
  if (!peer.dead && peer.messages < plan_.death->nth_message) return false;
  peer.dead = true;
  peer.delayed.clear();
  return true;
}

MessageBuffer FaultyTransport::reserve(PeerId peer, std::size_t bytes) {
  lock_.is_held();
  return has_no_room() ? MessageBuffer{} : wrapped_->reserve(peer, bytes);
}

void FaultyTransport::disconnect(PeerId id) {
  lock_.is_held();
  FaultyPeer& peer = at(id);
  peer.delayed.clear();
  peer.copies_left = 0;
  reports_.cancel(id);
  for (const Context context : std::exchange(peer.discarded, {}))
    reports_.add_write_failed(context);
  wrapped_->disconnect(id);
}

PostStatus FaultyTransport::commit(PeerId to, const MessageBuffer& buffer, std::size_t bytes) {
  lock_.is_held();
  if (has_no_room()) return PostStatus::kWouldBlock;
  FaultyPeer& peer = at(to);
  if (dies(to, peer)) {
    ++counters_.discarded;
    wrapped_->abandon(to, buffer);
    if (plan_.death->silent) {
      reports_.add_left(to);
    } else {
      reports_.add_failed(to, "commit");
    }
    return PostStatus::kOk;
  }
  if (happens(plan_.post_failure)) {
    ++counters_.post_failures;
    reports_.add_failed(to, "commit");
    return PostStatus::kFailed;
  }
  if (happens(plan_.drop)) {
    ++counters_.dropped;
    wrapped_->abandon(to, buffer);
    reports_.add_left(to);
    return PostStatus::kOk;
  }
  if (!peer.delayed.empty() || happens(plan_.delay)) {
    if (peer.delayed.size() >= kMaxDelayedPerPeer) return PostStatus::kWouldBlock;
    ++counters_.delayed;
    const auto wait = Nanoseconds(static_cast<std::int64_t>(
        random_() % (static_cast<std::uint64_t>(plan_.longest_delay.count()) + 1)));
    const TimePoint due = peer.delayed.empty() ? now_ + wait : peer.delayed.back().due;
    peer.delayed.push_back({due, {buffer.data, buffer.data + bytes}});
    wrapped_->abandon(to, buffer);
    return PostStatus::kOk;
  }
  std::vector<std::byte> copy;
  if (happens(plan_.duplicate)) copy.assign(buffer.data, buffer.data + bytes);
  const PostStatus status = wrapped_->commit(to, buffer, bytes);
  if (status != PostStatus::kOk && peer.messages > 0) --peer.messages;  // it was not sent
  if (status == PostStatus::kOk && !copy.empty() && send_copy(to, copy)) {
    ++counters_.duplicated;
    ++at(to).copies_left;
  }
  return sent(to, status);
}

// After each call that sends: the connection may be lost with it.
PostStatus FaultyTransport::sent(PeerId to, PostStatus status) {
  if (status == PostStatus::kOk && happens(plan_.reset)) {
    ++counters_.resets;
    wrapped_->interrupt(to);
  }
  return status;
}

PostStatus FaultyTransport::commit_placed(PeerId to, const MessageBuffer& buffer, std::size_t bytes,
                                          std::span<const std::byte> payload, PlacementKey key,
                                          Context context) {
  lock_.is_held();
  return sent(to, wrapped_->commit_placed(to, buffer, bytes, payload, key, context));
}

bool FaultyTransport::send_copy(PeerId to, std::span<const std::byte> bytes) {
  const MessageBuffer buffer = wrapped_->reserve(to, bytes.size());
  if (!buffer) return false;
  std::memcpy(buffer.data, bytes.data(), bytes.size());
  if (wrapped_->commit(to, buffer, bytes.size()) == PostStatus::kOk) return true;
  wrapped_->abandon(to, buffer);
  return false;
}

PostStatus FaultyTransport::post_write(PeerId to, const LocalMemory& from, RemoteMemory target,
                                       Immediate immediate, Context context) {
  lock_.is_held();
  if (has_no_room()) return PostStatus::kWouldBlock;
  if (is_dead(to)) {
    ++counters_.discarded;
    if (plan_.death->silent) {
      at(to).discarded.push_back(context);
      return PostStatus::kOk;
    }
    reports_.add_write_failed(context);
    reports_.add_failed(to, "post_write");
    return PostStatus::kOk;
  }
  if (happens(plan_.post_failure)) {
    ++counters_.post_failures;
    reports_.add_failed(to, "post_write");
    return PostStatus::kFailed;
  }
  return sent(to, wrapped_->post_write(to, from, target, immediate, context));
}

// Sends the delayed messages that are due. If there is no room, they stay in order.
void FaultyTransport::release_delayed() {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    std::deque<Delayed>& delayed = peers_[i].delayed;
    while (!delayed.empty() && delayed.front().due <= now_ &&
           send_copy(PeerId{static_cast<std::uint32_t>(i)}, delayed.front().bytes)) {
      delayed.pop_front();
    }
    if (!delayed.empty() && delayed.front().due <= now_) blocked_since_poll_ = true;
  }
}

std::size_t FaultyTransport::poll(TimePoint now, Sink& sink) {
  lock_.is_held();
  now_ = std::max(now_, now);
  sink_ = &sink;
  blocked_since_poll_ = false;
  std::size_t reported = reports_.tell(sink);
  reported += wrapped_->poll(now, *this);
  release_delayed();
  sink_ = nullptr;
  return reported;
}

bool FaultyTransport::close(TimePoint now) {
  lock_.is_held();
  const bool held_back = std::any_of(peers_.begin(), peers_.end(),
                                     [](const FaultyPeer& peer) { return !peer.delayed.empty(); });
  return reports_.empty() && !held_back && wrapped_->close(now);
}

TimePoint FaultyTransport::next_deadline() const {
  lock_.is_held();
  if (!reports_.empty()) return now_;
  TimePoint deadline = wrapped_->next_deadline();
  if (blocked_since_poll_) deadline = std::min(deadline, now_ + kNoRoomRetry);
  for (const FaultyPeer& peer : peers_) {
    // An overdue message had no room, which kNoRoomRetry covers.
    if (!peer.delayed.empty() && peer.delayed.front().due > now_)
      deadline = std::min(deadline, peer.delayed.front().due);
  }
  return deadline;
}

void FaultyTransport::on_message(PeerId from, std::span<const std::byte> message) {
  lock_.is_held();
  if (is_dead(from)) {
    ++counters_.discarded;
    return;
  }
  sink_->on_message(from, message);
}

void FaultyTransport::on_placed_message(PeerId from, std::span<const std::byte> message,
                                        const PlacedPayload& payload) {
  lock_.is_held();
  sink_->on_placed_message(from, message, payload);
}

void FaultyTransport::on_message_left(PeerId to) {
  lock_.is_held();
  FaultyPeer& peer = at(to);
  if (peer.copies_left > 0) {
    --peer.copies_left;
    return;
  }
  sink_->on_message_left(to);
}

void FaultyTransport::on_write_done(Context context, Error error) {
  lock_.is_held();
  if (error.ok() && happens(plan_.write_error)) {
    ++counters_.write_errors;
    error = Error(Loss::kOperation, "post_write", "fault injected: the completion failed");
  }
  sink_->on_write_done(context, error);
}

void FaultyTransport::on_immediate(PeerId from, Immediate immediate) {
  lock_.is_held();
  sink_->on_immediate(from, immediate);
}

void FaultyTransport::on_contested(PeerId peer) {
  lock_.is_held();
  sink_->on_contested(peer);
}

void FaultyTransport::on_peer_failed(PeerId peer, Error error) {
  lock_.is_held();
  at(peer).delayed.clear();
  at(peer).copies_left = 0;
  sink_->on_peer_failed(peer, error);
}

}  // namespace lintel::transport
