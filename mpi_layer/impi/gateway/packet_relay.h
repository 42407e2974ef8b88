#pragma once
// PacketRelay: packets between two processes of one job: the agent, which has the connections with
// other hosts, and one other process. They are sent as messages in a context of their own.
//
// Guarded by the lock of the messenger's process. When it is destroyed, it may have requests under
// way only if the messenger was closed.
// Invariants: (1) packets are handed on in the order in which they were sent, also if a later one
// completes first.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/packet_sender.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi::impi {

class PacketRelay {
 public:
  // Gets a packet that has arrived. Returns an error if the packet is invalid.
  using RelayHandler = std::function<Error(const Packet&, std::span<const std::byte> data)>;

  struct RelayEvents {
    RelayHandler on_packet;
    std::function<void()> on_left;  // backlog() has become less
    // `other` is lost, or has sent an invalid packet. Called once
    std::function<void(const Error& error)> on_broken;
  };

  // Between this process and process `other` of the job. `data_bytes`: the most data of a packet.
  // Receives packets from now on.
  PacketRelay(Messenger& messenger, std::int32_t other, std::uint32_t data_bytes,
              RelayEvents events) LINTEL_REQUIRES(kLock);
  PacketRelay(const PacketRelay&) = delete;
  PacketRelay& operator=(const PacketRelay&) = delete;

  void send(const Packet& packet, std::span<const std::byte> data) LINTEL_REQUIRES(kLock);
  // The number of bytes that have not left.
  std::size_t backlog() const LINTEL_REQUIRES(kLock) { return backlog_; }

  // The job is about to end. From now on, the end of `other` is not reported.
  void expect_end() LINTEL_REQUIRES(kLock) { ending_ = true; }

  // A request of any relay has ended.
  static void on_end(SendRequest& request) LINTEL_REQUIRES(kLock);
  static void on_end(ReceiveRequest& request) LINTEL_REQUIRES(kLock);

 private:
  struct RelayedReceive : ReceiveRequest {
    PacketRelay* relay = nullptr;
    bool landed = false;
    std::vector<std::byte> bytes;
  };
  struct RelayedSend : SendRequest {
    PacketRelay* relay = nullptr;
    std::vector<std::byte> bytes;
  };

  OutsideProcesses& outside() { return messenger_.outside(); }
  void post(RelayedReceive& packet) LINTEL_REQUIRES(kLock);
  void on_landed() LINTEL_REQUIRES(kLock);
  Error take(std::span<const std::byte> bytes) LINTEL_REQUIRES(kLock);
  void on_left(const RelayedSend& packet) LINTEL_REQUIRES(kLock);
  void break_off(const Error& error) LINTEL_REQUIRES(kLock);

  Messenger& messenger_;
  std::int32_t other_;
  RelayEvents events_;
  // in the order in which they were posted
  std::list<RelayedReceive> receives_ LINTEL_GUARDED_BY(kLock);
  std::list<RelayedSend> sends_ LINTEL_GUARDED_BY(kLock);  // under way
  std::list<RelayedSend> spare_ LINTEL_GUARDED_BY(kLock);  // unused, kept for their memory
  std::size_t backlog_ LINTEL_GUARDED_BY(kLock) = 0;
  bool taking_ LINTEL_GUARDED_BY(kLock) = false;  // in on_landed()
  bool ending_ LINTEL_GUARDED_BY(kLock) = false;
  bool broken_ LINTEL_GUARDED_BY(kLock) = false;
};

}  // namespace lintel::mpi::impi
