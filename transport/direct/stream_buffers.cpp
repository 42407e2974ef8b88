#include "transport/direct/stream_buffers.h"

#include <new>

namespace lintel::transport {

std::unique_ptr<std::byte[]> StreamBuffers::take() {
  std::unique_ptr<std::byte[]> buffer;
  if (free_.empty()) {
    buffer.reset(new (std::nothrow) std::byte[bytes_]);
    if (!buffer) return buffer;
  } else {
    buffer = std::move(free_.back());
    free_.pop_back();
  }
  ++in_use_;
  return buffer;
}

}  // namespace lintel::transport
