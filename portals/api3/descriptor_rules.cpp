#include "portals/api3/descriptor_rules.h"

#include <cstdint>
#include <vector>

namespace lintel::api3 {
namespace {

using portals::Piece;
namespace option = portals::option;

// The engine's options carry the same numbers.
static_assert(PTL_MD_OP_PUT == option::kPut && PTL_MD_OP_GET == option::kGet && PTL_MD_MANAGE_REMOTE == option::kManageRemote);
static_assert(PTL_MD_TRUNCATE == option::kTruncate && PTL_MD_ACK_DISABLE == option::kAckDisable && PTL_MD_IOVEC == option::kIovec);
static_assert(PTL_MD_MAX_SIZE == option::kMaxSize && PTL_MD_EVENT_START_DISABLE == option::kStartDisable);
static_assert(PTL_MD_EVENT_END_DISABLE == option::kEndDisable && PTL_MD_THRESH_INF == portals::kUnlimited);

// Memory that can be: null only if empty, and not running over the end of the address space.
bool plausible(const void* start, std::uint64_t length) {
  return length == 0 || (start != nullptr && length <= UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(start));
}

int make_region(const portals::Limits& limits, const ptl_md_t& md, portals::MemoryRegion& region) {
  if (!plausible(md.start, (md.options & PTL_MD_IOVEC) != 0 ? 0 : md.length)) return PTL_MD_ILLEGAL;
  if ((md.options & PTL_MD_IOVEC) == 0) {
    region = portals::MemoryRegion(md.start, md.length);
    return PTL_OK;
  }
  if (md.length > limits.max_iovec_pieces || (md.length > 0 && md.start == nullptr)) return PTL_MD_ILLEGAL;
  const auto* given = static_cast<const ptl_md_iovec_t*>(md.start);
  std::vector<Piece> pieces;
  pieces.reserve(md.length);
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < md.length; ++i) {
    if (!plausible(given[i].iov_base, given[i].iov_len) || given[i].iov_len > UINT64_MAX - total) return PTL_MD_ILLEGAL;
    total += given[i].iov_len;
    pieces.push_back({static_cast<std::byte*>(given[i].iov_base), given[i].iov_len});
  }
  region = portals::MemoryRegion(pieces);
  return PTL_OK;
}

}  // namespace

int make_rules(portals::NetworkInterface& interface, std::uint32_t interface_index, const ptl_md_t& md, portals::DescriptorRules& rules) {
  if ((md.options & ~option::kPortals3) != 0) return PTL_MD_ILLEGAL;
  SlotId queue;
  if (md.eq_handle != PTL_EQ_NONE) {
    const Decoded decoded = decode(md.eq_handle);
    if (decoded.kind != HandleKind::kQueue) return PTL_EQ_INVALID;
    if (decoded.interface != interface_index) return PTL_MD_ILLEGAL;
    if (interface.queue(decoded.id) == nullptr) return PTL_EQ_INVALID;
    queue = decoded.id;
  }
  if (const int code = make_region(interface.limits(), md, rules.region); code != PTL_OK) return code;
  rules.described = {md.start, md.length, md.threshold, md.options, md.max_size, md.user_ptr, queue};
  return PTL_OK;
}

ptl_md_t to_ptl_md(const portals::DescriptorSnapshot& snapshot, std::uint32_t interface_index) {
  return {.start = snapshot.start,
          .length = snapshot.length,
          .threshold = snapshot.threshold,
          .max_size = snapshot.max_size,
          .options = snapshot.options,
          .user_ptr = snapshot.user_pointer,
          .eq_handle = snapshot.queue.generation != 0 ? encode(HandleKind::kQueue, interface_index, snapshot.queue) : PTL_EQ_NONE};
}

}  // namespace lintel::api3
