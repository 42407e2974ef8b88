// Match entries and memory descriptors (clauses 3.9 and 3.10).

#include "portals/api3/descriptor_rules.h"
#include "portals/api3/library.h"
#include "portals/api3/return_code.h"

using namespace lintel;
using namespace lintel::api3;
using portals::ListEnd;
using portals::MatchCriteria;
using portals::NetworkInterface;
using portals::Process;
using portals::Side;
using portals::Status;

namespace {

MatchCriteria criteria(ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                       ptl_match_bits_t ignore_bits) {
  return {{NodeId(match_id.nid), Pid(match_id.pid)}, match_bits, ignore_bits};
}

Side side(ptl_ins_pos_t pos) { return pos == PTL_INS_BEFORE ? Side::kBefore : Side::kAfter; }

// The result of a call that tests a queue. No message is received before the test: otherwise a
// program that has just found the queue empty would be refused again and again because of messages
// that came later. After a refusal it makes progress, because a caller may repeat this call and
// call nothing else.
int tested(Process& process, Status status) LINTEL_REQUIRES(kLock) {
  if (status == Status::kNoUpdate) process.progress().advance();
  return return_code(status);
}

// The queue that a call tests; none for PTL_EQ_NONE. False: the handle is none of a queue of this
// interface. Whether the queue exists is not checked.
bool decode_test_queue(const NetworkInterface& interface, ptl_handle_eq_t handle, SlotId& queue) {
  queue = {};
  if (handle == PTL_EQ_NONE) return true;
  const Decoded decoded = decode(handle);
  queue = decoded.id;
  return decoded.kind == HandleKind::kQueue && decoded.interface == interface.kind();
}

// The result of a call that unlinks. While the object is in use it makes progress and tries once
// more, because a caller may repeat this call and call nothing else.
template <class Unlink>
int unlink_when_free(Process& process, Status in_use, Unlink unlink) LINTEL_REQUIRES(kLock) {
  Status status = unlink();
  if (status == in_use) {
    process.progress().advance();
    status = unlink();
  }
  return return_code(status);
}

// Writes the handle of `made` to `out` if `status` is kOk.
int give(Status status, HandleKind kind, std::uint32_t interface, SlotId made,
         ptl_handle_any_t* out) {
  if (status == Status::kOk && out != nullptr) *out = encode(kind, interface, made);
  return return_code(status);
}

}  // namespace

extern "C" {

int PtlMEAttach(ptl_handle_ni_t ni, ptl_pt_index_t pt, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                ptl_ins_pos_t pos, ptl_handle_me_t* me) {
  if (me == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID,
                        [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
                          SlotId made;
                          const Status status = interface.entries.attach(
                              pt, criteria(match_id, match_bits, ignore_bits), unlink == PTL_UNLINK,
                              pos == PTL_INS_BEFORE ? ListEnd::kHead : ListEnd::kTail, made);
                          return give(status, HandleKind::kEntry, interface.kind(), made, me);
                        });
}

int PtlMEAttachAny(ptl_handle_ni_t ni, ptl_pt_index_t* pt, ptl_process_id_t match_id,
                   ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                   ptl_handle_me_t* me) {
  if (pt == nullptr || me == nullptr) return PTL_SEGV;
  return with_interface(ni, HandleKind::kInterface, PTL_NI_INVALID,
                        [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
                          SlotId made;
                          const Status status = interface.entries.attach_anywhere(
                              criteria(match_id, match_bits, ignore_bits), unlink == PTL_UNLINK,
                              *pt, made);
                          return give(status, HandleKind::kEntry, interface.kind(), made, me);
                        });
}

int PtlMEInsert(ptl_handle_me_t base, ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                ptl_match_bits_t ignore_bits, ptl_unlink_t unlink, ptl_ins_pos_t pos,
                ptl_handle_me_t* me) {
  if (me == nullptr) return PTL_SEGV;
  return with_interface(
      base, HandleKind::kEntry, PTL_ME_INVALID,
      [&](Process&, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        SlotId made;
        const Status status = interface.entries.insert(
            id, criteria(match_id, match_bits, ignore_bits), unlink == PTL_UNLINK, side(pos), made);
        return give(status, HandleKind::kEntry, interface.kind(), made, me);
      });
}

int PtlMEUnlink(ptl_handle_me_t me) {
  return with_interface(
      me, HandleKind::kEntry, PTL_ME_INVALID,
      [](Process& process, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        return unlink_when_free(process, Status::kEntryInUse, [&]() LINTEL_REQUIRES(kLock) {
          return interface.entries.unlink(id);
        });
      });
}

int PtlMDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* h) {
  return with_interface(
      me, HandleKind::kEntry, PTL_ME_INVALID,
      [&](Process&, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        const portals::MatchEntry* entry = interface.entries.get(id);
        if (entry == nullptr) return static_cast<int>(PTL_ME_INVALID);
        if (entry->descriptor != nullptr) return static_cast<int>(PTL_ME_IN_USE);
        portals::DescriptorRules rules;
        if (const int code = make_rules(interface, interface.kind(), md, rules); code != PTL_OK)
          return code;
        SlotId made;
        const Status status = interface.entries.attach_descriptor(id, std::move(rules),
                                                                  unlink_op == PTL_UNLINK, made);
        return give(status, HandleKind::kDescriptor, interface.kind(), made, h);
      });
}

int PtlMDBind(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* h) {
  if (h == nullptr) return PTL_SEGV;
  return with_interface(
      ni, HandleKind::kInterface, PTL_NI_INVALID,
      [&](Process&, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
        portals::DescriptorRules rules;
        if (const int code = make_rules(interface, interface.kind(), md, rules); code != PTL_OK)
          return code;
        SlotId made;
        const Status status =
            interface.entries.bind_descriptor(std::move(rules), unlink_op == PTL_UNLINK, made);
        return give(status, HandleKind::kDescriptor, interface.kind(), made, h);
      });
}

int PtlMDUnlink(ptl_handle_md_t md) {
  return with_interface(
      md, HandleKind::kDescriptor, PTL_MD_INVALID,
      [](Process& process, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        return unlink_when_free(process, Status::kDescriptorInUse, [&]() LINTEL_REQUIRES(kLock) {
          return interface.entries.unlink_descriptor(id);
        });
      });
}

int PtlMDUpdate(ptl_handle_md_t md, ptl_md_t* old_md, ptl_md_t* new_md, ptl_handle_eq_t testq) {
  return with_interface(
      md, HandleKind::kDescriptor, PTL_MD_INVALID,
      [&](Process& process, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        const portals::MemoryDescriptor* descriptor = interface.descriptors.get(id);
        if (descriptor == nullptr) return static_cast<int>(PTL_MD_INVALID);
        if (old_md != nullptr) *old_md = to_ptl_md(descriptor->snapshot(), interface.kind());
        if (new_md == nullptr) return static_cast<int>(PTL_OK);
        SlotId test_queue;
        if (!decode_test_queue(interface, testq, test_queue) ||
            (testq != PTL_EQ_NONE && interface.events.queue(test_queue) == nullptr))
          return static_cast<int>(PTL_EQ_INVALID);
        portals::DescriptorRules rules;
        if (const int code = make_rules(interface, interface.kind(), *new_md, rules);
            code != PTL_OK)
          return code;
        return tested(process,
                      interface.entries.update_descriptor(id, std::move(rules), test_queue));
      });
}

int PtlMEMDPost(ptl_handle_ni_t ni, ptl_handle_me_t base, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t me_unlink,
                ptl_ins_pos_t pos, ptl_md_t md, ptl_unlink_t md_unlink, ptl_handle_me_t* me,
                ptl_handle_md_t* md_handle, ptl_handle_eq_t testq) {
  if (me == nullptr || md_handle == nullptr) return PTL_SEGV;
  return with_interface(
      ni, HandleKind::kInterface, PTL_NI_INVALID,
      [&](Process& process, NetworkInterface& interface, SlotId) LINTEL_REQUIRES(kLock) {
        const Decoded neighbour = decode(base);
        if (neighbour.kind != HandleKind::kEntry || neighbour.interface != interface.kind())
          return static_cast<int>(PTL_ME_INVALID);
        SlotId test_queue;
        if (!decode_test_queue(interface, testq, test_queue))
          return static_cast<int>(PTL_EQ_INVALID);
        portals::DescriptorRules rules;
        if (const int code = make_rules(interface, interface.kind(), md, rules); code != PTL_OK)
          return code;
        SlotId made_entry;
        SlotId made_descriptor;
        const Status status = interface.entries.post(
            neighbour.id, criteria(match_id, match_bits, ignore_bits), me_unlink == PTL_UNLINK,
            side(pos), std::move(rules), md_unlink == PTL_UNLINK, test_queue, made_entry,
            made_descriptor);
        if (status != Status::kOk) return tested(process, status);
        *me = encode(HandleKind::kEntry, interface.kind(), made_entry);
        *md_handle = encode(HandleKind::kDescriptor, interface.kind(), made_descriptor);
        return static_cast<int>(PTL_OK);
      });
}

int PtlHandleIsEqual(ptl_handle_any_t a, ptl_handle_any_t b) {
  if (current_process() == nullptr) return PTL_NO_INIT;
  return a == b ? PTL_OK : PTL_FAIL;
}

}  // extern "C"
