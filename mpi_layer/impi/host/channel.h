#pragma once
// Channel: the protocol of the one connection between two hosts: packets in order, FlowControl for
// each pair of processes, and the end by FINI (IMPI 0.0, data transfer; reference sections 6, 8,
// 9).
//
// Knows no sockets: received bytes go in by receive(), and next_bytes() returns the bytes to send.
// Owned by the owner of the connection. Thread: one at a time.
// Invariants: (1) from a local process to a remote one at most `hiwater` packets are without
// PROTOACK; further ones wait here, in order, and packets of other pairs overtake them; (2)
// PROTOACK waits only for the packet that next_bytes() has begun to return; (3) the data of a
// packet are copied when it is given.
// Does not: match, or know messages: see Messages.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "mpi_layer/impi/host/flow_control.h"
#include "mpi_layer/impi/host/frame_queue.h"
#include "mpi_layer/impi/host/packet.h"
#include "mpi_layer/impi/host/packet_reader.h"

namespace lintel::mpi::impi {

// The limits of all hosts of a job: the least of what each has offered.
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
    // A packet other than PROTOACK and FINI has arrived, between processes of the two hosts. `data`
    // are valid until the call returns. An error breaks the channel.
    virtual Error on_packet(const Packet& packet, std::span<const std::byte> data) = 0;
    // Where the data of a packet whose header has arrived may be written: packet.length bytes that
    // stay valid until on_packet() is called for it or the channel has ended. The channel need not
    // ask, and need not use the place. Empty: no place.
    virtual std::span<std::byte> place_for(const Packet&) { return {}; }
  };

  // `local` and `remote`: the processes of the two hosts. `receiver` is borrowed.
  Channel(const ChannelLimits& limits, const std::vector<ProcId>& local,
          const std::vector<ProcId>& remote, Receiver& receiver);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Queues a packet, or keeps it until flow control allows it. The channel sets the sequence
  // number. REQUIRES: its source is local, its destination remote; `data` has `packet.length`
  // bytes, at most limits.data_bytes, if the type carries data; the type is neither PROTOACK nor
  // FINI; finish() was not called.
  void send(Packet packet, std::span<const std::byte> data = {});

  // True if flow control allows a packet between these two now. REQUIRES: as send().
  bool may_send(const ProcId& source, const ProcId& destination);

  // send() without a copy, for a caller that can write at once. True: no packet waits before this
  // one, and its header is in `header`. The caller writes `header` and `data`, as much as the
  // connection accepts, and calls wrote() with the number of bytes written. False: it was given to
  // send().
  bool send_at_once(Packet packet, std::span<const std::byte> data,
                    std::span<std::byte, kHeaderBytes> header);
  void wrote(std::span<const std::byte, kHeaderBytes> header, std::span<const std::byte> data,
             std::size_t bytes);

  // Call it once, when all local processes have finalized. FINI follows everything that is still to
  // be sent.
  void finish();

  // As PacketReader.
  std::span<std::byte> room() { return reader_.room(); }
  Error filled(std::size_t bytes);
  // Handles received bytes. Errors: the peer violates the protocol, or the error of on_packet().
  // After an error nothing more is received or sent.
  Error receive(std::span<const std::byte> bytes);
  // The peer has closed the connection. Returns an error unless it had sent FINI.
  Error end_of_stream() const;

  // The bytes to write next, empty if there are none; and: `bytes` of them were written.
  std::span<const std::byte> next_bytes() {
    return broken_.ok() ? frames_.next_bytes() : std::span<const std::byte>();
  }
  void written(std::size_t bytes) { frames_.written(bytes); }

  // Both sides have sent FINI, and ours is written. This side sends nothing more. PROTOACK may
  // still arrive from the other side.
  bool closed() const { return fini_queued_ && peer_finished_ && unwritten_bytes() == 0; }
  // The number of bytes to be written, and of packets that wait for PROTOACK.
  std::size_t unwritten_bytes() const { return frames_.unwritten_bytes(); }
  std::size_t blocked_packets() const { return flow_.blocked_packets(); }
  // One line for each pair that has exchanged anything.
  void dump(std::string& out) const;

 private:
  void check(const Packet& packet, std::span<const std::byte> data) const;
  Error on_packet(const Packet& packet, std::span<const std::byte> data);
  std::span<std::byte> place_for(const Packet& packet);
  FrameQueue::Frame frame_of(Packet packet, std::span<const std::byte> data);
  void queue_fini_if_due();

  std::uint32_t data_bytes_;
  Receiver& receiver_;
  PacketReader reader_;
  FlowControl flow_;
  FrameQueue frames_;
  std::uint64_t sequence_ = 0;
  bool finished_ = false;     // finish() was called
  bool fini_queued_ = false;  // nothing more will be queued
  bool peer_finished_ = false;
  Error broken_;
};

}  // namespace lintel::mpi::impi
