#pragma once
// HostSockets: the connections of one host of IMPI with all other hosts: a socket and a Channel for
// each.
//
// Owned by the process that has joined. Nothing blocks, and no thread is started: poll() is called
// when fd() is readable, or at any time. Thread: one at a time, under a lock of the owner.
// Invariants: (1) a connection ends once: by FINI of both sides, which is not reported, or by
// on_lost(); (2) the owner is called from within poll() only, and may call everything but poll();
// (3) bytes that the connection accepts at once are written without a copy; the others are copied.
// Does not: know messages; bound what is given to send(): takes_more() is for that.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mpi_layer/impi/host/channel.h"
#include "mpi_layer/impi/sockets/join.h"

namespace lintel::mpi::impi {

class HostSockets {
 public:
  class PacketHandler {
   public:
    virtual ~PacketHandler() = default;
    // As Channel::Receiver.
    virtual Error on_packet(std::uint32_t host, const Packet& packet,
                            std::span<const std::byte> data) = 0;
    virtual std::span<std::byte> place_for(std::uint32_t, const Packet&) { return {}; }
    // takes_more() may have become true.
    virtual void on_room(std::uint32_t host) = 0;
    // The connection has ended before FINI, or the other side violates the protocol. The sentence
    // names its client and address. Packets that are sent to the host from now on are dropped.
    virtual void on_lost(std::uint32_t host, const std::string& sentence) = 0;
  };

  // Takes the sockets of `job`, but not its layout. A connection with a machine that is silent for
  // `peer_timeout` is lost. Borrows `owner`.
  static Outcome<std::unique_ptr<HostSockets>> open(JoinedJob& job, Nanoseconds peer_timeout,
                                                    PacketHandler& owner);
  HostSockets(const HostSockets&) = delete;
  HostSockets& operator=(const HostSockets&) = delete;
  ~HostSockets();

  // Readable when poll() has something to do.
  int fd() const { return watch_.get(); }

  // Reads what has come, up to a bound, answers, and writes what waits. Returns how much happened.
  std::size_t poll();

  // Sends a packet as soon as flow control allows it. REQUIRES: as Channel::send; `host` is not
  // this one.
  void send(std::uint32_t host, const Packet& packet, std::span<const std::byte> data);

  // True if a packet between these two would leave at once: nothing waits for the connection, and
  // the pair does not wait for PROTOACK. False if the host is lost.
  bool takes_more(std::uint32_t host, const ProcId& source, const ProcId& destination);
  // The number of bytes that wait for the connection, without those that wait for PROTOACK.
  std::size_t backlog(std::uint32_t host) const;
  bool is_lost(std::uint32_t host) const;

  // Call it once, when all processes of this host have finalized. Sends FINI to all hosts, behind
  // what waits. Packets that are sent from now on are dropped; they are late answers.
  void finish();
  // True if no connection is left. After finish() each connection ends when the other side ends it,
  // which it does when its own processes have finalized. Needs calls of poll().
  bool finished() const { return open_links_ == 0; }
  // Sends FINI to the server. Call it once, last.
  void send_fini();

  // Lines for a dump of the process.
  void dump(std::string& out) const;

 private:
  struct HostLink;

  explicit HostSockets(PacketHandler& owner);
  void progress(HostLink& link);
  struct Reading {
    std::size_t got, asked;
  };
  Reading read_some(HostLink& link);
  void take_end(HostLink& link, const std::string& how);
  bool write_waiting(HostLink& link);
  std::size_t write(HostLink& link, std::span<const std::byte> first,
                    std::span<const std::byte> second);
  void watch_for_room(HostLink& link);
  void shut_down_if_done(HostLink& link);
  void end(HostLink& link);
  void lose(HostLink& link, const std::string& why);

  PacketHandler& owner_;
  Socket watch_;                                  // an epoll instance
  Socket server_;                                 // not in `watch_`: this host ignores what the
                                                  // server does meanwhile
  std::vector<std::unique_ptr<HostLink>> links_;  // by host; null: this one
  std::size_t open_links_ = 0;
  bool is_finishing_ = false;
  std::size_t happened_ = 0;  // in this poll()
  std::vector<std::byte> buffer_;
};

}  // namespace lintel::mpi::impi
