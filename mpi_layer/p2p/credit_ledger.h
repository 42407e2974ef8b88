#pragma once
// CreditLedger: the credit of both directions. As a sender, this process spends the credit that
// each peer has given it. As a receiver, it owes credit for the messages that were matched. It
// returns that credit once a quarter of the sender's window is owed, if there is memory for all
// credit that is then outstanding.
//
// Owned by the messenger; the process' lock guards it. Its record of a peer is Peer::credit.
// Invariants: (1) no account has more available than the window; (2) the credit of all senders
// together is at most `senders` windows.
// Does not: send packets or own memory. The caller of give() does both in `grant`.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi_layer/p2p/deferred_work.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class CreditLedger {
 public:
  explicit CreditLedger(DeferredWork& deferred_work) : deferred_work_(deferred_work) {}
  CreditLedger(const CreditLedger&) = delete;
  CreditLedger& operator=(const CreditLedger&) = delete;

  // `window`: what each sender may have outstanding. `senders`: the most senders there will be.
  // Call it before the first open().
  void set_window(const Credit& window, std::uint32_t senders) LINTEL_REQUIRES(kLock);
  Credit window() const LINTEL_REQUIRES(kLock) { return window_; }
  // Gives a new peer's account a whole window. `peers`: the number of peers, this one included.
  void open(Peer& peer, std::size_t peers) LINTEL_REQUIRES(kLock);

  // ---- As a sender
  bool allows_message(const Peer& peer) const LINTEL_REQUIRES(kLock) {
    return peer.credit.available.headers > 0;
  }
  bool covers(const Peer& peer, std::uint64_t bytes) const LINTEL_REQUIRES(kLock) {
    return bytes <= peer.credit.available.bytes;
  }
  // A message has left with `ahead` bytes of data. REQUIRES: allows_message(), covers().
  void spend(Peer& peer, std::uint64_t ahead) LINTEL_REQUIRES(kLock) {
    --peer.credit.available.headers;
    peer.credit.available.bytes -= ahead;
  }
  // The peer has returned credit.
  void receive(Peer& peer, const Credit& credit) LINTEL_REQUIRES(kLock);

  // ---- As a receiver
  // A message has arrived with `bytes` of data, matched or not.
  void note_arrival(std::uint64_t bytes) LINTEL_REQUIRES(kLock) {
    granted_ -= static_cast<std::int64_t>(bytes);
  }
  // A message that came with `bytes` of data occupies no unexpected memory any more.
  void owe(Peer& peer, std::uint64_t bytes) LINTEL_REQUIRES(kLock);
  bool any_due() const LINTEL_REQUIRES(kLock) { return !due_.empty(); }
  // Returns credit to every peer that it is due to. `grant(Peer&, const Credit&, std::uint64_t
  // bytes)` makes sure that there is room for `bytes` from all senders together, and sends the
  // credit to the peer. If it returns false, there is no room, and the next call tries this peer
  // again. Lost peers get none.
  template <class Grant>
  void give(Grant&& grant) LINTEL_REQUIRES(kLock) {
    std::erase_if(due_, [&](Peer* peer) LINTEL_REQUIRES(kLock) {
      CreditAccount& account = peer->credit;
      const Credit credit{std::min(account.owed.bytes, window_.bytes),
                          std::min(account.owed.headers, window_.headers)};
      const std::int64_t granted = granted_with(credit.bytes);
      if (!peer->lost) {
        if (!grant(*peer, credit, static_cast<std::uint64_t>(granted))) return false;
        granted_ = granted;
      }
      account.owed = {};
      account.due = false;
      return true;
    });
  }

 private:
  std::int64_t granted_with(std::uint64_t bytes) const LINTEL_REQUIRES(kLock);

  DeferredWork& deferred_work_;
  Credit window_ LINTEL_GUARDED_BY(kLock);
  std::int64_t all_ LINTEL_GUARDED_BY(kLock) = 0;  // bytes of all windows
  // Bytes that all senders may still send, or that are on their way here. It is below 0 while a
  // process sends that is not in the table yet.
  std::int64_t granted_ LINTEL_GUARDED_BY(kLock) = 0;
  std::vector<Peer*> due_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi
