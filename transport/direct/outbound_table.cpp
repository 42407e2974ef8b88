#include "transport/direct/outbound_table.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

void Outbound::advance(std::size_t bytes) {
  for (iovec& piece : rest) {
    const std::size_t gone = std::min(bytes, piece.iov_len);
    piece.iov_base = static_cast<std::byte*>(piece.iov_base) + gone;
    piece.iov_len -= gone;
    bytes -= gone;
  }
}

void OutboundTable::Unmap::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

OutboundTable::OutboundTable(std::size_t frames, std::size_t frame_bytes, std::size_t writes)
    : frames_(frames),
      frame_bytes_((frame_bytes + kHeadroom - 1) / kHeadroom * kHeadroom),
      records_(frames + writes) {
  const std::size_t bytes = frames_ * (kHeadroom + frame_bytes_);
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(mapped), Unmap{bytes});
  for (std::size_t i = records_.size(); i-- > 0;) {
    Outbound& record = records_[i];
    record.index = static_cast<std::uint32_t>(i);
    record.next = std::exchange(is_frame(record) ? free_frame_ : free_write_, record.index);
  }
}

Outbound* OutboundTable::take(std::uint32_t& free) {
  if (free == Outbound::kNone) return nullptr;
  Outbound& record = records_[free];
  free = record.next;
  record.next = Outbound::kNone;
  ++(is_frame(record) ? frames_taken_ : writes_taken_);
  return &record;
}

void OutboundTable::give_back(Outbound& record) {
  record.lent = record.is_message = record.keeps_memory = false;
  record.next = std::exchange(is_frame(record) ? free_frame_ : free_write_, record.index);
  --(is_frame(record) ? frames_taken_ : writes_taken_);
}

Outbound& OutboundTable::at(std::uint64_t index) {
  LINTEL_ASSERT(index < records_.size());
  return records_[index];
}

void OutboundTable::append(OutboundQueue& queue, Outbound& record) {
  (queue.empty() ? queue.first : records_[queue.last].next) = record.index;
  queue.last = record.index;
}

void OutboundTable::pop_front(OutboundQueue& queue) {
  Outbound& record = front(queue);
  queue.first = std::exchange(record.next, Outbound::kNone);
}

}  // namespace lintel::transport
