#include "portals/engine/protocol/write_plan.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "portals/engine/wire/wire_codec.h"

namespace lintel::portals {

void WritePlan::begin(const MemoryRegion& region, std::uint64_t offset, std::uint64_t length,
                      std::span<const std::byte> segments, std::uint64_t longest) {
  WritePlan plan;
  const std::size_t count = segments.size() / sizeof(wire::Segment);
  plan.segments_.reserve(count);
  for (std::size_t index = 0; index < count; ++index)
    plan.segments_.push_back(wire::parse_segment(segments, index));
  plan.offset_ = offset;
  plan.end_ = offset + length;
  plan.longest_ = longest;
  std::size_t index = 0;
  std::uint64_t left = plan.segments_[0].length;
  region.for_each_run(offset, length, [&](std::span<std::byte> run) {
    for (std::uint64_t bytes = run.size(); bytes > 0;) {
      if (left == 0) left = plan.segments_[++index].length;
      const std::uint64_t part = std::min(bytes, left);
      plan.size_ += (part - 1) / longest + 1;
      bytes -= part;
      left -= part;
    }
  });
  *this = std::move(plan);
}

WritePlan::Write WritePlan::next(const MemoryRegion& region) const {
  LINTEL_ASSERT(offset_ < end_);
  const wire::Segment& segment = segments_[segment_];
  const std::span<std::byte> run = region.run_at(offset_, end_ - offset_);
  const std::uint64_t length = std::min<std::uint64_t>({run.size(), segment.length, longest_});
  return {run.first(length), run_, {segment.key, segment.address}, length == run.size()};
}

void WritePlan::take(const Write& write) {
  const std::uint64_t length = write.from.size();
  wire::Segment& segment = segments_[segment_];
  offset_ += length;
  segment.address += length;
  segment.length -= length;
  if (segment.length == 0) ++segment_;
  if (write.ends_run) ++run_;
}

}  // namespace lintel::portals
