#include "transport/session/session.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/assert.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {

namespace {

// When to try again if the lower transport had no room and no event is expected.
constexpr Nanoseconds kRoomRetry = std::chrono::milliseconds(1);

constexpr std::size_t kSmallestFrame = 256;

std::size_t frame_limit(const TransportAttributes& lower) {
  return lower.max_message_bytes & ~(kRecordAlignment - 1);
}

// The sink of one poll. Also ends with a turn that is abandoned for lack of memory.
class SinkScope {
 public:
  SinkScope(Sink*& current, Sink& sink) : current_(current) { current = &sink; }
  ~SinkScope() { current_ = nullptr; }
  SinkScope(const SinkScope&) = delete;
  SinkScope& operator=(const SinkScope&) = delete;

 private:
  Sink*& current_;
};

}  // namespace

Session::Session(std::unique_ptr<Transport> lower, const SessionOptions& options)
    : lower_(std::move(lower)),
      options_(options),
      attributes_(lower_->attributes()),
      frame_limit_(frame_limit(attributes_)),
      introductions_(lower_->self(), options.incarnation,
                     attributes_.name + " " + attributes_.version, options.job_key,
                     SessionNumbers(options.random, options.incarnation)),
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
    close(now_);
  } catch (const std::bad_alloc&) {
    ++counters_.goodbyes_missed;
  }
  for (const auto& peer : peers_) end_unclosed(*peer);
}

Result<PeerId> Session::resolve(ProcessId name) {
  lock_.is_held();
  if (const auto known = peer_of_name_.find(name); known != peer_of_name_.end())
    return known->second;
  if (peer_of_name_.size() >= options_.max_peers)
    return Error(Loss::kOperation, "session", "too many peers are known already");
  const bool local = name == self();
  PeerId lower = kNoPeer;
  if (!local) {
    const Result<PeerId> resolved = lower_->resolve(name);
    if (!resolved) return resolved.error();
    lower = *resolved;
  }
  PeerSession& peer = unused_record();
  if (!local && lower.value >= peer_of_lower_.size())
    peer_of_lower_.resize(lower.value + 1, kNoPeer.value);
  peer_of_name_.emplace(name, peer.id);
  // From here on, nothing needs memory that there may not be.
  reusable_.take();
  peer.lower = lower;
  peer.name = name;
  closed_.push_back(peer);
  ++closed_count_;
  if (local) {
    local_peer_ = peer.id;
    enter(peer, PeerState::kLocal);
  } else {
    peer_of_lower_[lower.value] = peer.id.value;
  }
  return peer.id;
}

// A record without a name. The caller takes its id.
PeerSession& Session::unused_record() {
  return at(reusable_.next([this] {
    lock_.is_held();
    peers_.push_back(std::make_unique<PeerSession>());
    peers_.back()->id = PeerId(static_cast<std::uint32_t>(peers_.size() - 1));
  }));
}

// So that a process that meets many peers, one after the other, keeps the records of few.
void Session::forget_closed_peers() {
  for (std::size_t tries = closed_count_ - options_.max_closed_peers; tries > 0; --tries) {
    PeerSession& oldest = closed_.front();
    closed_.pop_front();
    closed_.push_back(oldest);
    if (oldest.can_be_forgotten()) drop_record(oldest);
  }
}

void Session::drop_record(PeerSession& peer) {
  const PeerId id = peer.id;
  const PeerId lower = peer.lower;
  auto unused = std::make_unique<PeerSession>();  // first: there may be no memory
  peer_of_name_.erase(peer.name);
  peer_of_lower_[lower.value] = kNoPeer.value;
  --closed_count_;
  // A closed peer without a name: what arrives for its slot matches nothing.
  peers_[id.value] = std::move(unused);
  at(id).id = id;
  reusable_.give_back(id);
  lower_->forget(lower);
  sink_->on_peer_forgotten(id);
}

ProcessId Session::name_of(PeerId peer) const {
  lock_.is_held();
  return at(peer).name;
}

PeerSession* Session::find_by_lower(PeerId lower) {
  if (lower.value >= peer_of_lower_.size()) return nullptr;
  const std::uint32_t index = peer_of_lower_[lower.value];
  return index == kNoPeer.value ? nullptr : peers_[index].get();
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
  if (peer.state == PeerState::kClosed) {
    peer.unused_hook.unlink();
    --closed_count_;
  }
  if (peer.state == PeerState::kWelcoming) no_caller(peer);
  if (peer.state == PeerState::kOpen) idle_.remove(peer);
  if (next == PeerState::kClosed) {
    closed_.push_back(peer);
    ++closed_count_;
  }
  if (next == PeerState::kOpen) idle_.add(peer, now_);
  peer.state = next;
  if (next != PeerState::kClosed) peer.not_reached = Error();
}

// The peer is kWelcoming and nobody here waits for it. At the limit the caller goes that has had
// the most time to prove who it is.
void Session::note_caller(PeerSession& peer) {
  callers_.push_back(peer);
  if (++callers_count_ <= options_.max_callers) return;
  ++counters_.callers_dropped;
  drop_handshake(callers_.front());
}

void Session::no_caller(PeerSession& peer) {
  if (!peer.unused_hook.is_linked()) return;
  peer.unused_hook.unlink();
  --callers_count_;
}

void Session::need_attention(PeerSession& peer) {
  if (!peer.pending_hook.is_linked()) pending_.push_back(peer);
  work_waits_ = true;
}

Result<Registration> Session::register_memory(PeerId peer, std::span<std::byte> memory,
                                              Access access) {
  lock_.is_held();
  if (at(peer).state == PeerState::kLocal) return local_.register_memory(memory);
  Result<Registration> region = lower_->register_memory(at(peer).lower, memory, access);
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
  PeerSession& peer = at(id);
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
  const PeerSession& peer = at(id);
  return peer.state == PeerState::kOpen && lower_->expect_placement(peer.lower, key, memory);
}

Withdrawal Session::withdraw_placement(PeerId id) {
  lock_.is_held();
  const PeerSession& peer = at(id);
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
  LINTEL_ASSERT(sink_ == nullptr);
  now = std::max(now, now_);
  if (polled_)
    counters_.longest_poll_gap_ns =
        std::max(counters_.longest_poll_gap_ns, static_cast<std::uint64_t>((now - now_).count()));
  polled_ = true;
  now_ = now;
  const SinkScope scope(sink_, sink);
  reports_ = 0;
  if (!unstamped_.empty()) stamp_new_timers();
  if (!local_.empty()) reports_ += local_.deliver(local_peer_, sink);
  lower_->poll(now, *this);
  // After the poll of the lower transport, because frames that arrived meanwhile prove that their
  // sender is alive.
  if (now >= earliest_timer_) run_timers();
  if (idle_.is_due(now)) [[unlikely]]
    ask_idle_peers();
  if (!hold || reports_ == 0) send_held();
  if (closed_count_ > options_.max_closed_peers) forget_closed_peers();
  return reports_;
}

void Session::flush(Sink& sink) {
  lock_.is_held();
  LINTEL_ASSERT(sink_ == nullptr);
  const SinkScope scope(sink_, sink);
  send_held();
}

void Session::send_held() {
  if (work_waits_ || room_awaited_ || !pending_.empty()) serve_pending();
  if (!unstamped_.empty()) stamp_new_timers();
}

TimePoint Session::next_deadline() const {
  lock_.is_held();
  if (work_waits()) return now_;
  TimePoint deadline = lower_->next_deadline();
  // May be too early: run_timers() then corrects it.
  if (!timed_.empty()) deadline = std::min(deadline, earliest_timer_);
  if (room_awaited_) deadline = std::min(deadline, now_ + kRoomRetry);
  return std::min(deadline, idle_.next_deadline());
}

bool Session::prepare_wait() {
  lock_.is_held();
  return !work_waits() && lower_->prepare_wait();
}

void Session::on_write_done(Context context, Error error) {
  lock_.is_held();
  ++reports_;
  sink_->on_write_done(context, error);
}

void Session::on_immediate(PeerId lower, Immediate immediate) {
  lock_.is_held();
  PeerId from = kNoPeer;
  if (lower != kNoPeer) {
    const PeerSession* const peer = find_by_lower(lower);
    if (peer == nullptr || peer->state != PeerState::kOpen)
      return void(++counters_.malformed_source);
    from = peer->id;
  }
  ++reports_;
  sink_->on_immediate(from, immediate);
}

}  // namespace lintel::transport
