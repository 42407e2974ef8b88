#include "portals/api3/descriptor_rules.h"

#include <cstdint>

#include "portals/engine/memory/described_region.h"

namespace lintel::api3 {
namespace {

namespace option = portals::option;

// The engine's options have the same values.
static_assert(PTL_MD_OP_PUT == option::kPut && PTL_MD_OP_GET == option::kGet &&
              PTL_MD_MANAGE_REMOTE == option::kManageRemote);
static_assert(PTL_MD_TRUNCATE == option::kTruncate && PTL_MD_ACK_DISABLE == option::kAckDisable &&
              PTL_MD_IOVEC == option::kIovec);
static_assert(PTL_MD_MAX_SIZE == option::kMaxSize &&
              PTL_MD_EVENT_START_DISABLE == option::kStartDisable);
static_assert(PTL_MD_EVENT_END_DISABLE == option::kEndDisable &&
              PTL_MD_THRESH_INF == portals::kUnlimited);

// A null pointer is allowed only for an empty piece.
bool is_sound(const void* start, std::uint64_t length) {
  return length == 0 || (start != nullptr && portals::within_address_space(start, length));
}

}  // namespace

int make_rules(portals::NetworkInterface& interface, std::uint32_t interface_index,
               const ptl_md_t& md, portals::DescriptorRules& rules) {
  if ((md.options & ~option::kPortals3) != 0) return PTL_MD_ILLEGAL;
  SlotId queue;
  if (md.eq_handle != PTL_EQ_NONE) {
    const Decoded decoded = decode(md.eq_handle);
    if (decoded.kind != HandleKind::kQueue) return PTL_EQ_INVALID;
    if (decoded.interface != interface_index) return PTL_MD_ILLEGAL;
    if (interface.events.queue(decoded.id) == nullptr) return PTL_EQ_INVALID;
    queue = decoded.id;
  }
  const auto region = portals::described_region<ptl_md_iovec_t>(
      md.start, md.length, (md.options & PTL_MD_IOVEC) != 0, interface.limits().max_iovec_pieces,
      is_sound);
  if (!region) return PTL_MD_ILLEGAL;
  rules.region = *region;
  rules.described = {md.start,    md.length,   md.threshold, md.options,
                     md.max_size, md.user_ptr, queue};
  return PTL_OK;
}

ptl_md_t to_ptl_md(const portals::DescriptorSnapshot& snapshot, std::uint32_t interface_index) {
  return {.start = snapshot.start,
          .length = snapshot.length,
          .threshold = snapshot.threshold,
          .max_size = snapshot.max_size,
          .options = snapshot.options,
          .user_ptr = snapshot.user_pointer,
          .eq_handle = snapshot.queue.generation != 0
                           ? encode(HandleKind::kQueue, interface_index, snapshot.queue)
                           : PTL_EQ_NONE};
}

}  // namespace lintel::api3
