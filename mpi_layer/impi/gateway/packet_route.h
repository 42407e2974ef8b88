#pragma once
// PacketRoute: a PacketSender with the functions that Bridge needs: the agent's route leads to
// sockets, a member's to the agent.
//
// Guarded by the lock of the messenger's process; the functions of PacketSender REQUIRE it too.

#include <cstddef>
#include <functional>
#include <string>

#include "base/process_lock.h"
#include "base/result.h"
#include "mpi_layer/impi/host/packet_sender.h"

namespace lintel::mpi::impi {

class PacketRoute : public PacketSender {
 public:
  // What a route reports to its process. None of these is called from within send().
  struct RouteEvents {
    // a packet for this process
    std::function<Error(const Packet& packet, std::span<const std::byte> data)> on_packet;
    // as Messages::place_for()
    std::function<std::span<std::byte>(const Packet& packet)> place_for;
    // takes_more() may have become true
    std::function<void()> on_room;
    std::function<void(const std::string& sentence)> on_broken;
  };

  // As portals::AttachedWork.
  virtual int fd() const LINTEL_REQUIRES(kLock) = 0;
  virtual std::size_t poll() LINTEL_REQUIRES(kLock) = 0;

  virtual void dump(std::string& out) const LINTEL_REQUIRES(kLock) = 0;

  // True if all packets given to send() have left this process.
  virtual bool drained() const LINTEL_REQUIRES(kLock) = 0;
  // From now on, the end of a process of the job is no failure.
  virtual void expect_end() LINTEL_REQUIRES(kLock) = 0;
  // When all processes of the job have finished: finish() informs the other hosts, finished() is
  // true when they have finished too, and then send_final_fini() informs the server.
  virtual void finish() LINTEL_REQUIRES(kLock) = 0;
  virtual bool finished() const LINTEL_REQUIRES(kLock) = 0;
  virtual void send_final_fini() LINTEL_REQUIRES(kLock) = 0;
};

}  // namespace lintel::mpi::impi
