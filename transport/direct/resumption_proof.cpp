#include "transport/direct/resumption_proof.h"

#include <cstring>
#include <string_view>

namespace lintel::transport {
namespace {

// A half in network order.
struct HalfBytes {
  HalfBytes(const ResumptionHalf& half, bool whole) {
    const std::uint32_t numbers[] = {network_order(half.name.nid.value),
                                     network_order(half.name.pid.value), half.end.sin_addr.s_addr,
                                     half.end.sin_port};
    const std::uint64_t long_numbers[] = {network_order(half.incarnation),
                                          network_order(whole ? half.generation : 0),
                                          network_order(whole ? half.received : 0)};
    std::memcpy(bytes.data(), numbers, sizeof numbers);
    std::memcpy(bytes.data() + sizeof numbers, long_numbers, sizeof long_numbers);
    std::memcpy(bytes.data() + sizeof numbers + sizeof long_numbers, half.nonce.data(),
                half.nonce.size());
  }
  std::array<std::byte, 40 + sizeof(Resumption::nonce)> bytes;
};

Digest prove(const ResumptionKey& key, std::string_view word, const HalfBytes& requester,
             const HalfBytes& other) {
  return hmac_sha256(
      key, {std::as_bytes(std::span(word.data(), word.size())), requester.bytes, other.bytes});
}

}  // namespace

Digest prove_request(const ResumptionKey& key, const ResumptionHalf& requester,
                     const ResumptionHalf& other) {
  return prove(key, "resume", HalfBytes(requester, true), HalfBytes(other, false));
}

Digest prove_resumed(const ResumptionKey& key, const ResumptionHalf& requester,
                     const ResumptionHalf& other) {
  return prove(key, "resumed", HalfBytes(requester, true), HalfBytes(other, true));
}

}  // namespace lintel::transport
