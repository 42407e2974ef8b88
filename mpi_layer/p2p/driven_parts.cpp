#include "mpi_layer/p2p/driven_parts.h"

#include <algorithm>

namespace lintel::mpi {
namespace {

using portals::EventKind;
using portals::Status;
namespace option = portals::option;

// The most entries that an interface may have (NetworkInterface). Those that receives do not use
// are for the rests of long sends.
constexpr std::uint32_t kEntries = 250'000;
constexpr std::uint32_t kRestEntries = 40'000;

MessengerOptions clamped(MessengerOptions options) {
  options.most_processes = std::max<std::uint32_t>(options.most_processes, 1);
  options.most_receives =
      std::clamp<std::uint32_t>(options.most_receives, 1, kEntries - kRestEntries);
  return options;
}

}  // namespace

DrivenParts::DrivenParts(portals::Process& process, const MessengerOptions& options)
    : options_(clamped(options)),
      engine_(process),
      credit_(deferred_work_),
      controls_(engine_, deferred_work_),
      watch_(engine_, peers_, controls_, options_.contact_after, options_.list_completed),
      unexpected_blocks_(engine_),
      placement_(engine_, controls_),
      ends_(watch_, deferred_work_, options_.list_completed),
      sends_(shared()),
      receives_(shared(), unexpected_blocks_, options_.most_receives),
      probes_(engine_, peers_, receives_, unexpected_blocks_),
      outside_(shared(), unexpected_blocks_, sends_, receives_, options_.outside_headers) {}

SharedParts DrivenParts::shared() {
  return {engine_, peers_, credit_, controls_, watch_, placement_, ends_, link_, deferred_work_};
}

// ---- Opening and closing

bool DrivenParts::open(std::string& explanation) {
  const std::uint32_t share = options_.unexpected_headers / options_.most_processes;
  const std::uint32_t least =
      std::clamp<std::uint32_t>(options_.least_headers, 1, kMaxCreditHeaders);
  const std::uint32_t headers = std::clamp(share, least, kMaxCreditHeaders);
  const std::uint64_t unexpected =
      std::uint64_t{headers} * options_.most_processes + options_.outside_headers;
  const auto granted = static_cast<std::uint32_t>(std::min<std::uint64_t>(unexpected, ~0U));
  if (!engine_.open(kEntries, granted, explanation)) return false;
  bool ready = false;
  {
    const MutexLock lock(engine_.lock());
    ready = set_up(headers);
  }
  if (ready) return true;
  explanation = "no memory for LINTEL_MPI_UNEXPECTED";
  release();
  return false;
}

bool DrivenParts::set_up(std::uint32_t headers) {
  self_ = engine_.self();
  eager_limit_ = engine_.eager_limit();
  // Computed from the least length that the blocks accept, whatever the network can place. So both
  // ends compute the same credit.
  const std::uint64_t longest = UnexpectedBlocks::longest(options_.unexpected_bytes, eager_limit_);
  const std::uint64_t all = UnexpectedBlocks::window(options_.unexpected_bytes, longest);
  window_ = {std::min(all / options_.most_processes, kMaxCreditBytes), headers};
  credit_.set_window(window_, options_.most_processes);
  controls_.set_window(window_.headers);
  placement_.set_limit(std::min<std::uint64_t>(engine_.placement_limit(), longest));
  sends_.set_eager_limit(eager_limit_);

  if (!engine_.set_up()) return false;
  portals::DescriptorRules control;
  control.described.options = option::kPut | option::kStartDisable | option::kLinkDisable;
  SlotId entry;
  if (engine_.append(kControlPortal, portals::PortalList::kPriority, {kAnyProcess, 0, ~0ULL},
                     control, false, entry) != Status::kOk) {
    return false;
  }
  return unexpected_blocks_.open(options_.unexpected_bytes, longest) == Status::kOk;
}

// No peer and no active send waits for this process.
bool DrivenParts::idle() {
  bool landed = true;
  peers_.for_each([&](Peer& peer)
                      LINTEL_REQUIRES(kLock) { landed = placement_.forget(peer) && landed; });
  return landed && sends_.idle() && receives_.idle() && controls_.idle();
}

void DrivenParts::close() {
  if (!engine_.is_open()) return;
  {
    const MutexLock lock(engine_.lock());
    drain();
    const auto done = [this]() LINTEL_REQUIRES(kLock) { return idle(); };
    Awaited<decltype(done)> awaited(*this, done);
    engine_.wait_while_moving(awaited, [this]() LINTEL_REQUIRES(kLock) { return events_handled_; });
  }
  release();
}

void DrivenParts::release() {
  {
    const MutexLock lock(engine_.lock());
    unexpected_blocks_.close();
    watch_.release_all();
  }
  engine_.close();
  const MutexLock lock(engine_.lock());
  sends_.end_all();
  receives_.end_all();
  ends_.forget_all();
}

CallError DrivenParts::add_peer(ProcessId process) {
  const std::size_t inside = peers_.size() - outside_.count();
  if (inside >= options_.most_processes || peers_.find(process) != nullptr) {
    return CallError::kProcess;
  }
  if (!engine_.reachable(process)) return CallError::kProcess;
  Peer& peer = peers_.add(process);
  credit_.open(peer, peers_.size());
  watch_.open(peer);
  sends_.reserve(peers_.size());
  receives_.reserve(peers_.size());
  return CallError::kNone;
}

CallError DrivenParts::add_outside() { return outside_.add(); }

// ---- Progress

std::size_t DrivenParts::turn(portals::Yielding yielding) {
  return engine_.advance([this]() LINTEL_REQUIRES(kLock) { drain(); }, yielding);
}

void DrivenParts::finish() {
  drain();
  engine_.after_call();
}

void DrivenParts::drain_all() {
  do {
    while (const portals::Event* const next = engine_.take_event()) {
      ++events_handled_;
      const portals::Event event = *next;  // its handling may overwrite it with a new event
      take(event);
    }
    unexpected_blocks_.reuse_blocks();
    if (deferred_work_.any()) run_deferred_work();
  } while (engine_.has_events() || ends_.any_relayed());
  if (ends_.take_any_ended() && sleepers_ > 0) engine_.wake_all();
}

void DrivenParts::take(const portals::Event& event) {
  switch (event.kind) {
    case EventKind::kPutEnd:
    case EventKind::kPutOverflow:
      return event.portal_index == kControlPortal ? on_control(event) : receives_.on_message(event);
    case EventKind::kSendEnd: return sends_.on_placed(event);
    case EventKind::kGetEnd: return sends_.on_rest_pulled(event);
    case EventKind::kAck: return sends_.on_ack(event);
    case EventKind::kReplyEnd: return receives_.on_pulled(event);
    case EventKind::kPeerLost: return on_peer_lost(event.initiator);
    default: return;
  }
}

void DrivenParts::on_control(const portals::Event& event) {
  Peer* const peer = peers_.find(event.initiator);
  if (peer == nullptr) return;
  const Control control = decode_control({event.match_bits, event.header_data});
  switch (control.kind) {
    case PacketKind::kCancel: return receives_.on_cancel(*peer, control);
    case PacketKind::kProtoack:
      credit_.receive(*peer, {control.bytes, control.headers});
      return EagerPlacement::note_acceptance(*peer, control.placement);
    default: return sends_.on_answer(*peer, control);
  }
}

void DrivenParts::on_peer_lost(ProcessId process) {
  Peer* const peer = peers_.find(process);
  if (peer == nullptr || peer->lost) return;
  peer->lost = true;
  EagerPlacement::drop(*peer);
  sends_.end_lost(*peer);
  receives_.end_lost(*peer);
}

// REQUIRES: all events are handled.
void DrivenParts::run_deferred_work() {
  if (ends_.any_relayed()) outside_.report_relayed();
  if (credit_.any_due()) {
    credit_.give([this](Peer& peer, const Credit& credit, std::uint64_t bytes)
                     LINTEL_REQUIRES(kLock) {
                       if (credit.bytes > 0 && !unexpected_blocks_.make_room(bytes)) return false;
                       controls_.send_credit(peer, credit);
                       return true;
                     });
  }
  controls_.retry();
  receives_.retry();
  sends_.retry();
  deferred_work_.set(credit_.any_due() || !controls_.idle() || receives_.has_deferred_work() ||
                     sends_.has_deferred_work() || ends_.any_relayed());
}

}  // namespace lintel::mpi
