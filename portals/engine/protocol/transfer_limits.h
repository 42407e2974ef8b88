#pragma once
// TransferLimits: all lengths that decide how data are sent, in one table for the engine, the C
// interfaces and the layers above. A plain struct. The Endpoint makes it once, from the settings
// and from what its network can carry; it does not change.
// Each constant names the command that measures its effect; doc/performance.md, "Limits of
// transfers", has what it printed. Whoever changes one shows the tables of that command before and
// after, and renews those there.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "portals/engine/wire/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

struct TransferLimits {
  // The default of LINTEL_EAGER_LIMIT. Longer data are written directly to their place, which saves
  // two copies and costs a round trip.
  // Measure: bench/compare/thresholds kEagerDefault
  static constexpr std::size_t kEagerDefault = 65536;

  // The data of an atomic operation always travel in its message. So a message has room for this
  // many bytes, whatever the eager limit is. The constant decides nothing else, so there is nothing
  // to measure.
  static constexpr std::size_t kLeastAtomic = 1024;

  // Replies that need no order and are longer than this are written directly to their place. Two
  // copies cost more than a write, because a get that contains its CLEAR needs no further round
  // trip.
  // Measure: bench/compare/thresholds kReplyWithoutOrder
  static constexpr std::size_t kReplyWithoutOrder = 16384;

  // To expect a shorter message in the memory of its receive takes as long as to copy it, and its
  // send ends only when it is acknowledged. Two processes that send to each other at the same time,
  // as all do in an all-to-all exchange, would wait for that, because no message takes the
  // acknowledgement along.
  // Measure: bench/compare/thresholds kLeastPlaced; over libfabric with --lintel-provider net. The
  // highest of the values that it tries places no message.
  static constexpr std::size_t kLeastPlaced = 65537;

  // The longest message that fits, with its headers, into one segment of TCP over loopback (65,483
  // bytes). To send a longer message as a whole is also faster, except in a stream, where nobody
  // waits for the round trip of the other way. So the receiver gets the fifth such message by a get
  // if it has sent nothing since the first.
  // Measure: bench/compare/thresholds kOneSegment
  static constexpr std::size_t kOneSegment = 65'000;
  static constexpr std::uint64_t kStreamMessages = 4;

  // The bytes of a longer message that are sent at once. They are copied twice; the rest is not
  // copied. So there are only as many as are needed for the rest of a power of two to fit into
  // whole segments of TCP over loopback. A few bytes more cost a further segment, and a further
  // system call of the receiver.
  // Measure: bench/compare/thresholds kFirstPart
  static constexpr std::size_t kFirstPart = 2048;

  // Data of a put up to this many bytes travel in its message. They are copied in the call, and are
  // written in the order of the calls.
  std::size_t eager = kEagerDefault;
  // The longest data of an atomic operation.
  std::size_t atomic = kEagerDefault;
  // The longest payload of a placed message; 0: the network has no placed messages.
  std::size_t placed = 0;

  // Data of a reply up to this many bytes travel in it, as they are when the request arrives:
  // programs are promised that order. `wanted`: the limit by the rules of the interface.
  std::size_t reply(std::size_t wanted) const { return std::min(eager, wanted); }

  // The limits for an eager limit of `eager_wish`, as far as the network allows it.
  static TransferLimits of(std::size_t eager_wish, const transport::TransportAttributes& network) {
    TransferLimits limits;
    limits.eager = std::min(eager_wish, network.max_message_bytes - sizeof(wire::Response));
    limits.atomic = std::min(std::max(eager_wish, kLeastAtomic),
                             network.max_message_bytes - sizeof(wire::Request));
    limits.placed = network.max_placed_bytes;
    return limits;
  }
};

}  // namespace lintel::portals
