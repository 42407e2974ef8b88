#include "transport/session/local_loop.h"

#include <cstring>
#include <utility>

#include "base/assert.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {

LocalLoop::LocalLoop(std::size_t max_message_bytes, std::size_t max_messages)
    : block_bytes_(record_bytes(max_message_bytes)),
      max_messages_(max_messages),
      blocks_(kMaxBlocks),
      regions_(1U << 20, 31) {}

MessageBuffer LocalLoop::reserve(std::size_t bytes) {
  if (messages_ >= max_messages_) return {};
  const std::size_t need = record_bytes(bytes);
  LINTEL_ASSERT(need <= block_bytes_);
  if (used_blocks_ == 0 || need > block_bytes_ - tail().end) {
    if (used_blocks_ == kMaxBlocks) return {};
    ++used_blocks_;
    MessageBlock& fresh = tail();
    if (!fresh.words) fresh.words = std::make_unique<std::uint64_t[]>((block_bytes_ + 7) / 8);
    fresh.end = 0;
  }
  MessageBlock& block = tail();
  return {block.data() + block.end + sizeof(RecordHeader),
          block_bytes_ - block.end - sizeof(RecordHeader), 0};
}

void LocalLoop::commit(std::size_t bytes) {
  MessageBlock& block = tail();
  const RecordHeader record{static_cast<std::uint32_t>(bytes), 0};
  std::memcpy(block.data() + block.end, &record, sizeof record);
  block.end += record_bytes(bytes);
  ++messages_;
}

Result<Registration> LocalLoop::register_memory(std::span<std::byte> memory) {
  const auto [region, id] = regions_.create();
  if (region == nullptr)
    return Error(Loss::kOperation, "session", "too many regions of memory are registered");
  const std::uint64_t number = kLocalRegion | id.packed();
  return Registration{number, number, reinterpret_cast<std::uintptr_t>(memory.data())};
}

void LocalLoop::deregister_memory(const Registration& region) {
  const SlotId id = SlotId::unpack(region.id & ~kLocalRegion);
  LINTEL_ASSERT(regions_.get(id) != nullptr);
  for (std::size_t i = 0; i < writes_count_; ++i) {
    LocalWrite& write = writes_[(first_write_ + i) % max_messages_];
    // By registration, not by address, because another transfer may use the same bytes.
    if (write.from_region == region.id || write.to_key == region.key) write.dropped = true;
  }
  regions_.destroy(id);
}

PostStatus LocalLoop::post_write(const LocalMemory& from, RemoteMemory to, Immediate immediate,
                                 Context context) {
  if (writes_count_ >= max_messages_) return PostStatus::kWouldBlock;
  if (writes_.empty()) writes_.resize(max_messages_);
  // The address comes from this process, so it is valid while the region that it was made from is
  // registered.
  const bool registered = (to.key & kLocalRegion) != 0 &&
                          regions_.get(SlotId::unpack(to.key & ~kLocalRegion)) != nullptr;
  // NOLINT(performance-no-int-to-ptr)
  auto* const target = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(to.address));
  writes_[(first_write_ + writes_count_) % max_messages_] = {
      from.data, target,  from.length, from.region.id, to.key,
      immediate, context, !registered, false};
  ++writes_count_;
  return PostStatus::kOk;
}

void LocalLoop::disconnect() {
  dropped_ = messages_;
  for (std::size_t i = 0; i < writes_count_; ++i)
    writes_[(first_write_ + i) % max_messages_].dropped = true;
}

std::size_t LocalLoop::deliver(PeerId self, Sink& sink) {
  std::size_t reports = 0;
  for (std::size_t left = messages_; left > 0; --left) {
    if (read_ == blocks_[head_].end) {
      // Its memory goes to the block that is opened next, so that a steady stream uses few blocks.
      MessageBlock& next = blocks_[(head_ + used_blocks_) % kMaxBlocks];
      if (!next.words) std::swap(next.words, blocks_[head_].words);
      head_ = (head_ + 1) % kMaxBlocks;
      --used_blocks_;
      read_ = 0;
    }
    const MessageBlock& block = blocks_[head_];
    RecordHeader record{};
    std::memcpy(&record, block.data() + read_, sizeof record);
    const std::span<const std::byte> message(block.data() + read_ + sizeof record, record.length);
    if (dropped_ == 0 && !told_) [[likely]] {
      told_ = true;  // once, also if the sink finds no memory
      sink.on_message(self, message);
      ++reports;
    }
    told_ = false;
    read_ += record_bytes(record.length);
    --messages_;
    if (dropped_ > 0) [[unlikely]] {
      --dropped_;
      continue;
    }
    sink.on_message_left(self);
    ++reports;
  }
  // The only block is empty: start again at its beginning. No reservation can be open in it,
  // because poll() is not called while a buffer is lent.
  if (used_blocks_ == 1 && messages_ == 0) {
    used_blocks_ = 0;
    read_ = 0;
  }
  for (std::size_t left = writes_count_; left > 0; --left) {
    LocalWrite& first = writes_[first_write_];
    if (!first.dropped && !first.told) {
      first.told = true;
      std::memmove(first.to, first.from, first.length);
      sink.on_immediate(self, first.immediate);
      ++reports;
    }
    const LocalWrite write = first;
    first_write_ = (first_write_ + 1) % max_messages_;
    --writes_count_;
    sink.on_write_done(write.context, !write.told
                                          ? Error(Loss::kOperation, "session",
                                                  "the memory of the write is not registered")
                                          : Error());
    ++reports;
  }
  return reports;
}

}  // namespace lintel::transport
