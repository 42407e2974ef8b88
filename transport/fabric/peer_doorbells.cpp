#include "transport/fabric/peer_doorbells.h"

#include <rdma/fi_errno.h>
#include <unistd.h>

#include <thread>

#include "transport/address/address.h"

namespace lintel::transport {
namespace {

constexpr std::uint32_t kPidsToTry = 4096;
static_assert(kPidsToTry <= kAnyPids);
constexpr int kTriesForName = 3;
// One connect(2) for each peer.
constexpr Nanoseconds kLookInterval = std::chrono::milliseconds(100);

}  // namespace

Result<PeerDoorbells> PeerDoorbells::open(NodeId nid, Pid pid, std::uint32_t port_base) {
  remove_stale_doorbells();
  if (pid != kAnyPid) {
    // Refuses names that another provider would refuse.
    if (const Result<std::uint16_t> port = port_of(pid, port_base); !port) return port.error();
    Result<Doorbell> bell = Doorbell::claim({nid, pid});
    for (int tries = 0; !bell && bell.error().code() == FI_EADDRINUSE && tries < kTriesForName;
         ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      bell = Doorbell::claim({nid, pid});
    }
    if (!bell) return bell.error();
    return PeerDoorbells({nid, pid}, std::move(bell).value());
  }
  // The pid that equals the process id is usually free.
  const auto process_id = static_cast<std::uint32_t>(::getpid());
  for (std::uint32_t turn = 0;; ++turn) {
    const ProcessId name{nid, any_pid(process_id, turn, port_base)};
    Result<Doorbell> bell = Doorbell::claim(name);
    if (bell) return PeerDoorbells(name, std::move(bell).value());
    if (bell.error().code() != FI_EADDRINUSE || turn + 1 == kPidsToTry) return bell.error();
  }
}

bool PeerDoorbells::add_to_provider(PeerId id, FabricPeer& peer,
                                    const OfiAddressVector& addresses) {
  if (addresses_added_ == kMostAddresses) return false;
  std::optional<PeerDoorbell> bell = PeerDoorbell::find(peer.name);
  if (!bell) return false;
  const Result<std::string> memory = shared_memory_name_of(peer.name, bell->incarnation());
  if (doorbells_.size() <= id.value) doorbells_.resize(id.value + 1);
  if (!memory ||
      fi_av_insert(addresses.raw(), memory->c_str(), 1, &peer.address, 0, nullptr) != 1) {
    peer.address = FI_ADDR_NOTAVAIL;
    return false;
  }
  ++addresses_added_;
  doorbells_[id.value] = std::move(bell);
  ++known_;
  return true;
}

void PeerDoorbells::ring(PeerId id) { doorbells_[id.value]->ring_if_asleep(); }

bool PeerDoorbells::fail_dead_peers(TimePoint now, FabricPeerTable& peers) {
  if (known_ == 0 || now < next_look_) return false;
  next_look_ = now + kLookInterval;
  bool any_died = false;
  for (std::uint32_t i = 0; i < doorbells_.size(); ++i) {
    if (!doorbells_[i] || doorbells_[i]->alive()) continue;
    doorbells_[i].reset();
    --known_;
    peers.at(PeerId(i)).address = FI_ADDR_NOTAVAIL;
    peers.fail(PeerId(i),
               {Loss::kPeer, "connect", "the peer's process has ended", FI_ECONNREFUSED});
    any_died = true;
  }
  return any_died;
}

}  // namespace lintel::transport
