#include "mpi_layer/p2p/credit_ledger.h"

namespace lintel::mpi {

void CreditLedger::set_window(const Credit& window, std::uint32_t senders) {
  window_ = window;
  granted_ = all_ = static_cast<std::int64_t>(window.bytes * senders);
}

void CreditLedger::open(Peer& peer, std::size_t peers) {
  peer.credit.available = window_;
  due_.reserve(peers);
}

void CreditLedger::receive(Peer& peer, const Credit& credit) {
  Credit& available = peer.credit.available;
  available.bytes = std::min(available.bytes + credit.bytes, window_.bytes);
  available.headers = std::min(available.headers + credit.headers, window_.headers);
}

void CreditLedger::owe(Peer& peer, std::uint64_t bytes) {
  CreditAccount& account = peer.credit;
  account.owed.bytes += bytes;
  ++account.owed.headers;
  const bool due = (bytes > 0 && 4 * account.owed.bytes >= window_.bytes) ||
                   4 * account.owed.headers >= window_.headers;
  if (!due || account.due) return;
  account.due = true;
  due_.push_back(&peer);
  deferred_work_.add();
}

std::int64_t CreditLedger::granted_with(std::uint64_t bytes) const {
  const std::int64_t granted =
      std::max<std::int64_t>(granted_, 0) + static_cast<std::int64_t>(bytes);
  return std::min(granted, all_);
}

}  // namespace lintel::mpi
