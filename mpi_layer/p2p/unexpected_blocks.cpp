#include "mpi_layer/p2p/unexpected_blocks.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/assert.h"
#include "mpi_layer/envelope/envelope.h"

namespace lintel::mpi {
namespace {

using portals::Status;
using portals::UnexpectedMessage;
namespace option = portals::option;

constexpr std::uint64_t kLargestBlock = 8 * 1024 * 1024;
constexpr std::uint64_t kLongest = 1024 * 1024;
constexpr std::uint64_t kBlocks = 8;    // the least number, unless blocks became too small
constexpr std::uint64_t kMessages = 4;  // the least number of longest messages that fit a block

}  // namespace

std::uint64_t UnexpectedBlocks::longest(std::uint64_t bytes, std::uint64_t eager_limit) {
  return std::max(eager_limit, std::min(kLongest, bytes / 3 * 2 / kBlocks / kMessages));
}

std::uint64_t UnexpectedBlocks::block_bytes(std::uint64_t bytes, std::uint64_t longest) {
  const std::uint64_t least = std::max<std::uint64_t>(kMessages * longest, 64);
  return std::max(least, std::min(kLargestBlock, bytes / 3 * 2 / kBlocks));
}

std::uint64_t UnexpectedBlocks::window(std::uint64_t bytes, std::uint64_t longest) {
  const std::uint64_t block = block_bytes(bytes, longest);
  return bytes / 3 * 2 / block * (block - longest) / 2;
}

Status UnexpectedBlocks::open(std::uint64_t bytes, std::uint64_t longest) {
  longest_ = longest;
  block_bytes_ = block_bytes(bytes, longest);

  // The first entry of the list, so that messages without data do not occupy a block.
  portals::DescriptorRules rules;
  rules.described.options =
      option::kPut | option::kStartDisable | option::kLinkDisable | option::kUnlinkDisable;
  SlotId made;
  if (const Status status = engine_.append(kMessagePortal, portals::PortalList::kOverflow,
                                           {kAnyProcess, 0, ~0ULL}, rules, false, made);
      status != Status::kOk) {
    return status;
  }
  const std::uint64_t count = bytes / 3 * 2 / block_bytes_;
  blocks_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::unique_ptr<std::byte[]> memory(new (std::nothrow)
                                            std::byte[block_bytes_]);  // resident when used
    if (memory == nullptr) return Status::kNoSpace;
    blocks_.push_back({std::move(memory), 0, {}, {}});
    if (const Status status = append(blocks_.back()); status != Status::kOk) return status;
  }
  return Status::kOk;
}

Status UnexpectedBlocks::append(Block& block) {
  portals::DescriptorRules rules;
  // With both options, the entry accepts no message longer than the longest, and is used up as soon
  // as less than the longest is left.
  rules.described.options = option::kPut | option::kMinFree | option::kMaxSize |
                            option::kStartDisable | option::kLinkDisable | option::kUnlinkDisable;
  rules.described.max_size = longest_;
  rules.described.user_pointer = &block;
  rules.region = portals::MemoryRegion(block.memory.get(), block_bytes_);
  const Status status = engine_.append(kMessagePortal, portals::PortalList::kOverflow,
                                       {kAnyProcess, 0, ~0ULL}, rules, false, block.entry);
  if (status != Status::kOk) return status;
  block.descriptor = engine_.descriptor_of(block.entry);
  block.used = 0;
  return status;
}

void UnexpectedBlocks::close() {
  if (block_bytes_ == 0) return;  // open() was not called
  engine_.for_each_unexpected([this](UnexpectedMessage& message) LINTEL_REQUIRES(kLock) {
    if (message.landed) consume(message);
  });
  released_ = false;
}

void UnexpectedBlocks::on_arrival(const portals::Event& event) {
  if (event.user_pointer == nullptr) return;  // a message without data
  static_cast<Block*>(event.user_pointer)->used = event.offset + event.manipulated_length;
}

void UnexpectedBlocks::consume(UnexpectedMessage& message) {
  const portals::Event arrival = message.event;
  engine_.consume(message);
  release(arrival);
}

void UnexpectedBlocks::release(const portals::Event& event) {
  if (event.descriptor.generation == 0) {
    delete[] static_cast<std::byte*>(event.start);
  } else {
    released_ = true;
  }
}

// The engine uses a block until less than the longest message is left.
std::uint64_t UnexpectedBlocks::room_in(const Block& block) const {
  const std::uint64_t sure = block_bytes_ - longest_;
  return block.used < sure ? sure - block.used : 0;
}

std::uint64_t UnexpectedBlocks::room() const {
  std::uint64_t room = 0;
  for (const Block& block : blocks_) room += room_in(block);
  return room;
}

bool UnexpectedBlocks::empty(const Block& block) {
  const portals::MemoryDescriptor* const descriptor = engine_.descriptor(block.descriptor);
  return descriptor == nullptr || descriptor->headers == 0;
}

void UnexpectedBlocks::rewind_empty() {
  released_ = false;
  for (Block& block : blocks_) {
    if (block.used == 0) continue;
    portals::MemoryDescriptor* const descriptor = engine_.descriptor(block.descriptor);
    // A block that is used up is renewed by make_room().
    if (descriptor == nullptr || !descriptor->active() || descriptor->in_use()) continue;
    descriptor->rewind();
    block.used = 0;
  }
}

// REQUIRES: empty(block).
bool UnexpectedBlocks::renew(Block& block) {
  if (engine_.has(block.entry) && !engine_.withdraw(block.entry)) return false;
  block.used = block_bytes_;
  return append(block) == Status::kOk;
}

bool UnexpectedBlocks::move_messages(const Block& block) {
  bool done = true;
  engine_.for_each_unexpected([&](UnexpectedMessage& message) LINTEL_REQUIRES(kLock) {
    if (!(message.event.descriptor == block.descriptor) || !message.landed) return;
    auto* const elsewhere = new (std::nothrow) std::byte[message.event.manipulated_length];
    if (elsewhere == nullptr) {
      done = false;
      return;
    }
    std::memcpy(elsewhere, message.event.start, message.event.manipulated_length);
    engine_.move(message, elsewhere);
  });
  return done;
}

bool UnexpectedBlocks::make_room(std::uint64_t bytes) {
  std::uint64_t have = room();
  for (const bool moving : {false, true}) {
    for (Block& block : blocks_) {
      if (have >= bytes) return true;
      if (block.used == 0 || (!moving && !empty(block)) || (moving && !move_messages(block)))
        continue;
      have -= room_in(block);
      if (renew(block)) have += room_in(block);
    }
  }
  return have >= bytes;
}

}  // namespace lintel::mpi
