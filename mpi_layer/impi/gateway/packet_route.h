#pragma once
// PacketRoute: a PacketWay with what its Bridge needs of it: the agent's leads to sockets, a
// member's to the agent.
//
// Every member REQUIRES the lock of the messenger's process.

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"
#include "mpi_layer/impi/host/packet_way.h"

namespace lintel::mpi::impi {

class PacketRoute : public PacketWay {
 public:
  // What a route tells its process. The same rules as for Messages: not from within send().
  struct Events {
    // for this process
    std::function<Error(const Packet& packet, std::span<const std::byte> data)> on_packet;
    // as Messages::place_for()
    std::function<std::span<std::byte>(const Packet& packet)> place_for;
    // takes_more() may have become true
    std::function<void()> on_moved;
    std::function<void(const std::string& sentence)> on_broken;
  };

  // As portals::Companion.
  virtual int fd() const = 0;
  virtual std::size_t poll() = 0;

  virtual void dump(std::string& out) const = 0;

  // What was given to send() has left this process.
  virtual bool drained() const = 0;
  // The processes of the job end one after the other from now on.
  virtual void expect_end() = 0;
  // All processes of the job have finished: the other hosts are told. Whether they have, too; and,
  // then, the server is told.
  virtual void finish() = 0;
  virtual bool finished() const = 0;
  virtual void say_goodbye() = 0;
};

}  // namespace lintel::mpi::impi
