#include "transport/session/introductions.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lintel::transport {

namespace {

// "net 117.0" -> "net"
std::size_t name_length(const char* provider) { return std::strcspn(provider, " "); }

}  // namespace

Introductions::Introductions(ProcessId self, std::uint64_t incarnation, const std::string& provider,
                             std::shared_ptr<const JobKey> job_key, const SessionNumbers& numbers)
    : self_(self), incarnation_(incarnation), job_key_(std::move(job_key)), numbers_(numbers) {
  std::memcpy(provider_, provider.data(), std::min(provider.size(), sizeof provider_ - 1));
}

bool Introductions::has_same_provider(const ProviderText& theirs) const {
  const std::size_t length = name_length(provider_);
  return name_length(theirs) == length && std::memcmp(provider_, theirs, length) == 0;
}

std::uint32_t Introductions::begin(const PeerSession& peer, Handshake& handshake) {
  const DrawnNumbers drawn = numbers_.draw();
  handshake = {};
  handshake.nonce = drawn.nonce;
  handshake.hello_key = has_job_key()           ? kProvedBySecret
                        : peer.contact.exists() ? kProvedByContact
                                                : std::uint8_t{0};
  return drawn.epoch;
}

const Digest& Introductions::key_of(const PeerSession& peer, std::uint8_t flags) const {
  if ((flags & kProvedBySecret) != 0) return *job_key_->key();
  return (flags & kProvedByContact) != 0 ? peer.contact.key : kOpenKey;
}

Introduction Introductions::make_introduction(const PeerSession& peer, std::uint32_t epoch,
                                              const Handshake& handshake) const {
  Introduction introduction{};
  introduction.nid = self_.nid.value;
  introduction.pid = self_.pid.value;
  introduction.incarnation = incarnation_;
  introduction.slot = peer.id.value;
  introduction.epoch = epoch;
  introduction.oldest_version = kOldestFrameVersion;
  std::memcpy(introduction.provider, provider_, sizeof provider_);
  std::memcpy(introduction.nonce, handshake.nonce.data(), sizeof introduction.nonce);
  return introduction;
}

// Without its proof, which the proofs of welcome and confirmation do not cover.
Introduction Introductions::make_bare_hello(const PeerSession& peer) const {
  Introduction hello = make_introduction(peer, peer.local_epoch, peer.handshake);
  hello.flags = peer.handshake.hello_key;
  return hello;
}

Introduction Introductions::make_hello(const PeerSession& peer) const {
  Introduction hello = make_bare_hello(peer);
  if (hello.flags == 0) return hello;
  const Digest proof = prove_hello(key_of(peer, hello.flags), peer.name, {kFrameVersion, hello});
  std::memcpy(hello.proof, proof.data(), sizeof hello.proof);
  return hello;
}

Introduction Introductions::make_welcome(const PeerSession& peer, std::uint32_t epoch,
                                         const Handshake& handshake,
                                         std::uint32_t echoed_epoch) const {
  Introduction welcome = make_introduction(peer, epoch, handshake);
  welcome.echoed_epoch = echoed_epoch;
  welcome.flags = handshake.key;
  std::memcpy(welcome.proof, handshake.welcome.data(), sizeof welcome.proof);
  return welcome;
}

void Introductions::prepare_welcome(const PeerSession& peer, std::uint32_t epoch,
                                    Handshake& handshake, const BindingBytes& connection,
                                    const HandshakeHalf& hello) const {
  const Digest& key = key_of(peer, handshake.key);
  const HandshakeHalf ours{kFrameVersion,
                           make_welcome(peer, epoch, handshake, hello.introduction.epoch)};
  const Digest welcome = prove_welcome(key, connection, hello, ours);
  const Digest expected = prove_confirmation(key, connection, hello, ours);
  handshake.connection = connection;
  handshake.welcome = welcome;
  handshake.expected = expected;
  handshake.welcomes = true;
  std::memcpy(handshake.remote_nonce.data(), hello.introduction.nonce,
              sizeof hello.introduction.nonce);
}

Digest Introductions::confirm(const PeerSession& peer, const BindingBytes& connection,
                              const HandshakeHalf& welcome) const {
  return prove_confirmation(key_of(peer, key_of_welcome(welcome.introduction)), connection,
                            {kFrameVersion, make_bare_hello(peer)}, welcome);
}

RefuseBody Introductions::make_refusal(const Introduction& hello, RefuseReason reason) const {
  RefuseBody refusal{};
  refusal.echoed_epoch = hello.epoch;
  refusal.reason = static_cast<std::uint8_t>(reason);
  refusal.oldest_version = kOldestFrameVersion;
  std::memcpy(refusal.provider, provider_, sizeof provider_);
  std::memcpy(refusal.echoed_nonce, hello.nonce, sizeof refusal.echoed_nonce);
  return refusal;
}

bool Introductions::is_well_formed(const HandshakeHalf& half) {
  const Introduction& introduction = half.introduction;
  return introduction.incarnation != 0 && introduction.epoch != 0 &&
         introduction.oldest_version <= half.version &&
         std::memchr(introduction.provider, 0, sizeof introduction.provider) != nullptr;
}

bool Introductions::is_compatible(const HandshakeHalf& half) {
  return half.version >= kOldestFrameVersion && half.introduction.oldest_version <= kFrameVersion;
}

std::optional<RefuseReason> Introductions::objection(const HandshakeHalf& hello) const {
  if (!is_compatible(hello)) return RefuseReason::kVersion;
  if (!has_same_provider(hello.introduction.provider)) return RefuseReason::kProvider;
  const bool shows_secret = (hello.introduction.flags & kProvedBySecret) != 0;
  if (!has_job_key()) {
    if (shows_secret) return RefuseReason::kSecretUnknown;
  } else if (!shows_secret) {
    return RefuseReason::kSecretMissing;
  } else if (!equal_in_constant_time(hello.introduction.proof,
                                     prove_hello(*job_key_->key(), self_, hello))) {
    return RefuseReason::kOtherSecret;
  }
  return std::nullopt;
}

std::uint8_t Introductions::key_of_hello(const PeerSession& peer,
                                         const HandshakeHalf& hello) const {
  if (has_job_key()) return kProvedBySecret;
  const bool by_contact =
      (hello.introduction.flags & kProvedByContact) != 0 && peer.contact.exists() &&
      hello.introduction.incarnation == peer.contact.incarnation &&
      equal_in_constant_time(hello.introduction.proof, prove_hello(peer.contact.key, self_, hello));
  return by_contact ? kProvedByContact : std::uint8_t{0};
}

bool Introductions::proves(const PeerSession& peer, const BindingBytes& connection,
                           const HandshakeHalf& welcome) const {
  const Introduction hello = make_bare_hello(peer);
  const std::uint8_t key = key_of_welcome(welcome.introduction);
  const bool is_known = has_job_key() ? key == kProvedBySecret : key == 0 || key == hello.flags;
  return is_known && equal_in_constant_time(welcome.introduction.proof,
                                            prove_welcome(key_of(peer, key), connection,
                                                          {kFrameVersion, hello}, welcome));
}

SessionKeys Introductions::make_keys(const PeerSession& peer, std::uint64_t incarnation,
                                     std::uint32_t remote_epoch, std::uint32_t local_epoch,
                                     const Handshake& handshake) const {
  const KeyShare ours{self_, incarnation_, handshake.nonce, local_epoch};
  const KeyShare theirs{peer.name, incarnation, handshake.remote_nonce, remote_epoch};
  SessionKeys keys;
  if (handshake.key == 0) {
    keys.contact = contact_key(ours, theirs);
    keys.resumption = resumption_key(keys.contact, ours, theirs);
  } else {
    keys.resumption = resumption_key(key_of(peer, handshake.key), ours, theirs);
  }
  return keys;
}

SessionKeys Introductions::make_keys(const PeerSession& peer) const {
  return make_keys(peer, peer.incarnation, peer.remote_epoch, peer.local_epoch, peer.handshake);
}

}  // namespace lintel::transport
