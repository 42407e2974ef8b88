#include "transport/direct/outbound_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

void OutboundTable::Unmap::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

OutboundTable::OutboundTable(std::size_t frames, std::size_t frame_bytes, std::size_t writes)
    : frame_bytes_(kHeadroom + (frame_bytes + kHeadroom - 1) / kHeadroom * kHeadroom),
      frames_{frames},
      writes_{writes} {
  if (!add_frames(frames)) throw std::bad_alloc();
  for (std::size_t i = 0; i < writes; ++i) add(nullptr);
}

void OutboundTable::add(std::byte* memory) {
  const auto index = static_cast<std::uint32_t>(records_.size());
  Outbound& record = records_.emplace_back();
  record.index = index;
  record.memory = memory;
  record.next = std::exchange(pool_of(record).first_free, index);
}

bool OutboundTable::add_frames(std::size_t count) {
  const std::size_t bytes = count * frame_bytes_;
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  auto* const memory = static_cast<std::byte*>(mapped);
  memory_.emplace_back(memory, Unmap{bytes});
  while (count-- > 0) add(memory + count * frame_bytes_ + kHeadroom);
  return true;
}

Outbound* OutboundTable::take(Pool& pool, SendShare& share) {
  const bool is_frame = &pool == &frames_;
  if (!share.may_take(pool.free(), pool.shared,
                      is_frame ? SendShare::kOwnFrames : SendShare::kOwnWrites))
    return nullptr;
  if (pool.first_free == Outbound::kNone) [[unlikely]] {
    constexpr std::size_t kFramesAtOnce = 8;
    if (!is_frame) {
      add(nullptr);
    } else if (!add_frames(kFramesAtOnce)) {
      return nullptr;
    }
  }
  Outbound& record = records_[pool.first_free];
  pool.first_free = std::exchange(record.next, Outbound::kNone);
  ++pool.taken;
  record.share = &share;
  ++share.held;
  return &record;
}

void OutboundTable::give_back(Outbound& record) {
  Pool& pool = pool_of(record);
  record.lent = record.is_message = record.keeps_memory = false;
  record.next = std::exchange(pool.first_free, record.index);
  --pool.taken;
  --record.share->held;
}

Outbound& OutboundTable::at(std::uint64_t index) {
  LINTEL_ASSERT(index < records_.size());
  return records_[index];
}

// Half of what it may hold, and each quarter more, so that acknowledgements are on their way while
// it goes on.
bool OutboundTable::frames_are_scarce(const SendShare& share) const {
  const std::size_t most = SendShare::most(frames_.shared);
  const std::size_t step = std::max<std::size_t>(most / 4, 1);
  return (2 * share.held >= most && share.held % step == 0) ||
         !share.may_take(frames_.free(), frames_.shared);
}

}  // namespace lintel::transport
