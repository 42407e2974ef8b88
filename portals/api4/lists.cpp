// Portal table entries, list entries and match list entries, memory descriptors (Portals 4).

#include "portals/api4/library.h"
#include "portals/api4/return_code.h"
#include "portals/api4/translation.h"
#include "portals/engine/process/release.h"

using namespace lintel;
using namespace lintel::api4;
using portals::MatchCriteria;
using portals::NetworkInterface;
using portals::PortalList;
using portals::Process;
using portals::Status;

namespace {

constexpr MatchCriteria kEverything{kAnyone, 0, ~0ULL};

std::optional<MatchCriteria> criteria_of(NetworkInterface& interface, const ptl_me_t& me)
    LINTEL_REQUIRES(kLock) {
  ProcessId from;
  if (!to_process(interface, me.match_id, true, from)) return std::nullopt;
  return MatchCriteria{from, me.match_bits, me.ignore_bits};
}

// What calls for LEs have in common: checks that the interface is non-matching and the arguments
// are valid, then calls `function(interface, rules, criteria)`. with_me does the same for MEs.
template <class Function>
int with_le(ptl_handle_ni_t ni, const ptl_le_t* le, void* user_pointer, Function&& function) {
  return with_interface_acting(
      ni, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (le == nullptr || is_matching(interface.kind())) return PTL_ARG_INVALID;
        const auto rules = to_rules(interface, *le, PTL_LE_APPEND_OPTIONS_MASK, user_pointer);
        return rules ? function(interface, *rules, kEverything) : PTL_ARG_INVALID;
      });
}

template <class Function>
int with_me(ptl_handle_ni_t ni, const ptl_me_t* me, void* user_pointer, Function&& function) {
  return with_interface_acting(
      ni, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (me == nullptr || !is_matching(interface.kind())) return PTL_ARG_INVALID;
        const auto criteria = criteria_of(interface, *me);
        const auto rules = criteria ? to_rules(interface, *me, user_pointer) : std::nullopt;
        return rules ? function(interface, *rules, *criteria) : PTL_ARG_INVALID;
      });
}

auto appending(ptl_pt_index_t pt_index, ptl_list_t list, bool use_once, ptl_handle_any_t* made) {
  return [=](NetworkInterface& interface, const portals::DescriptorRules& rules,
             const MatchCriteria& criteria) LINTEL_REQUIRES(kLock) -> int {
    if (made == nullptr || list > PTL_OVERFLOW_LIST) return PTL_ARG_INVALID;
    SlotId entry;
    const Status status = interface.unexpected.append_entry(pt_index, static_cast<PortalList>(list),
                                                            criteria, rules, use_once, entry);
    if (status == Status::kOk) *made = encode(HandleKind::kEntry, interface.kind(), entry);
    return return_code(status);
  };
}

auto searching(ptl_pt_index_t pt_index, ptl_search_op_t operation, bool use_once) {
  return [=](NetworkInterface& interface, const portals::DescriptorRules& rules,
             const MatchCriteria& criteria) LINTEL_REQUIRES(kLock) -> int {
    if (operation > PTL_SEARCH_DELETE) return PTL_ARG_INVALID;
    return return_code(interface.unexpected.search(pt_index, criteria, rules, use_once,
                                                   operation == PTL_SEARCH_DELETE));
  };
}

int unlink(ptl_handle_any_t handle, bool matching) {
  return with_interface(handle, HandleKind::kEntry,
                        [&](Process& own, NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) -> int {
                              if (is_matching(interface.kind()) != matching) return PTL_ARG_INVALID;
                              return return_code(portals::unlink_entry(own, interface, id));
                            });
}

// True when the portal accepts no message and none that it has accepted is under way.
struct Quiet final : portals::Condition {
  Quiet(Process& p, std::uint8_t k, ptl_pt_index_t i) : process(p), kind(k), index(i) {}
  bool holds() override LINTEL_REQUIRES(kLock) {
    NetworkInterface* interface = process.interface(kind);
    return interface == nullptr || interface->portals.quiet(index);
  }
  Process& process;
  std::uint8_t kind;
  ptl_pt_index_t index;
};

}  // namespace

extern "C" {

int PtlPTAlloc(ptl_handle_ni_t ni_handle, unsigned int options, ptl_handle_eq_t eq_handle,
               ptl_pt_index_t pt_index_req, ptl_pt_index_t* pt_index) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (pt_index == nullptr || (options & ~PTL_PT_ALLOC_OPTIONS_MASK) != 0)
          return PTL_ARG_INVALID;
        const std::optional<SlotId> queue = to_queue(interface, eq_handle);
        if (!queue) return PTL_ARG_INVALID;
        const bool flow_control = (options & PTL_PT_FLOWCTRL) != 0;
        if (flow_control && eq_handle == PTL_EQ_NONE) return PTL_PT_EQ_NEEDED;
        const portals::PortalTable::Rules rules{.flow_control = flow_control,
                                                .enabled = (options & PTL_PT_ALLOC_DISABLED) == 0};
        return return_code(interface.portals.allocate(rules, *queue, pt_index_req, *pt_index));
      });
}

int PtlPTFree(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index) {
  return with_interface(ni_handle, HandleKind::kInterface,
                        [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
                          return return_code(interface.free_portal(pt_index));
                        });
}

int PtlPTDisable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process& own, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        const std::uint8_t kind = interface.kind();
        if (const Status status = interface.portals.disable(pt_index); status != Status::kOk)
          return return_code(status);
        Quiet quiet(own, kind, pt_index);
        own.progress().wait_until(quiet, kNever);
        return PTL_OK;
      });
}

int PtlPTEnable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index) {
  return with_interface(ni_handle, HandleKind::kInterface,
                        [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
                          return return_code(interface.portals.enable(pt_index));
                        });
}

int PtlMDBind(ptl_handle_ni_t ni_handle, const ptl_md_t* md, ptl_handle_md_t* md_handle) {
  return with_interface(
      ni_handle, HandleKind::kInterface,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) -> int {
        if (md == nullptr || md_handle == nullptr) return PTL_ARG_INVALID;
        const auto rules = to_rules(interface, *md);
        if (!rules) return PTL_ARG_INVALID;
        SlotId made;
        const Status status = interface.entries.bind_descriptor(*rules, false, made);
        if (status == Status::kOk)
          *md_handle = encode(HandleKind::kDescriptor, interface.kind(), made);
        return return_code(status);
      });
}

int PtlMDRelease(ptl_handle_md_t md_handle) {
  return with_interface(
      md_handle, HandleKind::kDescriptor,
      [&](Process& own, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        const portals::MemoryDescriptor* descriptor = interface.descriptors.get(id);
        if (descriptor == nullptr || descriptor->entry != nullptr || descriptor->unlinked)
          return PTL_ARG_INVALID;
        return return_code(portals::release_descriptor(own, interface.kind(), id, aborted));
      });
}

int PtlLEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t* le,
                ptl_list_t ptl_list, void* user_ptr, ptl_handle_le_t* le_handle) {
  return with_le(ni_handle, le, user_ptr,
                 appending(pt_index, ptl_list,
                           le != nullptr && (le->options & PTL_LE_USE_ONCE) != 0, le_handle));
}

int PtlMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t* me,
                ptl_list_t ptl_list, void* user_ptr, ptl_handle_me_t* me_handle) {
  return with_me(ni_handle, me, user_ptr,
                 appending(pt_index, ptl_list,
                           me != nullptr && (me->options & PTL_ME_USE_ONCE) != 0, me_handle));
}

int PtlLESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t* le,
                ptl_search_op_t ptl_search_op, void* user_ptr) {
  return with_le(
      ni_handle, le, user_ptr,
      searching(pt_index, ptl_search_op, le != nullptr && (le->options & PTL_LE_USE_ONCE) != 0));
}

int PtlMESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t* me,
                ptl_search_op_t ptl_search_op, void* user_ptr) {
  return with_me(
      ni_handle, me, user_ptr,
      searching(pt_index, ptl_search_op, me != nullptr && (me->options & PTL_ME_USE_ONCE) != 0));
}

int PtlLEUnlink(ptl_handle_le_t le_handle) { return unlink(le_handle, false); }
int PtlMEUnlink(ptl_handle_me_t me_handle) { return unlink(me_handle, true); }

}  // extern "C"
