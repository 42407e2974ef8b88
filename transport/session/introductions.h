#pragma once
// Introductions: makes and checks what two processes say in a handshake to prove who they are.
//
// Owns this process' identity, its job key if it has one, and the numbers of its handshakes.
// Borrows nothing; a PeerSession is read during a call. Thread: its owner's lock.
// Invariant: a key is used only for what it proves: the job's for processes that have it, a contact
// key for the incarnation with which it was made, kOpenKey for all others.
// Does not: send or receive, change a PeerSession, or know in which state a handshake is. What a
// peer says is foreign input: check it with is_well_formed() before any other function.
//
// Functions that compute a proof throw std::bad_alloc if there is no memory for it; nothing has
// changed then.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.h"
#include "transport/session/frame_format.h"
#include "transport/session/handshake.h"
#include "transport/session/job_key.h"
#include "transport/session/peer_session.h"
#include "transport/session/session_numbers.h"
#include "transport/session/session_proof.h"

namespace lintel::transport {

class Introductions {
 public:
  using ProviderText = char[sizeof(Introduction::provider)];

  // `provider`: name and version, "net 117.0"; what does not fit into ProviderText is cut off.
  // `job_key`: nullptr if this process has no job secret, ever.
  Introductions(ProcessId self, std::uint64_t incarnation, const std::string& provider,
                std::shared_ptr<const JobKey> job_key, const SessionNumbers& numbers);

  bool has_job_key() const { return job_key_ != nullptr && job_key_->key().has_value(); }
  const ProviderText& provider() const { return provider_; }
  // Versions of one provider may differ: only the names must be the same.
  bool has_same_provider(const ProviderText& theirs) const;

  // ---- What this process says
  // Draws the epoch of a handshake, which is returned, and resets `handshake` to it.
  [[gnu::cold]] std::uint32_t begin(const PeerSession& peer, Handshake& handshake);
  // The hello of the peer's handshake under way, with its proof if there is a key.
  [[gnu::cold]] Introduction make_hello(const PeerSession& peer) const;
  // The welcome of a handshake of which prepare_welcome() has computed the proofs.
  [[gnu::cold]] Introduction make_welcome(const PeerSession& peer, std::uint32_t epoch,
                                          const Handshake& handshake,
                                          std::uint32_t echoed_epoch) const;
  // Computes the proofs of the welcome to `hello`, with the key of the handshake. They hold on this
  // connection.
  [[gnu::cold]] void prepare_welcome(const PeerSession& peer, std::uint32_t epoch,
                                     Handshake& handshake, const BindingBytes& connection,
                                     const HandshakeHalf& hello) const;
  // The proof of the confirmation of `welcome`, which proves() has accepted.
  [[gnu::cold]] Digest confirm(const PeerSession& peer, const BindingBytes& connection,
                               const HandshakeHalf& welcome) const;
  [[gnu::cold]] RefuseBody make_refusal(const Introduction& hello, RefuseReason reason) const;

  // ---- What others say
  [[gnu::cold]] static bool is_well_formed(const HandshakeHalf& half);
  // Whether both sides have a version of the wire protocol in common.
  [[gnu::cold]] static bool is_compatible(const HandshakeHalf& half);
  // Why a hello is refused; nullopt: it is not.
  [[gnu::cold]] std::optional<RefuseReason> objection(const HandshakeHalf& hello) const;
  // The key that has proved a hello to which there is no objection(): a flag, or 0.
  [[gnu::cold]] std::uint8_t key_of_hello(const PeerSession& peer,
                                          const HandshakeHalf& hello) const;
  // The key that a welcome says has proved it: a flag, or 0.
  static std::uint8_t key_of_welcome(const Introduction& welcome) {
    return welcome.flags & (kProvedBySecret | kProvedByContact);
  }
  // Whether the welcome answers our hello of the handshake under way, on this connection, and is
  // made with a key that the peer is to use.
  [[gnu::cold]] bool proves(const PeerSession& peer, const BindingBytes& connection,
                            const HandshakeHalf& welcome) const;

  // ---- What both have then
  // The keys of the session that a handshake with this incarnation of the peer opens.
  [[gnu::cold]] SessionKeys make_keys(const PeerSession& peer, std::uint64_t incarnation,
                                      std::uint32_t remote_epoch, std::uint32_t local_epoch,
                                      const Handshake& handshake) const;
  // Those of the peer's handshake under way.
  [[gnu::cold]] SessionKeys make_keys(const PeerSession& peer) const;

 private:
  const Digest& key_of(const PeerSession& peer, std::uint8_t flags) const;
  Introduction make_introduction(const PeerSession& peer, std::uint32_t epoch,
                                 const Handshake& handshake) const;
  Introduction make_bare_hello(const PeerSession& peer) const;

  ProcessId self_;
  std::uint64_t incarnation_;
  ProviderText provider_ = {};
  std::shared_ptr<const JobKey> job_key_;
  SessionNumbers numbers_;
};

}  // namespace lintel::transport
