// The events of the engine and where they go; test and wait.

#include "mpi_layer/p2p/completion.h"

#include <algorithm>

#include "mpi_layer/p2p/copied.h"

namespace lintel::mpi {

using portals::EventKind;
using portals::EventQueue;

// Takes in what has arrived.
std::size_t Messenger::turn(portals::Yielding yielding) {
  return process_.progress().advance([this] { drain(); }, yielding);
}

void Messenger::drain_all() {
  do {
    if (queue_->unread() > 0) take_all();
    unexpected_.start_anew();
    if (chores_) tidy();
  } while (queue_->unread() > 0 || !relayed_.empty());
  if (std::exchange(ended_some_, false) && sleepers_ > 0) process_.progress().wake_all();
}

void Messenger::take_all() {
  const portals::Event* next = nullptr;
  for (EventQueue::Taken how = queue_->take(next); how != EventQueue::Taken::kEmpty; how = queue_->take(next)) {
    LINTEL_ASSERT(how == EventQueue::Taken::kEvent);  // it grows: only a process without any memory loses events
    ++happened_;
    const portals::Event event = *next;  // what it leads to may deposit another in its place
    take(event);
  }
}

void Messenger::take(const portals::Event& event) {
  switch (event.kind) {
    case EventKind::kPutEnd:
    case EventKind::kPutOverflow: return event.portal_index == kControl ? on_control(event) : on_message(event);
    case EventKind::kSendEnd: return on_parcel_left(event);
    case EventKind::kGetEnd: return on_rest_pulled(event);
    case EventKind::kAck: return on_ack(event);
    case EventKind::kReplyEnd: return on_pulled(event);
    case EventKind::kPeerLost: return on_peer_lost(event.initiator);
    default: return;
  }
}

// REQUIRES: no event waits.
void Messenger::tidy() {
  if (!relayed_.empty()) hand_back_relayed();
  if (!credit_due_.empty()) give_credit();
  while (!untold_.empty() && (untold_.front().first->lost || try_tell(*untold_.front().first, untold_.front().second))) {
    untold_.erase(untold_.begin());
  }
  while (!unpulled_.empty() && try_pull(unpulled_.front())) {
  }
  while (!unposted_.empty() && post(unposted_.front())) {
  }
  for (std::size_t i = 0; i < blocked_.size();) {
    Peer& peer = *blocked_[i];
    flush(peer);
    if (peer.backlog.empty()) {
      peer.blocked = false;
      blocked_[i] = blocked_.back();
      blocked_.pop_back();
    } else {
      ++i;
    }
  }
  if (std::exchange(copied_ended_, false)) {
    std::erase_if(copied_, [](const std::unique_ptr<Copied>& copied) { return !copied->request.under_way(); });
  }
  chores_ = !credit_due_.empty() || !untold_.empty() || !unpulled_.empty() || !unposted_.empty() || !blocked_.empty() || copied_ended_ ||
            !relayed_.empty();
}

// The end of a call that has posted or ended something.
void Messenger::finish() {
  drain();
  process_.progress().after_call();
}

std::size_t Messenger::progress() {
  const MutexLock lock(process_.lock());
  const std::uint64_t before = happened_;
  const std::size_t happened = turn();
  return happened + static_cast<std::size_t>(happened_ - before);
}

void Messenger::retire(Request& request) {
  LINTEL_ASSERT(!request.under_way());
  if (request.link_.is_linked()) request.link_.unlink();
  request.active_ = false;
}

// ---- One

bool Messenger::test(Request& request) {
  const MutexLock lock(process_.lock());
  if (request.under_way()) turn();
  if (request.under_way()) {
    seek(request);
    return false;
  }
  retire(request);
  return true;
}

void Messenger::wait(Request& request) {
  const MutexLock lock(process_.lock());
  if (request.under_way()) {
    wait_until([&request] { return !request.under_way(); }, [&] { return seek(request); });
  }
  retire(request);
}

// ---- All

bool Messenger::test_all(std::span<Request* const> requests) {
  const MutexLock lock(process_.lock());
  const auto awaited = [](const Request* request) { return request != nullptr && request->under_way(); };
  if (std::ranges::any_of(requests, awaited)) turn();
  if (const auto first = std::ranges::find_if(requests, awaited); first != requests.end()) {
    seek(**first);  // the others have their turn when this one has ended
    return false;
  }
  for (Request* request : requests) {
    if (request != nullptr) retire(*request);
  }
  return true;
}

void Messenger::wait_all(std::span<Request* const> requests) {
  const MutexLock lock(process_.lock());
  // They end in any order, and stay ended: each is looked at until it has, once.
  std::size_t ended = 0;
  const auto all = [&] {
    while (ended < requests.size() && (requests[ended] == nullptr || !requests[ended]->under_way())) ++ended;
    return ended == requests.size();
  };
  if (!all()) wait_until(all, [&] { return seek(requests); });
  for (Request* request : requests) {
    if (request != nullptr) retire(*request);
  }
}

// ---- Any and some

// The first that is complete, or kNone; `active`: whether there is any that is active.
std::size_t Messenger::first_complete(std::span<Request* const> requests, bool& active) {
  active = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == nullptr || !requests[i]->active()) continue;
    active = true;
    if (!requests[i]->under_way()) return i;
  }
  return kNone;
}

bool Messenger::test_any(std::span<Request* const> requests, std::size_t& index) {
  const MutexLock lock(process_.lock());
  bool active = false;
  index = first_complete(requests, active);
  if (index == kNone && active) {
    turn();
    index = first_complete(requests, active);
    if (index == kNone) seek(requests);
  }
  if (index != kNone) retire(*requests[index]);
  return index != kNone || !active;
}

std::size_t Messenger::wait_any(std::span<Request* const> requests) {
  const MutexLock lock(process_.lock());
  bool active = false;
  std::size_t index = first_complete(requests, active);
  if (index == kNone && active) {
    wait_until([&] { return (index = first_complete(requests, active)) != kNone; }, [&] { return seek(requests); });
  }
  if (index != kNone) retire(*requests[index]);
  return index;
}

std::size_t Messenger::test_some(std::span<Request* const> requests, std::span<std::size_t> indices) {
  const MutexLock lock(process_.lock());
  bool active = false;
  if (first_complete(requests, active) == kNone && !active) return kNone;
  turn();
  const std::size_t count = collect(requests, indices);
  if (count == 0) seek(requests);
  return count;
}

std::size_t Messenger::wait_some(std::span<Request* const> requests, std::span<std::size_t> indices) {
  const MutexLock lock(process_.lock());
  bool active = false;
  if (first_complete(requests, active) == kNone) {
    if (!active) return kNone;
    wait_until([&] { return first_complete(requests, active) != kNone; }, [&] { return seek(requests); });
  }
  return collect(requests, indices);
}

std::size_t Messenger::take_completed(std::span<Request*> completed, portals::Yielding yielding) {
  const MutexLock lock(process_.lock());
  LINTEL_ASSERT(options_.list_completed);
  if (completed_.empty()) turn(yielding);
  std::size_t count = 0;
  while (count < completed.size() && !completed_.empty()) {
    completed[count] = &completed_.front();
    retire(*completed[count++]);
  }
  if (count == 0) seek_strangers();
  return count;
}

std::size_t Messenger::collect(std::span<Request* const> requests, std::span<std::size_t> indices) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == nullptr || !requests[i]->active() || requests[i]->under_way()) continue;
    retire(*requests[i]);
    indices[count++] = i;
  }
  return count;
}

}  // namespace lintel::mpi
