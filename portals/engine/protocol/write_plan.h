#pragma once
// WritePlan: the writes that answer one CLEAR: one for each range that is contiguous in the
// source's memory and in a segment of the receiver's, and no longer than the network's longest.
//
// Each is computed when it is due. So what a plan keeps are the segments, at most kMostSegments,
// however many writes a receiver makes of them by what it asks for.
// A member of TransferSource; guarded by the process' lock. The region belongs to the source.
// Does not: post writes, or register memory.

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "portals/engine/memory/memory_region.h"
#include "portals/engine/wire/wire_format.h"
#include "transport/transport.h"

namespace lintel::portals {

class WritePlan {
 public:
  struct Write {
    std::span<const std::byte> from;
    std::size_t run = 0;  // the number of the contiguous run of the region in which they lie
    transport::RemoteMemory to;
    bool ends_run = false;
  };

  // Plans the writes of [offset, offset + length) of `region` to the segments of a CLEAR, which are
  // encoded in `segments`. REQUIRES: the range lies within the region; the segments have `length`
  // bytes together; `longest` > 0. If there is no memory (std::bad_alloc), nothing has happened.
  void begin(const MemoryRegion& region, std::uint64_t offset, std::uint64_t length,
             std::span<const std::byte> segments, std::uint64_t longest);

  std::uint64_t size() const { return size_; }  // all writes of the plan
  // Bytes that it keeps beside itself after begin() with so many segments. It gives none of them
  // back before its end.
  std::size_t memory_for(std::size_t segments) const {
    const std::size_t most = std::max(segments, segments_.capacity());
    return most > 1 ? most * sizeof(wire::Segment) : 0;
  }

  // The write that is due. REQUIRES: fewer than size() were taken.
  Write next(const MemoryRegion& region) const;
  // It was posted.
  void take(const Write& write);

 private:
  boost::container::small_vector<wire::Segment, 1> segments_;  // what is left of each
  std::size_t segment_ = 0;                                    // the first with something left
  std::size_t run_ = 0;
  std::uint64_t offset_ = 0;  // in the region
  std::uint64_t end_ = 0;
  std::uint64_t longest_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace lintel::portals
