#include "transport/direct/outbound_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

void OutboundTable::Unmap::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

OutboundTable::OutboundTable(std::size_t frames, std::size_t frame_bytes, std::size_t writes)
    : frame_bytes_(kHeadroom + (frame_bytes + kHeadroom - 1) / kHeadroom * kHeadroom),
      frames_{frames},
      writes_{writes} {
  if (!add_frames(frames)) throw std::bad_alloc();
  for (std::size_t i = 0; i < writes; ++i) add(nullptr);
}

void OutboundTable::add(std::byte* memory) {
  Outbound& record = *records_.emplace_back(std::make_unique<Outbound>());
  record.index = static_cast<std::uint32_t>(records_.size() - 1);
  record.memory = memory;
  Pool& pool = pool_of(record);
  record.is_added = pool.all++ >= pool.shared;
  record.next = std::exchange(pool.first(record.is_added), &record);
}

// Added frames do not share pages, so that each can give its own back.
bool OutboundTable::add_frames(std::size_t count) {
  const bool is_added = frames_.all > 0;
  const std::size_t each = is_added ? (frame_bytes_ + kPage - 1) / kPage * kPage : frame_bytes_;
  const std::size_t bytes = count * each;
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  auto* const memory = static_cast<std::byte*>(mapped);
  memory_.push_back(std::unique_ptr<std::byte, Unmap>(memory, Unmap{bytes}));
  const std::size_t before = frames_.all;
  try {
    while (count-- > 0) add(memory + count * each + kHeadroom);
  } catch (const std::bad_alloc&) {
    if (frames_.all == before) memory_.pop_back();  // else frames are in it
    throw;
  }
  return true;
}

Outbound* OutboundTable::take(Pool& pool, SendShare& share) {
  const bool is_frame = &pool == &frames_;
  if (!share.may_take(pool.free(), pool.shared,
                      is_frame ? SendShare::kOwnFrames : SendShare::kOwnWrites))
    return nullptr;
  const bool is_added = pool.first_free == nullptr;
  if (is_added && pool.first_added == nullptr && !grow(pool)) [[unlikely]]
    return nullptr;
  Outbound*& first = pool.first(is_added);
  Outbound& record = *first;
  first = std::exchange(record.next, nullptr);
  if (std::exchange(record.has_pages, false)) --with_pages_;
  pool.taken += share.apart ? 0 : 1;
  record.share = &share;
  ++share.held;
  return &record;
}

// Adds records beyond the pool. False: there are as many as there may be, or there is no memory.
bool OutboundTable::grow(Pool& pool) {
  constexpr std::size_t kFramesAtOnce = 8;
  if (pool.all >= SendShare::most_in_all(pool.shared)) return false;
  try {
    if (&pool == &frames_) return add_frames(kFramesAtOnce);
    add(nullptr);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void OutboundTable::set_apart(SendShare& frames, bool apart) {
  if (std::exchange(frames.apart, apart) == apart) return;
  if (apart) {
    frames_.taken -= frames.held;
  } else {
    frames_.taken += frames.held;
  }
}

void OutboundTable::give_back(Outbound& record) {
  Pool& pool = pool_of(record);
  record.lent = record.is_message = record.keeps_memory = false;
  record.next = std::exchange(pool.first(record.is_added), &record);
  pool.taken -= record.share->apart ? 0 : 1;
  --record.share->held;
  if (record.is_added && record.memory != nullptr) [[unlikely]] {
    record.has_pages = true;
    ++with_pages_;
  }
  if (with_pages_ > 0 && 2 * frames_.taken <= frames_.shared) [[unlikely]]
    release_pages();
}

// The records stay: they are small, and there is a limit for them.
void OutboundTable::release_pages() {
  for (Outbound* frame = frames_.first_added; frame != nullptr && frame->has_pages;
       frame = frame->next) {
    ::madvise(frame->memory - kHeadroom, frame_bytes_, MADV_DONTNEED);
    frame->has_pages = false;
    --with_pages_;
  }
}

Outbound& OutboundTable::at(std::uint64_t index) {
  LINTEL_ASSERT(index < records_.size());
  return *records_[index];
}

}  // namespace lintel::transport
