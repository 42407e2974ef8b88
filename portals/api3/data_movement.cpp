// Put, get and getput (clause 3.13).

#include "portals/api3/library.h"
#include "portals/api3/return_code.h"

using namespace lintel;
using namespace lintel::api3;
using portals::NetworkInterface;
using portals::Process;
using portals::RequestArguments;
using portals::Status;

namespace {

RequestArguments arguments(SlotId descriptor, ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac, ptl_match_bits_t match_bits,
                           ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  RequestArguments request;
  request.descriptor = descriptor;
  request.target = {NodeId(target.nid), Pid(target.pid)};
  request.portal_index = pt;
  request.cookie = ac;
  request.match_bits = match_bits;
  request.remote_offset = remote_offset;
  request.header_data = hdr_data;
  return request;
}

portals::AckRequest ack_request(ptl_ack_req_t ack) { return ack == PTL_ACK_REQ ? portals::AckRequest::kFull : portals::AckRequest::kNone; }

// Runs `start(endpoint, interface, descriptor id)` for a descriptor's handle, and lets sleepers know that something was posted.
template <class Start>
int start_operation(ptl_handle_md_t md, Start&& start) {
  return with_interface(md, HandleKind::kDescriptor, PTL_MD_INVALID, [&](Process& process, NetworkInterface& interface, SlotId id) {
    const Status status = start(process.endpoint(), interface, id);
    process.progress().after_call();
    return return_code(status);
  });
}

}  // namespace

extern "C" {

int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack, ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  return start_operation(md, [&](portals::Endpoint& endpoint, NetworkInterface& interface, SlotId id) {
    RequestArguments request = arguments(id, target, pt, ac, match_bits, remote_offset, hdr_data);
    request.ack = ack_request(ack);
    return endpoint.put(interface, request);
  });
}

int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack, ptl_process_id_t target,
                 ptl_pt_index_t pt, ptl_ac_index_t ac, ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  return start_operation(md, [&](portals::Endpoint& endpoint, NetworkInterface& interface, SlotId id) {
    RequestArguments request = arguments(id, target, pt, ac, match_bits, remote_offset, hdr_data);
    request.whole_descriptor = false;
    request.local_offset = local_offset;
    request.length = length;
    request.ack = ack_request(ack);
    return endpoint.put(interface, request);
  });
}

int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac, ptl_match_bits_t match_bits,
           ptl_size_t remote_offset) {
  return start_operation(md, [&](portals::Endpoint& endpoint, NetworkInterface& interface, SlotId id) {
    return endpoint.get(interface, arguments(id, target, pt, ac, match_bits, remote_offset, 0));
  });
}

int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_process_id_t target, ptl_pt_index_t pt,
                 ptl_ac_index_t ac, ptl_match_bits_t match_bits, ptl_size_t remote_offset) {
  return start_operation(md, [&](portals::Endpoint& endpoint, NetworkInterface& interface, SlotId id) {
    RequestArguments request = arguments(id, target, pt, ac, match_bits, remote_offset, 0);
    request.whole_descriptor = false;
    request.local_offset = local_offset;
    request.length = length;
    return endpoint.get(interface, request);
  });
}

int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  const Decoded get = decode(get_md);
  return start_operation(put_md, [&](portals::Endpoint& endpoint, NetworkInterface& interface, SlotId id) {
    if (get.kind != HandleKind::kDescriptor) return Status::kDescriptorInvalid;
    if (get.interface != interface.kind()) return Status::kDescriptorIllegal;
    RequestArguments request = arguments(id, target, pt, ac, match_bits, remote_offset, hdr_data);
    request.get_descriptor = get.id;
    return endpoint.get_put(interface, request);
  });
}

}  // extern "C"
