#pragma once
// Bytes of a TCP stream between two Lintel processes: session frames around engine messages, in the
// stream of `direct` or in libfabric's framing of its TCP providers. For captures that the
// dissector reads. The values in frame headers are invented.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "portals/engine/wire/wire_codec.h"
#include "transport/direct/stream_format.h"
#include "transport/session/frame_format.h"

namespace lintel::test {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text);

// A frame with nothing after its header.
Bytes bare_frame(transport::FrameKind kind);

// A DATA frame with these messages.
Bytes data_frame(const std::vector<Bytes>& messages);

// A message: the fixed part, then the payload.
template <class Fixed>
Bytes message(const Fixed& fixed, std::string_view payload = {}) {
  Bytes bytes(portals::wire::fixed_size(fixed.header));
  portals::wire::encode(fixed, bytes.data());
  const Bytes data = bytes_of(payload);
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

// Of `direct`: a greeting from 10.0.0.1 pid 1000 to 10.0.0.2 pid 2000, and the pieces.
Bytes direct_greeting(transport::GreetingKind kind);
Bytes direct_message(const Bytes& data);
Bytes direct_acknowledgement(std::uint32_t received);
Bytes direct_write(std::uint64_t key, std::uint64_t address, std::uint32_t immediate,
                   const Bytes& data);
Bytes direct_placed(std::uint64_t key, const Bytes& message, const Bytes& payload);

// Of libfabric: a message that carries `data`; the same below tcp;ofi_rxm; a remote write with
// completion data; the connection request.
Bytes xnet_message(const Bytes& data);
Bytes rxm_message(const Bytes& data);
Bytes xnet_write(std::uint64_t address, std::uint64_t key, std::uint64_t immediate,
                 const Bytes& data);
Bytes xnet_connect_request();

}  // namespace lintel::test
