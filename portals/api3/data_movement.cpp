// Put, get and getput (clause 3.13).

#include "portals/api3/library.h"
#include "portals/api3/return_code.h"
#include "portals/engine/process/room_wait.h"

using namespace lintel;
using namespace lintel::api3;
using portals::NetworkInterface;
using portals::Process;
using portals::RequestArguments;
using portals::Status;
using portals::wire::MessageKind;

namespace {

RequestArguments arguments(ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
                           ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                           ptl_hdr_data_t hdr_data) {
  RequestArguments request;
  request.target = {NodeId(target.nid), Pid(target.pid)};
  request.portal_index = pt;
  request.cookie = ac;
  request.match_bits = match_bits;
  request.remote_offset = remote_offset;
  request.header_data = hdr_data;
  return request;
}

void restrict_to(RequestArguments& request, ptl_size_t local_offset, ptl_size_t length) {
  request.whole_descriptor = false;
  request.local_offset = local_offset;
  request.length = length;
}

portals::AckRequest ack_request(ptl_ack_req_t ack) {
  return ack == PTL_ACK_REQ ? portals::AckRequest::kFull : portals::AckRequest::kNone;
}

// Starts an operation of the descriptor `md`. `describe(interface, request)` completes the request,
// or returns an error. Then wakes a sleeping thread if it has to send something that was posted.
template <class Describe>
int start_operation(ptl_handle_md_t md, MessageKind kind, RequestArguments& request,
                    Describe&& describe) {
  return with_interface(
      md, HandleKind::kDescriptor, PTL_MD_INVALID,
      [&](Process& process, NetworkInterface& interface, SlotId id) LINTEL_REQUIRES(kLock) {
        request.descriptor = id;
        Status status = describe(interface, request);
        // start_when_room may wait; the interface may have been closed when it returns.
        if (status == Status::kOk)
          status = portals::start_when_room(process, interface, kind, request);
        process.progress().after_call();
        return return_code(status);
      });
}

Status as_it_is(const NetworkInterface&, const RequestArguments&) { return Status::kOk; }

}  // namespace

extern "C" {

int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack, ptl_process_id_t target, ptl_pt_index_t pt,
           ptl_ac_index_t ac, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
           ptl_hdr_data_t hdr_data) {
  RequestArguments request = arguments(target, pt, ac, match_bits, remote_offset, hdr_data);
  request.ack = ack_request(ack);
  return start_operation(md, MessageKind::kPut, request, as_it_is);
}

int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack,
                 ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  RequestArguments request = arguments(target, pt, ac, match_bits, remote_offset, hdr_data);
  restrict_to(request, local_offset, length);
  request.ack = ack_request(ack);
  return start_operation(md, MessageKind::kPut, request, as_it_is);
}

int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset) {
  RequestArguments request = arguments(target, pt, ac, match_bits, remote_offset, 0);
  return start_operation(md, MessageKind::kGet, request, as_it_is);
}

int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length,
                 ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset) {
  RequestArguments request = arguments(target, pt, ac, match_bits, remote_offset, 0);
  restrict_to(request, local_offset, length);
  return start_operation(md, MessageKind::kGet, request, as_it_is);
}

int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target,
              ptl_pt_index_t pt, ptl_ac_index_t ac, ptl_match_bits_t match_bits,
              ptl_size_t remote_offset, ptl_hdr_data_t hdr_data) {
  const Decoded get = decode(get_md);
  RequestArguments request = arguments(target, pt, ac, match_bits, remote_offset, hdr_data);
  return start_operation(put_md, MessageKind::kGetPut, request,
                         [&](NetworkInterface& interface, RequestArguments& to_send) {
                           if (get.kind != HandleKind::kDescriptor)
                             return Status::kDescriptorInvalid;
                           if (get.interface != interface.kind()) return Status::kDescriptorIllegal;
                           to_send.get_descriptor = get.id;
                           return Status::kOk;
                         });
}

}  // extern "C"
