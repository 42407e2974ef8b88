#pragma once
// Makes the request message of an operation, and the content of its SEND events.

#include "portals/engine/events/completion.h"
#include "portals/engine/interface/network_interface.h"
#include "portals/engine/values/request_arguments.h"
#include "portals/engine/wire/wire_codec.h"

namespace lintel::portals {

wire::Request make_request(const NetworkInterface& interface, wire::MessageKind kind,
                           const RequestArguments& arguments, std::uint64_t length);

inline void describe_send(const NetworkInterface& interface, const wire::Request& request,
                          void* user_pointer, Event& event) {
  event.initiator = interface.identity().process;
  event.user = interface.identity().user;
  event.job = interface.identity().job;
  event.portal_index = request.portal_index;
  event.match_bits = request.match_bits;
  event.requested_length = request.length;
  event.manipulated_length = request.length;
  event.offset = request.offset;
  event.header_data = request.header_data;
  event.user_pointer = user_pointer;
}

// Logs SEND_START. The completion is for SEND_END.
Completion open_send(NetworkInterface& interface, MemoryDescriptor& descriptor,
                     const wire::Request& request, void* user_pointer) LINTEL_REQUIRES(kLock);

}  // namespace lintel::portals
