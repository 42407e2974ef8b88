#include "transport/direct/resumption_proof.h"

#include <cstring>
#include <string_view>

namespace lintel::transport {
namespace {

// A half in network order.
struct HalfBytes {
  HalfBytes(const ResumptionHalf& half, bool whole) {
    append(network_order(half.name.nid.value));
    append(network_order(half.name.pid.value));
    append(half.end.sin_addr.s_addr);
    append(half.end.sin_port);
    append(std::uint16_t{0});
    append(network_order(half.incarnation));
    append(network_order(whole ? half.generation : 0));
    append(network_order(whole ? half.received : 0));
    append(half.nonce);
  }
  std::array<std::byte, 40 + sizeof(Resumption::nonce)> bytes;

 private:
  template <class Part>
  void append(const Part& part) {
    std::memcpy(bytes.data() + size_, &part, sizeof part);
    size_ += sizeof part;
  }
  std::size_t size_ = 0;
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
