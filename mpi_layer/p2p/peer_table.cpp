#include "mpi_layer/p2p/peer_table.h"

#include <algorithm>

#include "base/assert.h"

namespace lintel::mpi {
namespace {

std::uint32_t first_slot(ProcessId process) {
  const std::uint64_t mixed =
      ((std::uint64_t{process.nid.value} << 32) | process.pid.value) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace

Peer& PeerTable::add(ProcessId process) {
  LINTEL_ASSERT(find(process) == nullptr);
  Peer& peer = *peers_.emplace_back(std::make_unique<Peer>());
  peer.process = process;
  peer.number = static_cast<std::int32_t>(peers_.size() - 1);
  if (2 * peers_.size() > slots_.size()) {
    grow();
  } else {
    enter(static_cast<std::uint32_t>(peer.number));
  }
  return peer;
}

Peer* PeerTable::search(ProcessId process) {
  if (slots_.empty()) return nullptr;
  for (std::uint32_t at = first_slot(process) & mask_; slots_[at] != 0; at = (at + 1) & mask_) {
    Peer& peer = *peers_[slots_[at] - 1];
    if (peer.process == process) return last_found_ = &peer;
  }
  return nullptr;
}

void PeerTable::enter(std::uint32_t number) {
  std::uint32_t at = first_slot(peers_[number]->process) & mask_;
  while (slots_[at] != 0) at = (at + 1) & mask_;
  slots_[at] = number + 1;
}

void PeerTable::grow() {
  slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), 0);
  mask_ = static_cast<std::uint32_t>(slots_.size() - 1);
  for (std::uint32_t number = 0; number < peers_.size(); ++number) enter(number);
}

}  // namespace lintel::mpi
