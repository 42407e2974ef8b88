#pragma once
// CreditLedger: who may send how much ahead, both ways. As a sender this process spends the credit
// that each peer has given it. As a receiver it owes credit for what it has matched, and gives it
// back, a quarter of a sender's share at a time, as far as there is memory for what may come then.
//
// Owned by the messenger; the process' lock guards it. Its record of a peer is Peer::credit.
// Invariants: (1) no account has more available than the window; (2) what all senders together may
// still send ahead is at most `senders` windows.
// Does not: send packets or own memory; its user gives both to give().

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi_layer/p2p/chores.h"
#include "mpi_layer/p2p/peer_table.h"

namespace lintel::mpi {

class CreditLedger {
 public:
  explicit CreditLedger(Chores& chores) : chores_(chores) {}
  CreditLedger(const CreditLedger&) = delete;
  CreditLedger& operator=(const CreditLedger&) = delete;

  // Each of so many senders may have so much on its way. Before the first peer.
  void set_window(const Credit& window, std::uint32_t senders) LINTEL_REQUIRES(kLock);
  Credit window() const LINTEL_REQUIRES(kLock) { return window_; }
  // The peer is new: a whole window is available. `peers`: how many there are now.
  void open(Peer& peer, std::size_t peers) LINTEL_REQUIRES(kLock);

  // ---- As a sender
  bool allows_message(const Peer& peer) const LINTEL_REQUIRES(kLock) {
    return peer.credit.available.headers > 0;
  }
  bool covers(const Peer& peer, std::uint64_t bytes) const LINTEL_REQUIRES(kLock) {
    return bytes <= peer.credit.available.bytes;
  }
  // A message has left, so many bytes of it ahead. REQUIRES: allows_message(), covers().
  void spend(Peer& peer, std::uint64_t ahead) LINTEL_REQUIRES(kLock) {
    --peer.credit.available.headers;
    peer.credit.available.bytes -= ahead;
  }
  // The peer has given some back.
  void receive(Peer& peer, const Credit& credit) LINTEL_REQUIRES(kLock);

  // ---- As a receiver
  // So many bytes have arrived ahead, matched or not.
  void note_arrival(std::uint64_t bytes) LINTEL_REQUIRES(kLock) {
    granted_ -= static_cast<std::int64_t>(bytes);
  }
  // A message of so many bytes ahead occupies no memory any more.
  void owe(Peer& peer, std::uint64_t bytes) LINTEL_REQUIRES(kLock);
  bool any_due() const LINTEL_REQUIRES(kLock) { return !due_.empty(); }
  // Gives credit to the peers that it is due to. `grant(Peer&, const Credit&, std::uint64_t bytes)`
  // makes sure that there is room for `bytes` from all senders together and tells the peer; false:
  // there is no room, and the peer is asked about again in the next call. Lost peers get none.
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

  Chores& chores_;
  Credit window_ LINTEL_GUARDED_BY(kLock);
  std::int64_t all_ LINTEL_GUARDED_BY(kLock) = 0;  // bytes of all windows
  // Bytes that senders may still send ahead or have under way. Below 0 where a process sends that
  // is not in the table yet.
  std::int64_t granted_ LINTEL_GUARDED_BY(kLock) = 0;
  std::vector<Peer*> due_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::mpi
