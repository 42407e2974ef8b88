#pragma once
// TransferLimits: every length from which data go another way, in one table: for the engine, the
// faces and the layers above.
//
// A plain struct, made once by the Endpoint from the settings and from what its network can carry;
// constant then.
// Each constant names the command that measures what it decides. Change one with the tables of that
// command before and after.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "portals/engine/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

struct TransferLimits {
  // The default of LINTEL_EAGER_LIMIT. Longer data are written straight into place: that saves two
  // copies and costs a round trip.
  // Measure: bench/compare/run --only latency,bandwidth with LINTEL_EAGER_LIMIT=16K, 64K, 256K.
  static constexpr std::size_t kEagerDefault = 65536;

  // An atomic operation has no other way than with its message: there is room for so much, whatever
  // the eager limit is. Decides no way, so there is nothing to measure.
  static constexpr std::size_t kLeastAtomic = 1024;

  // Replies that need no order are longer than this only by writes: their two copies cost more than
  // the round trip, which a get that sends its CLEAR along does not have.
  // Measure: bench/compare/run --only mpi, latency and bandwidth at 16 KiB and 64 KiB.
  static constexpr std::size_t kReplyWithoutOrder = 16384;

  // A shorter message is sooner copied than expected in the place of its receive.
  // Measure: bench/compare/run --only mpi, bandwidth at 16 KiB and 64 KiB.
  static constexpr std::size_t kLeastParcel = 32768;

  // The longest message that has room, beside its headers, in one segment of TCP over loopback
  // (65,483 bytes). To send a longer one whole is the quicker way all the same, but in a stream,
  // where nobody waits for the exchange that the other way takes: the fifth such message goes by
  // get if nothing has come from its receiver since the first.
  // Measure: bench/compare/run --only mpi, bandwidth at 64 KiB.
  static constexpr std::size_t kOneSegment = 65'000;
  static constexpr std::uint64_t kStreamMessages = 4;

  // What goes ahead of a longer message. It is copied twice and the rest is not, so no more than
  // makes the rest of a power of two fit into whole segments of TCP over loopback, where a few
  // bytes more cost a segment and the receiver a system call of their own.
  // Measure: bench/compare/run --only mpi, bandwidth at 256 KiB and above.
  static constexpr std::size_t kFirstPart = 2048;

  // Data of a put up to this many bytes go with their message: they are copied in the call, and
  // land in the order of the calls.
  std::size_t eager = kEagerDefault;
  // The longest data of an atomic operation.
  std::size_t atomic = kEagerDefault;
  // The longest payload of a parcel; 0: this network has none.
  std::size_t parcel = 0;

  // Data of a reply up to this many bytes go with it, as they are when the request comes: programs
  // are promised that order. `wanted`: by the rules of the interface.
  std::size_t reply(std::size_t wanted) const { return std::min(eager, wanted); }

  // What the network leaves of the wish for `eager_wish`.
  static TransferLimits of(std::size_t eager_wish, const transport::Attributes& network) {
    TransferLimits limits;
    limits.eager = std::min(eager_wish, network.max_message_bytes - sizeof(wire::Response));
    limits.atomic = std::min(std::max(eager_wish, kLeastAtomic),
                             network.max_message_bytes - sizeof(wire::Request));
    limits.parcel = network.max_placed_bytes;
    return limits;
  }
};

}  // namespace lintel::portals
