#include "transport/session/session.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"
#include "transport/session/frame_format.h"

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
      tables_(*lower_, options),
      frames_(tables_),
      states_(tables_, frames_),
      liveness_(tables_, states_),
      introductions_(lower_->self(), options.incarnation,
                     attributes_.name + " " + attributes_.version, options.job_key,
                     SessionNumbers(options.random, options.incarnation)),
      handshakes_(options, tables_, frames_, states_, liveness_, introductions_),
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
    close(tables_.turn.now());
  } catch (const std::bad_alloc&) {
    ++tables_.counters.goodbyes_missed;
  }
  for (const auto& peer : tables_.peers.records()) end_unclosed(*peer);
}

Result<PeerId> Session::resolve(ProcessId name) {
  lock_.is_held();
  if (name != self()) return states_.peer_named(name);
  if (local_peer_ != kNoPeer) return local_peer_;
  if (tables_.peers.is_full()) return SessionStates::kTooManyPeers;
  PeerSession& local = tables_.peers.add(name, kNoPeer);
  local_peer_ = local.id;
  states_.enter(local, PeerState::kLocal);
  return local.id;
}

void Session::forget_surplus_peers() {
  for (std::size_t tries = tables_.peers.surplus(); tries > 0; --tries) {
    const auto forgotten = tables_.peers.forget_oldest();
    if (!forgotten) continue;
    lower_->forget(forgotten->lower);
    tables_.turn.sink().on_peer_forgotten(forgotten->id);
  }
}

ProcessId Session::name_of(PeerId peer) const {
  lock_.is_held();
  return tables_.peers.at(peer).name;
}

Result<Registration> Session::register_memory(PeerId peer, std::span<std::byte> memory,
                                              Access access) {
  lock_.is_held();
  if (tables_.peers.at(peer).state == PeerState::kLocal) return local_.register_memory(memory);
  Result<Registration> region =
      lower_->register_memory(tables_.peers.at(peer).lower, memory, access);
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
  PeerSession& peer = tables_.peers.at(id);
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
        states_.lose_outside_poll(peer, Error(Loss::kPeer, "post_write", "the connection is lost"));
      break;
  }
  if (status == PostStatus::kWouldBlock) ++tables_.counters.would_block;
  return status;
}

bool Session::expect_placement(PeerId id, PlacementKey key, std::span<std::byte> memory) {
  lock_.is_held();
  const PeerSession& peer = tables_.peers.at(id);
  return peer.state == PeerState::kOpen && lower_->expect_placement(peer.lower, key, memory);
}

Withdrawal Session::withdraw_placement(PeerId id) {
  lock_.is_held();
  const PeerSession& peer = tables_.peers.at(id);
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
  const PollTurn::Scope scope(tables_.turn, sink);
  const auto gap = static_cast<std::uint64_t>(tables_.turn.begin(now).count());
  tables_.counters.longest_poll_gap_ns = std::max(tables_.counters.longest_poll_gap_ns, gap);
  now = tables_.turn.now();
  if (tables_.timers.has_unstamped()) tables_.timers.stamp(now);
  if (!local_.empty()) tables_.turn.count(local_.deliver(local_peer_, sink));
  lower_->poll(now, *this);
  // After the poll of the lower transport, because frames that arrived meanwhile prove that their
  // sender is alive.
  if (tables_.timers.is_due(now)) run_timers();
  if (tables_.idle.is_due(now)) [[unlikely]]
    liveness_.ask_idle_peers();
  if (!hold || tables_.turn.reports() == 0) send_held();
  if (tables_.peers.surplus() > 0) forget_surplus_peers();
  return tables_.turn.reports();
}

void Session::run_timers() {
  tables_.timers.run(tables_.turn.now(), [this](PeerSession& peer) {
    lock_.is_held();
    if (peer.state == PeerState::kOpen ? liveness_.on_timer(peer) : handshakes_.on_timer(peer))
      tables_.timers.repeat(peer, tables_.turn.now());
  });
}

void Session::watch(PeerId id, bool watched) {
  lock_.is_held();
  liveness_.watch(tables_.peers.at(id), watched);
}

void Session::note_progress(PeerId id) {
  lock_.is_held();
  PeerSession& peer = tables_.peers.at(id);
  if (peer.state == PeerState::kOpen) liveness_.heard_from(peer, true);
}

void Session::flush(Sink& sink) {
  lock_.is_held();
  const PollTurn::Scope scope(tables_.turn, sink);
  send_held();
}

void Session::send_held() {
  if (tables_.pending.is_due()) serve_pending();
  if (tables_.timers.has_unstamped()) tables_.timers.stamp(tables_.turn.now());
}

TimePoint Session::next_deadline() const {
  lock_.is_held();
  if (work_waits()) return tables_.turn.now();
  TimePoint deadline = std::min(lower_->next_deadline(), tables_.timers.next_deadline());
  deadline = std::min(deadline, tables_.pending.next_deadline(tables_.turn.now()));
  return std::min(deadline, tables_.idle.next_deadline());
}

bool Session::prepare_wait() {
  lock_.is_held();
  return !work_waits() && lower_->prepare_wait();
}

void Session::on_write_done(Context context, Error error) {
  lock_.is_held();
  tables_.turn.report().on_write_done(context, error);
}

void Session::on_job_key() {
  lock_.is_held();
  handshakes_.on_job_key();
}

void Session::on_immediate(PeerId lower, Immediate immediate) {
  lock_.is_held();
  PeerId from = kNoPeer;
  if (lower != kNoPeer) {
    const PeerSession* const peer = tables_.peers.find_by_lower(lower);
    if (peer == nullptr || peer->state != PeerState::kOpen)
      return void(++tables_.counters.malformed_source);
    from = peer->id;
  }
  tables_.turn.report().on_immediate(from, immediate);
}

}  // namespace lintel::transport
