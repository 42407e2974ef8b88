#include "transport/direct/direct_tables.h"

#include <algorithm>

namespace lintel::transport {
namespace {

constexpr std::size_t kStreamBufferBytes = 256 * 1024;

}  // namespace

DirectTables::DirectTables(const NetworkOptions& network_options, std::size_t message_bytes)
    : options(network_options),
      buffers(std::max(kStreamBufferBytes, message_bytes + sizeof(PieceHeader))),
      outbound(options.send_frames, message_bytes, options.max_writes) {
  ended.reserve(options.send_frames + options.max_writes);
}

}  // namespace lintel::transport
