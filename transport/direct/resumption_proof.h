#pragma once
// The proofs by which a connection takes the place of a lost one: both sides show that they have
// the key of the session. doc/wire_format.md, "Resumption", describes the bytes. Pure functions.
//
// A proof covers the names of the two, the ends of the connection, what both have drawn for it, and
// what they say has arrived. So it is of no use on another connection, nor for another step.

#include <netinet/in.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "transport/contact/hmac.h"
#include "transport/direct/stream_format.h"
#include "transport/transport.h"

namespace lintel::transport {

using ResumptionNonce = std::array<std::byte, sizeof(Resumption::nonce)>;

// What one side contributes.
struct ResumptionHalf {
  ProcessId name;
  std::uint64_t incarnation = 0;
  std::uint64_t generation = 0;  // of the greeting with its proof
  sockaddr_in end{};             // of the connection
  ResumptionNonce nonce{};
  std::uint64_t received = 0;
};

// Of the side that has made the connection. Does not cover what has arrived at the other side, nor
// the generation of that, which it does not know yet.
Digest prove_request(const ResumptionKey& key, const ResumptionHalf& requester,
                     const ResumptionHalf& other);
// Of the other side.
Digest prove_resumed(const ResumptionKey& key, const ResumptionHalf& requester,
                     const ResumptionHalf& other);

}  // namespace lintel::transport
