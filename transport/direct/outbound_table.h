#pragma once
// OutboundTable: a record for each message, placed message and write that is being built, or that
// the peer has not acknowledged.
//
// A member of DirectTables; guarded by its owner's lock.
// Invariants: (1) records never move; (2) a record is free, lent, or in one stream; (3) the frame
// that was used last is reused first, because it is in the cache; (4) each peer gets two frames,
// one for what waits and one for control, and one write: beyond the pool, the table has at most
// these for each peer, and at most SendShare::most_in_all() records; (5) the memory of frames
// beyond the pool is the system's again when they are free and half of the pool is; (6) frames of
// peers that are set apart leave as many to the others as if they were free.
// Does not: allocate after construction, except for (4), or send anything.

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transport/contact/send_share.h"
#include "transport/direct/stream_format.h"
#include "transport/transport.h"

namespace lintel::transport {

struct Outbound {
  std::uint32_t index = 0;
  Outbound* next = nullptr;  // in its stream, or in the list of free records
  bool is_added = false;     // beyond the pool
  bool has_pages = false;    // of a free frame beyond the pool: the system has not got them back
  bool lent = false;
  bool is_message = false;      // also of a placed message: on_message_left() is due
  bool keeps_memory = false;    // a write or a placed message: on_write_done() is due
  bool has_left = false;        // the kernel has accepted all of it once
  Context context;              // keeps_memory
  std::byte* memory = nullptr;  // of a frame, after its headroom; null: the record of a write
  SendShare* share = nullptr;   // of the peer that holds the record
  std::uint64_t begin = 0;      // its position in the stream
  iovec parts[2] = {};          // its bytes
  // Of a write: room for an acknowledgement, then the headers.
  std::byte write_head[2 * sizeof(PieceHeader) + sizeof(WriteHeader)];

  std::size_t size() const { return parts[0].iov_len + parts[1].iov_len; }
  std::uint64_t end() const { return begin + size(); }
};

class OutboundTable {
 public:
  // Room for headers before the message in a frame's memory.
  static constexpr std::size_t kHeadroom = 64;

  OutboundTable(std::size_t frames, std::size_t frame_bytes, std::size_t writes);
  OutboundTable(const OutboundTable&) = delete;
  OutboundTable& operator=(const OutboundTable&) = delete;

  // A free record for the peer whose share that is, with or without the memory of a frame; nullptr:
  // the peer may not take another one now.
  Outbound* take_frame(SendShare& share) { return take(frames_, share); }
  Outbound* take_write(SendShare& share) { return take(writes_, share); }
  void give_back(Outbound& record);
  // Whether the peer gets only frames of its own, and leaves the pool to others.
  void set_apart(SendShare& frames, bool apart);

  Outbound& at(std::uint64_t index);
  // The most that this peer gets now, of the pool if it is not set apart.
  std::size_t frame_limit(const SendShare& frames) const {
    return frames.apart ? SendShare::kOwnFrames : SendShare::limit(frames_.free(), frames_.shared);
  }
  std::size_t write_limit() const { return SendShare::limit(writes_.free(), writes_.shared); }
  // Peers that are not set apart hold half of the pool of frames, or more.
  bool half_is_taken() const { return 2 * frames_.taken >= frames_.shared; }

  std::size_t frames_taken() const { return frames_.taken; }  // without those of peers set apart
  std::size_t writes_taken() const { return writes_.taken; }

 private:
  struct Pool {
    std::size_t shared;              // records without those that were added
    std::size_t all = 0;             // records, added ones included
    Outbound* first_free = nullptr;  // free records that are shared
    // Free records that were added. Those with pages come first.
    Outbound* first_added = nullptr;
    std::size_t taken = 0;  // without those of peers that are set apart
    // Of the shared ones. Added ones count as if they were shared ones.
    std::size_t free() const { return shared > taken ? shared - taken : 0; }
    Outbound*& first(bool is_added) { return is_added ? first_added : first_free; }
  };
  Outbound* take(Pool& pool, SendShare& share);
  Pool& pool_of(const Outbound& record) { return record.memory != nullptr ? frames_ : writes_; }
  [[gnu::cold]] bool grow(Pool& pool);
  bool add_frames(std::size_t count);
  void add(std::byte* memory);
  [[gnu::cold]] void release_pages();

  struct Unmap {
    Unmap() : bytes(0) {}
    explicit Unmap(std::size_t mapped) : bytes(mapped) {}
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };
  std::size_t frame_bytes_;                                // with headroom
  std::vector<std::unique_ptr<std::byte, Unmap>> memory_;  // pages that were not used cost nothing
  std::vector<std::unique_ptr<Outbound>> records_;
  Pool frames_;
  Pool writes_;
  std::size_t with_pages_ = 0;  // Outbound::has_pages
};

}  // namespace lintel::transport
