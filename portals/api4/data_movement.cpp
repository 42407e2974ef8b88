// Put, get, atomic, fetch-atomic, swap, and the triggered forms of each (Portals 4, data movement;
// triggered operations).

#include <cstring>

#include "portals/api4/library.h"
#include "portals/api4/return_code.h"
#include "portals/api4/translation.h"
#include "portals/engine/memory/atomic_operation.h"
#include "portals/engine/process/room_wait.h"

using namespace lintel;
using namespace lintel::api4;
using portals::AtomicCall;
using portals::AtomicDatatype;
using portals::AtomicOp;
using portals::MemoryDescriptor;
using portals::NetworkInterface;
using portals::Process;
using portals::RequestArguments;
using portals::TriggeredKind;
namespace option = portals::option;

namespace {

// Memory of the initiator: a descriptor, and an offset in it.
struct Local {
  ptl_handle_md_t md;
  ptl_size_t offset;
};

// The target, the place there, and the values that the operation carries.
struct Remote {
  ptl_process_t target;
  ptl_pt_index_t pt_index;
  ptl_match_bits_t match_bits;
  ptl_size_t offset;
  void* user_ptr;
  ptl_hdr_data_t hdr_data = 0;
};

struct Atomic {
  ptl_op_t operation;
  ptl_datatype_t datatype;
  const void* operand = nullptr;
};

// When an operation begins: now, or when a counting event has reached a threshold.
struct When {
  ptl_handle_ct_t counter = PTL_CT_NONE;
  ptl_size_t threshold = 0;
  bool triggered = false;
};

// The MD of this interface that the handle names; null if there is none.
MemoryDescriptor* md_of(NetworkInterface& interface, ptl_handle_md_t md) LINTEL_REQUIRES(kLock) {
  const Decoded decoded = decode(md);
  if (decoded.kind != HandleKind::kDescriptor || engine_kind(decoded.interface) != interface.kind())
    return nullptr;
  MemoryDescriptor* descriptor = interface.descriptors.get(decoded.id);
  return descriptor != nullptr && descriptor->entry == nullptr && !descriptor->unlinked ? descriptor
                                                                                        : nullptr;
}

// Sets `out` to the engine's kind of ack. Returns PTL_OK or PTL_ARG_INVALID.
int to_ack(const MemoryDescriptor& descriptor, ptl_ack_req_t ack, portals::AckRequest& out) {
  switch (ack) {
    case PTL_NO_ACK_REQ: out = portals::AckRequest::kNone; return PTL_OK;
    case PTL_ACK_REQ: out = portals::AckRequest::kFull; break;
    case PTL_CT_ACK_REQ:
    case PTL_OC_ACK_REQ: out = portals::AckRequest::kCount; break;
    default: return PTL_ARG_INVALID;
  }
  if (descriptor.has(option::kUnreliable)) return PTL_ARG_INVALID;
  if (ack == PTL_ACK_REQ && descriptor.queue().generation == 0) return PTL_ARG_INVALID;
  if (ack == PTL_CT_ACK_REQ && descriptor.counter().generation == 0) return PTL_ARG_INVALID;
  return PTL_OK;
}

bool to_remote(NetworkInterface& interface, const Remote& remote, RequestArguments& request)
    LINTEL_REQUIRES(kLock) {
  if (!to_process(interface, remote.target, false, request.target)) return false;
  request.portal_index = remote.pt_index;
  request.match_bits = remote.match_bits;
  request.remote_offset = remote.offset;
  request.user_pointer = remote.user_ptr;
  request.header_data = remote.hdr_data;
  return true;
}

bool to_atomic(AtomicCall call, const Atomic& atomic, ptl_size_t length,
               RequestArguments& request) {
  const auto operation = static_cast<AtomicOp>(atomic.operation);
  const auto datatype = static_cast<AtomicDatatype>(atomic.datatype);
  if (!is_sound(call, operation, datatype, length)) return false;
  request.atomic_operation = atomic.operation;
  request.atomic_datatype = atomic.datatype;
  if (call != AtomicCall::kSwap) return true;
  request.operand = {};
  if (operation == AtomicOp::kSwap) return true;
  if (atomic.operand == nullptr) return false;
  std::memcpy(request.operand.data(), atomic.operand, size_of(datatype));
  return true;
}

// Starts the operation, or makes it wait for its counting event. The start may wait for room; the
// interface may have been closed when this returns.
int begin(Process& own, NetworkInterface& interface, TriggeredKind kind,
          const RequestArguments& request, const When& when) LINTEL_REQUIRES(kLock) {
  if (!when.triggered)
    return return_code(
        portals::start_when_room(own, interface, portals::message_kind(kind), request, &aborted));
  const std::optional<SlotId> counter = to_counter(interface, when.counter);
  if (!counter) return PTL_ARG_INVALID;
  return return_code(
      own.endpoint().initiator().start_when(interface, kind, request, *counter, when.threshold));
}

// Put and atomic; `atomic` is null for a put.
int put(const Local& local, ptl_size_t length, ptl_ack_req_t ack, const Remote& remote,
        const Atomic* atomic, const When& when) {
  return with_interface_acting(
      local.md, HandleKind::kDescriptor,
      [&](Process& own, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        const MemoryDescriptor* descriptor = md_of(interface, local.md);
        RequestArguments request;
        if (descriptor == nullptr || !to_remote(interface, remote, request)) return PTL_ARG_INVALID;
        if (atomic != nullptr && !to_atomic(AtomicCall::kAtomic, *atomic, length, request))
          return PTL_ARG_INVALID;
        if (const int code = to_ack(*descriptor, ack, request.ack); code != PTL_OK) return code;
        request.descriptor = id;
        request.whole_descriptor = false;
        request.local_offset = local.offset;
        request.length = length;
        request.is_volatile = descriptor->has(option::kVolatile);
        return begin(own, interface,
                     atomic != nullptr ? TriggeredKind::kAtomic : TriggeredKind::kPut, request,
                     when);
      });
}

int get(const Local& local, ptl_size_t length, const Remote& remote, const When& when) {
  return with_interface_acting(
      local.md, HandleKind::kDescriptor,
      [&](Process& own, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        RequestArguments request;
        if (md_of(interface, local.md) == nullptr || !to_remote(interface, remote, request))
          return PTL_ARG_INVALID;
        request.descriptor = id;
        request.whole_descriptor = false;
        request.local_offset = local.offset;
        request.length = length;
        return begin(own, interface, TriggeredKind::kGet, request, when);
      });
}

int fetch(const Local& to, const Local& from, ptl_size_t length, const Remote& remote,
          AtomicCall call, const Atomic& atomic, const When& when) {
  return with_interface_acting(
      from.md, HandleKind::kDescriptor,
      [&](Process& own, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        const MemoryDescriptor* source = md_of(interface, from.md);
        RequestArguments request;
        if (source == nullptr || md_of(interface, to.md) == nullptr ||
            !to_remote(interface, remote, request) || !to_atomic(call, atomic, length, request)) {
          return PTL_ARG_INVALID;
        }
        request.descriptor = id;
        request.whole_descriptor = false;
        request.local_offset = from.offset;
        request.length = length;
        request.get_descriptor = decode(to.md).id;
        request.get_offset = to.offset;
        request.is_volatile = source->has(option::kVolatile);
        return begin(own, interface,
                     call == AtomicCall::kSwap ? TriggeredKind::kSwap : TriggeredKind::kFetchAtomic,
                     request, when);
      });
}

int trigger_counter(ptl_handle_ct_t ct, TriggeredKind kind, ptl_ct_event_t value,
                    ptl_handle_ct_t trigger, ptl_size_t threshold) {
  return with_interface_acting(
      ct, HandleKind::kCounter,
      [&](Process&, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) -> int {
        const std::optional<SlotId> counter = to_counter(interface, trigger);
        if (!counter) return PTL_ARG_INVALID;
        return return_code(interface.triggers.change_counter_when(*counter, threshold, kind, id,
                                                                  {value.success, value.failure}));
      });
}

}  // namespace

extern "C" {

int PtlPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset, void* user_ptr,
           ptl_hdr_data_t hdr_data) {
  return put({md_handle, local_offset}, length, ack_req,
             {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data}, nullptr, {});
}

int PtlGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
           ptl_size_t remote_offset, void* user_ptr) {
  return get({md_handle, local_offset}, length,
             {target_id, pt_index, match_bits, remote_offset, user_ptr}, {});
}

int PtlAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
              ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void* user_ptr,
              ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype) {
  const Atomic atomic{operation, datatype};
  return put({md_handle, local_offset}, length, ack_req,
             {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data}, &atomic, {});
}

int PtlFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                   ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                   ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                   ptl_size_t remote_offset, void* user_ptr, ptl_hdr_data_t hdr_data,
                   ptl_op_t operation, ptl_datatype_t datatype) {
  return fetch({get_md_handle, local_get_offset}, {put_md_handle, local_put_offset}, length,
               {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data},
               AtomicCall::kFetchAtomic, {operation, datatype}, {});
}

int PtlSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
            ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
            ptl_size_t remote_offset, void* user_ptr, ptl_hdr_data_t hdr_data, const void* operand,
            ptl_op_t operation, ptl_datatype_t datatype) {
  return fetch({get_md_handle, local_get_offset}, {put_md_handle, local_put_offset}, length,
               {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data},
               AtomicCall::kSwap, {operation, datatype, operand}, {});
}

int PtlTriggeredPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                    ptl_match_bits_t match_bits, ptl_size_t remote_offset, void* user_ptr,
                    ptl_hdr_data_t hdr_data, ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold) {
  return put({md_handle, local_offset}, length, ack_req,
             {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data}, nullptr,
             {trig_ct_handle, threshold, true});
}

int PtlTriggeredGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                    ptl_size_t remote_offset, void* user_ptr, ptl_handle_ct_t trig_ct_handle,
                    ptl_size_t threshold) {
  return get({md_handle, local_offset}, length,
             {target_id, pt_index, match_bits, remote_offset, user_ptr},
             {trig_ct_handle, threshold, true});
}

int PtlTriggeredAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                       ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                       ptl_match_bits_t match_bits, ptl_size_t remote_offset, void* user_ptr,
                       ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                       ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold) {
  const Atomic atomic{operation, datatype};
  return put({md_handle, local_offset}, length, ack_req,
             {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data}, &atomic,
             {trig_ct_handle, threshold, true});
}

int PtlTriggeredFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                            ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                            ptl_match_bits_t match_bits, ptl_size_t remote_offset, void* user_ptr,
                            ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                            ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold) {
  return fetch({get_md_handle, local_get_offset}, {put_md_handle, local_put_offset}, length,
               {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data},
               AtomicCall::kFetchAtomic, {operation, datatype}, {trig_ct_handle, threshold, true});
}

int PtlTriggeredSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                     ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                     ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                     ptl_size_t remote_offset, void* user_ptr, ptl_hdr_data_t hdr_data,
                     const void* operand, ptl_op_t operation, ptl_datatype_t datatype,
                     ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold) {
  return fetch({get_md_handle, local_get_offset}, {put_md_handle, local_put_offset}, length,
               {target_id, pt_index, match_bits, remote_offset, user_ptr, hdr_data},
               AtomicCall::kSwap, {operation, datatype, operand},
               {trig_ct_handle, threshold, true});
}

int PtlTriggeredCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold) {
  return trigger_counter(ct_handle, TriggeredKind::kIncrement, increment, trig_ct_handle,
                         threshold);
}

int PtlTriggeredCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold) {
  return trigger_counter(ct_handle, TriggeredKind::kSet, new_ct, trig_ct_handle, threshold);
}

}  // extern "C"
