#include "transport/session/session_proof.h"

#include <cstring>
#include <string_view>

#include "transport/session/frame_codec.h"

namespace lintel::transport {

namespace {

std::span<const std::byte> bytes_of(std::string_view word) {
  return std::as_bytes(std::span(word.data(), word.size()));
}

std::span<const std::byte> bytes_of(const std::uint8_t& version) {
  return std::as_bytes(std::span(&version, 1));
}

using IntroductionBytes = std::array<std::byte, sizeof(Introduction)>;
IntroductionBytes bytes_of(const Introduction& introduction) {
  IntroductionBytes bytes;
  encode(bytes.data(), introduction);
  return bytes;
}

using NameBytes = std::array<std::byte, 8>;
NameBytes bytes_of(ProcessId name) {
  NameBytes bytes;
  const std::uint32_t numbers[] = {network_order(name.nid.value), network_order(name.pid.value)};
  std::memcpy(bytes.data(), numbers, bytes.size());
  return bytes;
}

// What two processes contribute to a key, that of the process with the lower name first.
struct SharedBytes {
  SharedBytes(const KeyShare& one, const KeyShare& other) {
    const bool in_order = one.name < other.name;
    const KeyShare& first = in_order ? one : other;
    const KeyShare& second = in_order ? other : one;
    names = {bytes_of(first.name), bytes_of(second.name)};
    incarnations = {network_order(first.incarnation), network_order(second.incarnation)};
    epochs = {network_order(first.epoch), network_order(second.epoch)};
    nonces = {first.nonce, second.nonce};
  }
  std::array<NameBytes, 2> names{};
  std::array<std::uint64_t, 2> incarnations{};
  std::array<std::uint32_t, 2> epochs{};
  std::array<Nonce, 2> nonces{};
};

Digest prove_both(const Digest& key, std::string_view word, const BindingBytes& connection,
                  const HandshakeHalf& hello, const HandshakeHalf& welcome) {
  const IntroductionBytes first = bytes_of(hello.introduction);
  const IntroductionBytes second = bytes_of(welcome.introduction);
  return hmac_sha256(key, {bytes_of(word), connection, bytes_of(hello.version),
                           std::span(first).first(kProvedBytes), bytes_of(welcome.version),
                           std::span(second).first(kProvedBytes)});
}

}  // namespace

bool same_hello(const Introduction& a, const Introduction& b) {
  return a.incarnation == b.incarnation && a.slot == b.slot && a.epoch == b.epoch &&
         std::memcmp(a.nonce, b.nonce, sizeof a.nonce) == 0;
}

Digest prove_hello(const Digest& key, ProcessId to, const HandshakeHalf& hello) {
  const NameBytes name = bytes_of(to);
  const IntroductionBytes half = bytes_of(hello.introduction);
  return hmac_sha256(
      key, {bytes_of("hello"), name, bytes_of(hello.version), std::span(half).first(kProvedBytes)});
}

Digest prove_welcome(const Digest& key, const BindingBytes& connection, const HandshakeHalf& hello,
                     const HandshakeHalf& welcome) {
  return prove_both(key, "welcome", connection, hello, welcome);
}

Digest prove_confirmation(const Digest& key, const BindingBytes& connection,
                          const HandshakeHalf& hello, const HandshakeHalf& welcome) {
  return prove_both(key, "confirm", connection, hello, welcome);
}

Digest contact_key(const KeyShare& one, const KeyShare& other) {
  const SharedBytes both(one, other);
  return hmac_sha256(kOpenKey,
                     {bytes_of("contact"), both.names[0], both.names[1],
                      std::as_bytes(std::span(both.incarnations)), both.nonces[0], both.nonces[1]});
}

Digest resumption_key(const Digest& key, const KeyShare& one, const KeyShare& other) {
  const SharedBytes both(one, other);
  return hmac_sha256(key, {bytes_of("resumption"), both.names[0], both.names[1],
                           std::as_bytes(std::span(both.incarnations)),
                           std::as_bytes(std::span(both.epochs)), both.nonces[0], both.nonces[1]});
}

}  // namespace lintel::transport
