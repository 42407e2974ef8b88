#include "portals/engine/protocol/request_message.h"

#include <cstring>

namespace lintel::portals {

wire::Request make_request(const NetworkInterface& interface, wire::MessageKind kind,
                           const RequestArguments& arguments, std::uint64_t length) {
  const Identity& self = interface.identity();
  wire::Request request;  // fields that its kind does not send have no value
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0, interface.kind(), 0};
  request.initiator_nid = self.process.nid.value;
  request.initiator_pid = self.process.pid.value;
  request.user = self.user.value;
  request.job = self.job.value;
  request.target_nid = arguments.target.nid.value;
  request.target_pid = arguments.target.pid.value;
  request.portal_index = arguments.portal_index;
  request.cookie = arguments.cookie;
  request.match_bits = arguments.match_bits;
  request.offset = arguments.remote_offset;
  request.length = length;
  request.header_data = arguments.header_data;
  request.md_handle = wire::kNoDescriptor;
  request.md_generation = 0;
  request.sender_token = 0;
  request.return_offset = 0;
  if (kind == wire::MessageKind::kAtomic || kind == wire::MessageKind::kFetchAtomic ||
      kind == wire::MessageKind::kSwap) {
    request.atomic_operation = arguments.atomic_operation;
    request.atomic_datatype = arguments.atomic_datatype;
    std::memset(request.reserved, 0, sizeof request.reserved);
  }
  if (kind == wire::MessageKind::kSwap)
    std::memcpy(request.operand, arguments.operand.data(), sizeof request.operand);
  return request;
}

Completion open_send(NetworkInterface& interface, MemoryDescriptor& descriptor,
                     const wire::Request& request, void* user_pointer) {
  Completion completion;
  describe_send(interface, request, user_pointer, completion.event);
  interface.open(completion, descriptor, EventKind::kSendStart, EventKind::kSendEnd);
  return completion;
}

}  // namespace lintel::portals
