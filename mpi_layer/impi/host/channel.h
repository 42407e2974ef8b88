#pragma once
// Channel: what two hosts say to each other on their one connection: packets in order, flow control
// for each pair of processes, the end by FINI (IMPI 0.0, data transfer; reference sections 6, 8,
// 9).
//
// Knows no sockets: bytes that came go in by receive(), bytes to send come out by next_bytes().
// Owned by whoever has the connection. Thread: one. Invariants: (1) from a local process to a
// remote one at most `hiwater` packets are out that PROTOACK has not taken back; further ones wait
// here, in their order; those of other pairs pass them;
//             (2) PROTOACK waits behind no packet but the one that next_bytes() has begun to give
//                 out; (3) a packet's data are copied when it is given.
// Does not: match, or know what a message is: see Messages.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/packet.h"
#include "mpi_layer/impi/host/packet_reader.h"

namespace lintel::mpi::impi {

// What all hosts of a job agree upon: the least of what each has offered.
struct ChannelLimits {
  std::uint32_t data_bytes = 65536;  // IMPI_C_DATALEN
  std::uint32_t ackmark = 10;        // IMPI_H_ACKMARK. REQUIRES: 1 <= ackmark <= hiwater
  std::uint32_t hiwater = 20;        // IMPI_H_HIWATER
};

class Channel {
 public:
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // A packet other than PROTOACK and FINI, between processes that the channel joins. `data` are
    // the channel's until the call returns. An error breaks the channel.
    virtual Error on_packet(const Packet& packet, std::span<const std::byte> data) = 0;
    // Where the data of a packet that is beginning may lie, packet.length bytes that stay until
    // on_packet() has told of it or the channel has ended: on_packet() finds them there then.
    // Mostly it is not asked, or what it says has no effect. Empty: anywhere.
    virtual std::span<std::byte> place_for(const Packet&) { return {}; }
  };

  // `local` and `remote`: the processes of the two hosts. `receiver` is borrowed.
  Channel(const ChannelLimits& limits, const std::vector<ProcId>& local,
          const std::vector<ProcId>& remote, Receiver& receiver);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Sends a packet, now or when its pair may. The sequence number is the channel's. REQUIRES: its
  // source is local, its destination remote; `data` if it carries data, of `packet.length` bytes
  // and no more than limits.data_bytes; neither PROTOACK nor FINI; finish() has not been called.
  void send(Packet packet, std::span<const std::byte> data = {});

  // Whether a packet between these two would be queued to be written at once. REQUIRES: as send().
  bool may_send(const ProcId& source, const ProcId& destination);

  // send() without a copy, for who can write at once: when nothing waits before the packet, its
  // header is in `header`; the caller writes that and `data` as far as the connection takes them,
  // and says by wrote() how many bytes of both these were. False: it is not to be written now, and
  // was queued by send().
  bool send_at_once(Packet packet, std::span<const std::byte> data,
                    std::span<std::byte, kHeaderBytes> header);
  void wrote(std::span<const std::byte, kHeaderBytes> header, std::span<const std::byte> data,
             std::size_t bytes);

  // All local processes have finalized: FINI follows what is there to send. Once.
  void finish();

  // As PacketReader.
  std::span<std::byte> room() { return reader_.room(); }
  Error filled(std::size_t bytes);
  // Takes what came. Errors: the peer breaks the protocol, or on_packet() says so; nothing more is
  // taken or sent then.
  Error receive(std::span<const std::byte> bytes);
  // The peer has closed the connection. An error unless it had said FINI.
  Error end_of_stream() const;

  // Bytes to write next, empty if there are none; and that so many of them have been written.
  std::span<const std::byte> next_bytes();
  void written(std::size_t bytes);

  // FINI has been said on both sides, and ours is written: nothing more leaves this side. From the
  // other PROTOACK may still come.
  bool closed() const { return fini_queued_ && peer_finished_ && unwritten_bytes_ == 0; }
  // Bytes that wait to be written, and packets that wait for PROTOACK.
  std::size_t unwritten_bytes() const { return unwritten_bytes_; }
  std::size_t blocked_packets() const { return blocked_packets_; }
  // One line for each pair that has exchanged anything.
  void dump(std::string& out) const;

 private:
  using Frame = std::vector<std::byte>;
  // local and remote process, by their places in the lists
  using PairName = std::pair<std::size_t, std::size_t>;
  struct Pair {
    std::uint32_t sent = 0;      // out, and not taken back
    std::uint32_t received = 0;  // since the last PROTOACK
    std::deque<Frame> waiting;
  };

  void check(const Packet& packet, std::span<const std::byte> data) const;
  Pair& outgoing_pair(const ProcId& source, const ProcId& destination);
  Error on_packet(const Packet& packet, std::span<const std::byte> data);
  std::span<std::byte> place_for(const Packet& packet);
  Error take_back(Pair& pair);
  void count_received(Pair& pair, const Packet& packet);
  Frame frame_of(Packet packet, std::span<const std::byte> data);
  void queue(std::deque<Frame>& frames, Frame frame);
  void say_fini_if_due();

  ChannelLimits limits_;
  std::map<ProcId, std::size_t> local_;
  std::map<ProcId, std::size_t> remote_;
  Receiver& receiver_;
  PacketReader reader_;
  std::map<PairName, Pair> pairs_;
  std::deque<Frame> urgent_;
  std::deque<Frame> ready_;
  Frame current_;  // given out, or empty
  std::size_t current_written_ = 0;
  std::size_t unwritten_bytes_ = 0;
  std::size_t blocked_packets_ = 0;
  std::uint64_t sequence_ = 0;
  bool finished_ = false;     // finish() was called
  bool fini_queued_ = false;  // and nothing but what is queued is left
  bool peer_finished_ = false;
  Error broken_;
};

}  // namespace lintel::mpi::impi
