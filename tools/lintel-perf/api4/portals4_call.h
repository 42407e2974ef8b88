#pragma once
// Turns what Portals 4 returns into sentences.

#include <portals4.h>

#include <string>

namespace lintel::perf::api4 {

// Throws Failure(kFailed, "<call> failed: PTL_...") unless `code` is PTL_OK.
void check_call(int code, const char* call);

// "PTL_NO_SPACE", "PTL_EVENT_ACK", "PTL_NI_UNDELIVERABLE".
std::string code_name(int code);
std::string event_name(ptl_event_kind_t kind);
std::string failure_name(ptl_ni_fail_t failure);

}  // namespace lintel::perf::api4
