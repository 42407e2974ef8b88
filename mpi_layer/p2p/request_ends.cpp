#include "mpi_layer/p2p/request_ends.h"

namespace lintel::mpi {

void RequestEnds::take_back(Request& request) {
  if (request.is_linked()) request.unlink();
  watch_.unwatch(request);
  request.active_ = request.under_way_ = false;
}

void RequestEnds::end(Request& request, Failure failure, bool is_told) {
  LINTEL_ASSERT(request.under_way());
  if (request.is_linked()) request.unlink();
  watch_.unwatch(request);
  request.result_.failure = failure;
  request.under_way_ = false;
  ended_some_ = true;
  if (request.relayed_) {
    relayed_.push_back(request);
    chores_.add();
  } else if (lists_ && is_told) {
    completed_.push_back(request);
  }
}

void RequestEnds::retire(Request& request) {
  LINTEL_ASSERT(!request.under_way());
  if (request.is_linked()) request.unlink();
  request.active_ = false;
}

std::size_t RequestEnds::take_completed(std::span<Request*> completed) {
  std::size_t count = 0;
  while (count < completed.size() && !completed_.empty()) {
    completed[count] = &completed_.front();
    retire(*completed[count++]);
  }
  return count;
}

Request* RequestEnds::take_relayed() {
  if (relayed_.empty()) return nullptr;
  Request& request = relayed_.front();
  retire(request);
  return &request;
}

void RequestEnds::forget_all() {
  completed_.clear();
  relayed_.clear();
}

}  // namespace lintel::mpi
