#include "transport/direct/outbound_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace lintel::transport {

void OutboundStream::append(Outbound& record, std::uint16_t flags) {
  LINTEL_ASSERT(record.size() > 0);
  record.next = nullptr;
  record.begin = end_;
  record.has_left = false;
  end_ = record.end();
  const std::size_t of_frame = record.memory != nullptr ? record.parts[0].iov_len : 0;
  frame_bytes_ += of_frame;
  awaited_ += record.keeps_memory ? 1 : 0;
  const bool asks = (flags & kAcknowledgeSoon) != 0;
  records_since_asked_ = asks ? 0 : records_since_asked_ + 1;
  frame_bytes_since_asked_ = asks ? 0 : frame_bytes_since_asked_ + of_frame;
  if (empty()) {
    first_ = &record;
  } else {
    last_->next = &record;
  }
  last_ = &record;
  if (unsent_ == nullptr) {
    unsent_ = &record;
    unsent_from_ = 0;
  }
}

Outbound& OutboundStream::pop_front() {
  Outbound& record = *first_;
  first_ = record.next;
  if (unsent_ == &record) {
    unsent_ = record.next;
    unsent_from_ = 0;
  }
  if (record.memory != nullptr) frame_bytes_ -= record.parts[0].iov_len;
  awaited_ -= record.keeps_memory ? 1 : 0;
  return record;
}

std::span<const iovec> OutboundStream::next(std::uint64_t received) {
  std::size_t count = 0;
  const bool begins =
      acknowledgement_left_ == 0 && unsent_from_ == 0 && received != acknowledgement_sent_;
  if (begins) {
    encode(acknowledgement_.data(),
           PieceHeader{static_cast<std::uint32_t>(received),
                       static_cast<std::uint8_t>(PieceKind::kAcknowledge), 0, 0});
    acknowledgement_left_ = acknowledgement_.size();
    acknowledgement_sent_ = received;
  }
  if (unsent_ == nullptr) {
    if (acknowledgement_left_ > 0) parts_[count++] = rest_of_acknowledgement();
    return std::span(parts_).first(count);
  }
  Outbound& record = *unsent_;
  if (begins) {
    auto* const front = static_cast<std::byte*>(record.parts[0].iov_base) - kHeadroom;
    std::memcpy(front, acknowledgement_.data(), kHeadroom);
    parts_[count++] = {front, kHeadroom + record.parts[0].iov_len};
    if (record.parts[1].iov_len > 0) parts_[count++] = record.parts[1];
    return std::span(parts_).first(count);
  }
  if (acknowledgement_left_ > 0) parts_[count++] = rest_of_acknowledgement();
  std::size_t gone = unsent_from_;
  for (const iovec& part : record.parts) {
    const std::size_t skipped = std::min(gone, part.iov_len);
    gone -= skipped;
    if (skipped < part.iov_len)
      parts_[count++] = {static_cast<std::byte*>(part.iov_base) + skipped, part.iov_len - skipped};
  }
  return std::span(parts_).first(count);
}

iovec OutboundStream::rest_of_acknowledgement() {
  return {acknowledgement_.data() + acknowledgement_.size() - acknowledgement_left_,
          acknowledgement_left_};
}

Outbound* OutboundStream::accepted(std::size_t bytes) {
  const std::size_t told = std::min(bytes, acknowledgement_left_);
  acknowledgement_left_ -= told;
  bytes -= told;
  if (bytes == 0) return nullptr;
  LINTEL_ASSERT(unsent_ != nullptr);
  Outbound& record = *unsent_;
  unsent_from_ += bytes;
  LINTEL_ASSERT(unsent_from_ <= record.size());
  if (unsent_from_ < record.size()) return nullptr;
  unsent_ = record.next;
  unsent_from_ = 0;
  return std::exchange(record.has_left, true) ? nullptr : &record;
}

void OutboundStream::resume(std::uint64_t received) {
  acknowledgement_sent_ = received;
  acknowledgement_left_ = 0;
  unsent_ = first_;
  unsent_from_ = empty() ? 0 : static_cast<std::size_t>(acknowledged_ - first_->begin);
}

}  // namespace lintel::transport
