#include "portals/engine/memory/memory_descriptor.h"

#include <algorithm>
#include <utility>

namespace lintel::portals {

void MemoryDescriptor::describe(DescriptorRules rules) {
  snapshot_ = rules.described;
  region_ = std::move(rules.region);
  counter_ = rules.counter;
  user_ = rules.user;
  // A negative threshold other than kUnlimited makes it inactive.
  if (snapshot_.threshold < 0 && snapshot_.threshold != kUnlimited) snapshot_.threshold = 0;
  local_offset_ = 0;
  active_ = snapshot_.threshold != 0;
}

std::optional<MemoryDescriptor::Acceptance> MemoryDescriptor::accept(
    std::uint32_t needed, std::uint64_t request_offset, std::uint64_t request_length) const {
  if (!active_ || (snapshot_.options & needed) != needed) return std::nullopt;
  const bool remote = has(option::kManageRemote);
  const std::uint64_t offset = remote ? request_offset : local_offset_;
  const bool truncate = has(option::kTruncate);
  const bool beyond = offset > region_.length();
  if (beyond && !(truncate && has(option::kBeyondEnd))) return std::nullopt;
  const std::uint64_t room = beyond ? 0 : region_.length() - offset;
  // max_size is also the largest request that the descriptor accepts; a larger one goes to the next
  // entry.
  if (!truncate && !remote && has(option::kMaxSize) && snapshot_.max_size != 0 &&
      request_length > snapshot_.max_size)
    return std::nullopt;
  if (request_length <= room) return Acceptance{offset, request_length};
  if (!truncate) return std::nullopt;
  return Acceptance{offset, room};
}

bool MemoryDescriptor::used_up_by(const Acceptance& acceptance) const {
  if (snapshot_.threshold == 1) return true;
  return !has(option::kManageRemote) && has(option::kMaxSize | option::kMinFree) &&
         region_.length() - (acceptance.offset + acceptance.length) < snapshot_.max_size;
}

void MemoryDescriptor::charge_accepted(const Acceptance& acceptance) {
  if (!has(option::kManageRemote)) move_to(acceptance.offset + acceptance.length);
  charge();
}

void MemoryDescriptor::charge_claimed(std::uint64_t request_length) {
  if (!has(option::kManageRemote) && has(option::kGrowByRequest)) {
    move_to(local_offset_ + std::min(request_length, region_.length() - local_offset_));
  }
  charge();
}

void MemoryDescriptor::move_to(std::uint64_t local_offset) {
  local_offset_ = local_offset;
  if (has(option::kMaxSize | option::kMinFree) &&
      region_.length() - local_offset_ < snapshot_.max_size)
    use_up();
}

void MemoryDescriptor::charge() {
  if (snapshot_.threshold <= 0)
    return;  // unlimited, or no unit is left (an ack or reply for an inactive descriptor)
  if (--snapshot_.threshold == 0) use_up();
}

void MemoryDescriptor::use_up() {
  active_ = false;
  unlink_due_ = unlink_when_used_up_;
}

void MemoryDescriptor::end() {
  LINTEL_ASSERT(pending_ > 0);
  --pending_;
}

}  // namespace lintel::portals
