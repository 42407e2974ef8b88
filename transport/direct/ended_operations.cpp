#include "transport/direct/ended_operations.h"

#include <new>

#include "transport/direct/room.h"

namespace lintel::transport {

void EndedOperations::reserve(std::size_t operations) {
  make_room(ended_, operations);
  make_room(reporting_, operations);
}

std::size_t EndedOperations::report(Sink& sink) {
  reporting_.swap(ended_);
  const std::size_t count = reporting_.size();
  for (std::size_t reported = 0; reported < count; ++reported) {
    const EndedOperation operation = reporting_[reported];
    try {
      sink.on_write_done(operation.context, operation.error);
    } catch (const std::bad_alloc&) {
      ended_.insert(ended_.begin(), reporting_.begin() + static_cast<std::ptrdiff_t>(reported) + 1,
                    reporting_.end());
      reporting_.clear();
      throw;
    }
  }
  reporting_.clear();
  return count;
}

}  // namespace lintel::transport
