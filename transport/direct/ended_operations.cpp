#include "transport/direct/ended_operations.h"

#include <algorithm>
#include <new>

namespace lintel::transport {

void EndedOperations::reserve(std::size_t operations) {
  ended_.reserve(operations);
  reporting_.reserve(operations);
  room_ = std::max(room_, operations);
}

std::size_t EndedOperations::report(Sink& sink) {
  reporting_.swap(ended_);
  const std::size_t count = reporting_.size();
  unreported_ = count;
  while (unreported_ > 0) {
    const EndedOperation operation = reporting_[count - unreported_--];
    try {
      sink.on_write_done(operation.context, operation.error);
    } catch (const std::bad_alloc&) {
      // Those that are left come before those that have ended meanwhile.
      const std::size_t left = unreported_;
      for (std::size_t i = count - left; i < count; ++i) ended_.add(reporting_[i]);
      std::rotate(ended_.begin(), ended_.end() - static_cast<std::ptrdiff_t>(left), ended_.end());
      reporting_.clear();
      unreported_ = 0;
      throw;
    }
  }
  reporting_.clear();
  return count;
}

}  // namespace lintel::transport
