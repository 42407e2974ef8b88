#pragma once
// OutboundTable: a record for each message, placed message and write that is being built or has not
// been passed to the kernel, and the queues in which they wait for their connection.
//
// Owned by a DirectTransport; guarded by its owner's lock.
// Invariants: (1) records never move; (2) a record is free, lent, or in one queue; (3) the frame
// that was used last is reused first, because it is in the cache.
// Does not: allocate after construction, or send anything.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transport/direct/stream_format.h"
#include "transport/transport.h"

namespace lintel::transport {

struct Outbound {
  static constexpr std::uint32_t kNone = 0xffffffffU;

  std::uint32_t index = 0;
  std::uint32_t next = kNone;  // in its queue, or in the list of free records
  bool lent = false;
  bool is_message = false;    // also of a placed message: on_message_left() is due
  bool keeps_memory = false;  // a write or a placed message: on_write_done() is due
  Context context;            // keeps_memory
  iovec rest[2] = {};         // what the kernel has not accepted yet
  std::byte write_head[sizeof(PieceHeader) + sizeof(WriteHeader)];

  std::size_t bytes_left() const { return rest[0].iov_len + rest[1].iov_len; }
  // The kernel has accepted `bytes` bytes of the rest.
  void advance(std::size_t bytes);
};

// The records that wait for one connection, first in, first out.
struct OutboundQueue {
  std::uint32_t first = Outbound::kNone;
  std::uint32_t last = Outbound::kNone;
  bool empty() const { return first == Outbound::kNone; }
};

class OutboundTable {
 public:
  // Room for headers before the message in a frame's memory.
  static constexpr std::size_t kHeadroom = 64;

  OutboundTable(std::size_t frames, std::size_t frame_bytes, std::size_t writes);
  OutboundTable(const OutboundTable&) = delete;
  OutboundTable& operator=(const OutboundTable&) = delete;

  // A free record, with or without the memory of a frame; nullptr: there is none.
  Outbound* take_frame() { return take(free_frame_); }
  Outbound* take_write() { return take(free_write_); }
  void give_back(Outbound& record);
  // The memory of a frame, after its headroom.
  std::byte* memory(const Outbound& frame) const {
    return memory_.get() + frame.index * (kHeadroom + frame_bytes_) + kHeadroom;
  }

  Outbound& at(std::uint64_t index);
  void append(OutboundQueue& queue, Outbound& record);
  Outbound& front(const OutboundQueue& queue) { return records_[queue.first]; }
  void pop_front(OutboundQueue& queue);

  std::size_t frames_taken() const { return frames_taken_; }
  std::size_t writes_taken() const { return writes_taken_; }

 private:
  Outbound* take(std::uint32_t& free);
  bool is_frame(const Outbound& record) const { return record.index < frames_; }

  struct Unmap {
    Unmap() : bytes(0) {}
    explicit Unmap(std::size_t mapped) : bytes(mapped) {}
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };
  std::size_t frames_;
  std::size_t frame_bytes_;
  std::unique_ptr<std::byte, Unmap> memory_;  // pages that were not used cost nothing
  std::vector<Outbound> records_;
  std::uint32_t free_frame_ = Outbound::kNone;
  std::uint32_t free_write_ = Outbound::kNone;
  std::size_t frames_taken_ = 0;
  std::size_t writes_taken_ = 0;
};

}  // namespace lintel::transport
