#include "transport/session/session.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/assert.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {

namespace {

constexpr std::size_t kSmallestFrame = 256;

std::size_t frame_limit(const TransportAttributes& lower) {
  return lower.max_message_bytes & ~(kRecordAlignment - 1);
}

}  // namespace

Session::Session(std::unique_ptr<Transport> lower, const SessionOptions& options)
    : lower_(std::move(lower)),
      options_(options),
      attributes_(lower_->attributes()),
      frame_limit_(frame_limit(attributes_)),
      introductions_(lower_->self(), options.incarnation,
                     attributes_.name + " " + attributes_.version, options.job_key,
                     SessionNumbers(options.random, options.incarnation)),
      peers_(options.max_peers, options.max_closed_peers),
      callers_(options.max_callers),
      timers_(options.dead_peer_deadline, options.connect_deadline),
      idle_(options.max_idle_sessions, options.dead_peer_deadline),
      local_(frame_limit_ - sizeof(FrameHeader) - sizeof(RecordHeader),
             options.max_local_messages) {
  LINTEL_ASSERT(attributes_.independent_reservations);
  LINTEL_ASSERT(frame_limit_ >= kSmallestFrame && frame_limit_ <= 0xffffffffU);
  LINTEL_ASSERT(options_.incarnation != 0 && options_.window_frames > 0);
  LINTEL_ASSERT(options_.max_callers > 0);
  attributes_.max_message_bytes = frame_limit_ - sizeof(FrameHeader) - sizeof(RecordHeader);
  const std::size_t placed_frame = attributes_.max_placed_message & ~(kRecordAlignment - 1);
  attributes_.max_placed_message =
      placed_frame - std::min(placed_frame, sizeof(FrameHeader) + sizeof(RecordHeader));
  attributes_.knows_source = true;
  attributes_.independent_reservations = false;
  if (options_.job_key != nullptr) options_.job_key->set_user(this);
}

Session::~Session() {
  if (options_.job_key != nullptr) options_.job_key->set_user(nullptr);
  try {
    close(turn_.now());
  } catch (const std::bad_alloc&) {
    ++counters_.goodbyes_missed;
  }
  for (const auto& peer : peers_.records()) end_unclosed(*peer);
}

Result<PeerId> Session::resolve(ProcessId name) {
  lock_.is_held();
  if (const PeerId known = peers_.find(name); known != kNoPeer) return known;
  if (peers_.is_full())
    return Error(Loss::kOperation, "session", "too many peers are known already");
  if (name == self()) {
    PeerSession& local = peers_.add(name, kNoPeer);
    local_peer_ = local.id;
    enter(local, PeerState::kLocal);
    return local.id;
  }
  const Result<PeerId> lower = lower_->resolve(name);
  if (!lower) return lower.error();
  return peers_.add(name, *lower).id;
}

void Session::forget_surplus_peers() {
  for (std::size_t tries = peers_.surplus(); tries > 0; --tries) {
    const auto forgotten = peers_.forget_oldest();
    if (!forgotten) continue;
    lower_->forget(forgotten->lower);
    turn_.sink().on_peer_forgotten(forgotten->id);
  }
}

ProcessId Session::name_of(PeerId peer) const {
  lock_.is_held();
  return peers_.at(peer).name;
}

void Session::enter(PeerSession& peer, PeerState next) {
  const auto from = [&peer](auto... states) { return ((peer.state == states) || ...); };
  bool legal = false;
  switch (next) {
    case PeerState::kClosed:
      legal =
          from(PeerState::kConnecting, PeerState::kWelcoming, PeerState::kOpen, PeerState::kLost);
      break;
    case PeerState::kConnecting: legal = from(PeerState::kClosed, PeerState::kWelcoming); break;
    case PeerState::kWelcoming: legal = from(PeerState::kClosed, PeerState::kConnecting); break;
    case PeerState::kOpen: legal = from(PeerState::kWelcoming); break;
    case PeerState::kLost:
      legal = from(PeerState::kConnecting, PeerState::kWelcoming, PeerState::kOpen);
      break;
    case PeerState::kLocal: legal = from(PeerState::kClosed); break;
  }
  LINTEL_ASSERT(legal);
  if (peer.state == PeerState::kClosed) peers_.in_use(peer);
  if (peer.state == PeerState::kWelcoming) callers_.remove(peer);
  if (peer.state == PeerState::kOpen) idle_.remove(peer);
  if (next == PeerState::kClosed) peers_.closed(peer);
  if (next == PeerState::kOpen) idle_.add(peer, turn_.now());
  peer.state = next;
  if (next != PeerState::kClosed) peer.not_reached = Error();
}

// The peer is kWelcoming and nobody here waits for it.
void Session::note_caller(PeerSession& peer) {
  PeerSession* const displaced = callers_.add(peer);
  if (displaced == nullptr) return;
  ++counters_.callers_dropped;
  drop_handshake(*displaced);
}

Result<Registration> Session::register_memory(PeerId peer, std::span<std::byte> memory,
                                              Access access) {
  lock_.is_held();
  if (peers_.at(peer).state == PeerState::kLocal) return local_.register_memory(memory);
  Result<Registration> region = lower_->register_memory(peers_.at(peer).lower, memory, access);
  LINTEL_ASSERT(!region || (region->id & LocalLoop::kLocalRegion) == 0);
  return region;
}

void Session::deregister_memory(const Registration& region) {
  lock_.is_held();
  if ((region.id & LocalLoop::kLocalRegion) != 0) {
    local_.deregister_memory(region);
  } else {
    lower_->deregister_memory(region);
  }
}

PostStatus Session::post_write(PeerId id, const LocalMemory& from, RemoteMemory to,
                               Immediate immediate, Context context) {
  lock_.is_held();
  PeerSession& peer = peers_.at(id);
  PostStatus status = PostStatus::kFailed;
  switch (peer.state) {
    case PeerState::kLocal: status = local_.post_write(from, to, immediate, context); break;
    case PeerState::kConnecting:
    case PeerState::kWelcoming: status = PostStatus::kWouldBlock; break;
    case PeerState::kClosed:
    case PeerState::kLost: break;
    case PeerState::kOpen:
      status = lower_->post_write(peer.lower, from, to, immediate, context);
      if (status == PostStatus::kFailed)
        lose_outside_poll(peer, Error(Loss::kPeer, "post_write", "the connection is lost"));
      break;
  }
  if (status == PostStatus::kWouldBlock) ++counters_.would_block;
  return status;
}

bool Session::expect_placement(PeerId id, PlacementKey key, std::span<std::byte> memory) {
  lock_.is_held();
  const PeerSession& peer = peers_.at(id);
  return peer.state == PeerState::kOpen && lower_->expect_placement(peer.lower, key, memory);
}

Withdrawal Session::withdraw_placement(PeerId id) {
  lock_.is_held();
  const PeerSession& peer = peers_.at(id);
  return peer.state == PeerState::kLocal ? Withdrawal::kNone
                                         : lower_->withdraw_placement(peer.lower);
}

std::size_t Session::poll(TimePoint now, Sink& sink) {
  lock_.is_held();
  return run_poll(now, sink, false);
}

std::size_t Session::poll_arrivals(TimePoint now, Sink& sink) {
  lock_.is_held();
  return run_poll(now, sink, true);
}

std::size_t Session::run_poll(TimePoint now, Sink& sink, bool hold) {
  const PollTurn::Scope scope(turn_, sink);
  const auto gap = static_cast<std::uint64_t>(turn_.begin(now).count());
  counters_.longest_poll_gap_ns = std::max(counters_.longest_poll_gap_ns, gap);
  now = turn_.now();
  if (timers_.has_unstamped()) timers_.stamp(now);
  if (!local_.empty()) turn_.count(local_.deliver(local_peer_, sink));
  lower_->poll(now, *this);
  // After the poll of the lower transport, because frames that arrived meanwhile prove that their
  // sender is alive.
  if (timers_.is_due(now)) run_timers();
  if (idle_.is_due(now)) [[unlikely]]
    ask_idle_peers();
  if (!hold || turn_.reports() == 0) send_held();
  if (peers_.surplus() > 0) forget_surplus_peers();
  return turn_.reports();
}

void Session::flush(Sink& sink) {
  lock_.is_held();
  const PollTurn::Scope scope(turn_, sink);
  send_held();
}

void Session::send_held() {
  if (pending_.is_due()) serve_pending();
  if (timers_.has_unstamped()) timers_.stamp(turn_.now());
}

TimePoint Session::next_deadline() const {
  lock_.is_held();
  if (work_waits()) return turn_.now();
  TimePoint deadline = std::min(lower_->next_deadline(), timers_.next_deadline());
  deadline = std::min(deadline, pending_.next_deadline(turn_.now()));
  return std::min(deadline, idle_.next_deadline());
}

bool Session::prepare_wait() {
  lock_.is_held();
  return !work_waits() && lower_->prepare_wait();
}

void Session::on_write_done(Context context, Error error) {
  lock_.is_held();
  turn_.report().on_write_done(context, error);
}

void Session::on_immediate(PeerId lower, Immediate immediate) {
  lock_.is_held();
  PeerId from = kNoPeer;
  if (lower != kNoPeer) {
    const PeerSession* const peer = peers_.find_by_lower(lower);
    if (peer == nullptr || peer->state != PeerState::kOpen)
      return void(++counters_.malformed_source);
    from = peer->id;
  }
  turn_.report().on_immediate(from, immediate);
}

}  // namespace lintel::transport
