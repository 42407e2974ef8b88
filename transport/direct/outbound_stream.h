#pragma once
// OutboundStream: what a connection sends, from the first byte until the peer has acknowledged it.
// It has no socket: it says which bytes are next, and is told how many the kernel has accepted.
//
// Holds records of the OutboundTable, first in, first out. A record stays until all its bytes are
// acknowledged, because the kernel loses what it has accepted if the TCP connection breaks. Then
// resume() begins again with the first byte that the peer has not received.
// Also says where an acknowledgement of what was received goes: between two records.
//
// Owned by a connection of a DirectTransport; guarded by its owner's lock.
// Invariants: (1) positions count the bytes of records, not of acknowledgements; (2) the peer has
// all bytes before acknowledged(); (3) no record lies wholly before it.
// Does not: allocate, send, or decide when an acknowledgement is due.
//
// It has more than 30 members, most of which are questions about its positions and sums, each of
// one line.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/direct/outbound_table.h"

namespace lintel::transport {

class OutboundStream {
 public:
  // The most parts that next() returns.
  static constexpr std::size_t kParts = 3;
  // In front of the first part of each record are as many bytes for an acknowledgement, so that the
  // kernel gets both in one part.
  static constexpr std::size_t kHeadroom = sizeof(PieceHeader);

  // `flags`: PieceFlags of its piece. REQUIRES: the record has bytes, and is in no stream.
  void append(Outbound& record, std::uint16_t flags);
  bool empty() const { return first_ == nullptr; }
  // There is something that the kernel has not accepted.
  bool waits() const { return unsent_ != nullptr || acknowledgement_left_ > 0; }

  // The next bytes for the kernel, in parts. Between two records, an acknowledgement comes first if
  // it says more than the last one: that all before `received` has arrived. Empty: none.
  std::span<const iovec> next(std::uint64_t received);
  // The kernel has accepted `bytes` bytes of next(). Returns the record whose last byte was among
  // them for the first time, or nullptr.
  Outbound* accepted(std::size_t bytes);
  // What was acknowledged to the peer last.
  std::uint64_t acknowledgement_sent() const { return acknowledgement_sent_; }

  // The peer has received all bytes before `position`: calls done(Outbound&) for each record of
  // which nothing is missing, which is in no stream any more. False: these were never sent.
  template <class Done>
  bool acknowledge(std::uint64_t position, Done done) {
    if (position < acknowledged_ || position > sent()) return false;
    acknowledged_ = position;
    while (!empty() && first_->end() <= position) done(pop_front());
    return true;
  }
  // The low 32 bits of a position, which is less than 2^32 bytes after acknowledged().
  std::uint64_t position_of(std::uint32_t low) const {
    return acknowledged_ +
           static_cast<std::uint32_t>(low - static_cast<std::uint32_t>(acknowledged_));
  }
  std::uint64_t acknowledged() const { return acknowledged_; }
  // So much is unacknowledged that the low 32 bits might not tell positions apart if a record were
  // appended.
  bool is_full() const { return end_ - acknowledged_ > std::uint64_t{1} << 31; }

  // The TCP connection is lost, and with it an acknowledgement that has begun.
  void interrupt() { acknowledgement_left_ = 0; }
  // The TCP connection was replaced. The peer has received all before acknowledged(), and knows
  // that all before `received` has arrived here.
  void resume(std::uint64_t received);

  // The position up to which the kernel has accepted it on the present TCP connection.
  std::uint64_t sent() const { return unsent_ == nullptr ? end_ : unsent_->begin + unsent_from_; }
  // A caller waits for the end of a record.
  bool is_awaited() const { return awaited_ != 0; }
  // Bytes of frames that are kept here.
  std::size_t frame_bytes() const { return frame_bytes_; }
  // Records that were appended, and bytes of frames, since the last record that asks to be
  // acknowledged soon.
  std::size_t records_since_asked() const { return records_since_asked_; }
  std::size_t frame_bytes_since_asked() const { return frame_bytes_since_asked_; }
  // Takes the first record out, acknowledged or not. REQUIRES: !empty().
  Outbound& pop_front();

 private:
  iovec rest_of_acknowledgement();

  Outbound* first_ = nullptr;
  Outbound* last_ = nullptr;
  Outbound* unsent_ = nullptr;   // the first that the kernel has not accepted whole
  std::size_t unsent_from_ = 0;  // its bytes that the kernel has accepted
  std::uint64_t end_ = 0;        // of the last record
  std::uint64_t acknowledged_ = 0;
  std::uint64_t acknowledgement_sent_ = 0;
  std::size_t frame_bytes_ = 0;
  std::size_t awaited_ = 0;
  std::size_t records_since_asked_ = 0;
  std::size_t frame_bytes_since_asked_ = 0;
  // One that has begun is sent to its end before anything else.
  std::array<std::byte, sizeof(PieceHeader)> acknowledgement_{};
  std::size_t acknowledgement_left_ = 0;
  std::array<iovec, kParts> parts_{};
};

}  // namespace lintel::transport
