// Messenger's tests and waits.

#include <algorithm>

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {
namespace {

// Returns the first active request that is complete, or kNone. `active`: whether any request is
// active.
std::size_t first_complete(std::span<MessageRequest* const> requests, bool& active) {
  active = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == nullptr || !requests[i]->active()) continue;
    active = true;
    if (!requests[i]->under_way()) return i;
  }
  return Messenger::kNone;
}

// Reports all active requests that are complete. Returns their number, and their indices in
// `indices`.
std::size_t collect(std::span<MessageRequest* const> requests, std::span<std::size_t> indices) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == nullptr || !requests[i]->active() || requests[i]->under_way()) continue;
    RequestEnds::retire(*requests[i]);
    indices[count++] = i;
  }
  return count;
}

}  // namespace

// ---- One

bool Messenger::test(MessageRequest& request) {
  const MutexLock lock(parts_.lock());
  if (request.under_way()) parts_.turn();
  if (request.under_way()) {
    parts_.watch().contact_if_due(request);
    return false;
  }
  RequestEnds::retire(request);
  return true;
}

void Messenger::wait(MessageRequest& request) {
  const MutexLock lock(parts_.lock());
  if (request.under_way()) {
    parts_.wait_for(request, [&request] { return !request.under_way(); });
  }
  RequestEnds::retire(request);
}

// ---- All

bool Messenger::test_all(std::span<MessageRequest* const> requests) {
  const MutexLock lock(parts_.lock());
  const auto awaited = [](const MessageRequest* request) {
    return request != nullptr && request->under_way();
  };
  if (std::ranges::any_of(requests, awaited)) parts_.turn();
  if (const auto first = std::ranges::find_if(requests, awaited); first != requests.end()) {
    parts_.watch().contact_if_due(**first);  // the others follow when this one has ended
    return false;
  }
  for (MessageRequest* request : requests) {
    if (request != nullptr) RequestEnds::retire(*request);
  }
  return true;
}

void Messenger::wait_all(std::span<MessageRequest* const> requests) {
  const MutexLock lock(parts_.lock());
  // Each request is checked until it has ended, and not again: a request that has ended stays
  // ended.
  std::size_t ended = 0;
  const auto all = [&] {
    while (ended < requests.size() && (requests[ended] == nullptr || !requests[ended]->under_way()))
      ++ended;
    return ended == requests.size();
  };
  if (!all()) parts_.wait_for(requests, all);
  for (MessageRequest* request : requests) {
    if (request != nullptr) RequestEnds::retire(*request);
  }
}

// ---- Any and some

bool Messenger::test_any(std::span<MessageRequest* const> requests, std::size_t& index) {
  const MutexLock lock(parts_.lock());
  bool active = false;
  index = first_complete(requests, active);
  if (index == kNone && active) {
    parts_.turn();
    index = first_complete(requests, active);
    if (index == kNone) parts_.watch().contact_if_due(requests);
  }
  if (index != kNone) RequestEnds::retire(*requests[index]);
  return index != kNone || !active;
}

std::size_t Messenger::wait_any(std::span<MessageRequest* const> requests) {
  const MutexLock lock(parts_.lock());
  bool active = false;
  std::size_t index = first_complete(requests, active);
  if (index == kNone && active) {
    parts_.wait_for(requests, [&] { return (index = first_complete(requests, active)) != kNone; });
  }
  if (index != kNone) RequestEnds::retire(*requests[index]);
  return index;
}

std::size_t Messenger::test_some(std::span<MessageRequest* const> requests,
                                 std::span<std::size_t> indices) {
  const MutexLock lock(parts_.lock());
  bool active = false;
  if (first_complete(requests, active) == kNone && !active) return kNone;
  parts_.turn();
  const std::size_t count = collect(requests, indices);
  if (count == 0) parts_.watch().contact_if_due(requests);
  return count;
}

std::size_t Messenger::wait_some(std::span<MessageRequest* const> requests,
                                 std::span<std::size_t> indices) {
  const MutexLock lock(parts_.lock());
  bool active = false;
  if (first_complete(requests, active) == kNone) {
    if (!active) return kNone;
    parts_.wait_for(requests, [&] { return first_complete(requests, active) != kNone; });
  }
  return collect(requests, indices);
}

std::size_t Messenger::take_completed(std::span<MessageRequest*> completed,
                                      portals::Yielding yielding) {
  const MutexLock lock(parts_.lock());
  RequestEnds& ends = parts_.ends();
  if (!ends.any_completed()) parts_.turn(yielding);
  const std::size_t count = ends.take_completed(completed);
  if (count == 0) parts_.watch().contact_all_due();
  return count;
}

}  // namespace lintel::mpi
