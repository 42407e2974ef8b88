#include "mpi_layer/p2p/request_ends.h"

namespace lintel::mpi {

void RequestEnds::undo_begin(MessageRequest& request) {
  if (request.is_linked()) request.unlink();
  watch_.unwatch(request);
  request.active_ = request.under_way_ = false;
}

void RequestEnds::end(MessageRequest& request, RequestFailure failure, bool is_reported) {
  LINTEL_ASSERT(request.under_way());
  if (request.is_linked()) request.unlink();
  watch_.unwatch(request);
  request.result_.failure = failure;
  request.under_way_ = false;
  ended_some_ = true;
  if (request.relayed_) {
    relayed_.push_back(request);
    deferred_work_.add();
  } else if (lists_ && is_reported) {
    completed_.push_back(request);
  }
}

void RequestEnds::retire(MessageRequest& request) {
  LINTEL_ASSERT(!request.under_way());
  if (request.is_linked()) request.unlink();
  request.active_ = false;
}

std::size_t RequestEnds::take_completed(std::span<MessageRequest*> completed) {
  std::size_t count = 0;
  while (count < completed.size() && !completed_.empty()) {
    completed[count] = &completed_.front();
    retire(*completed[count++]);
  }
  return count;
}

MessageRequest* RequestEnds::take_relayed() {
  if (relayed_.empty()) return nullptr;
  MessageRequest& request = relayed_.front();
  retire(request);
  return &request;
}

void RequestEnds::forget_all() {
  completed_.clear();
  relayed_.clear();
}

}  // namespace lintel::mpi
