#pragma once
// Turns the return codes and failure types of Portals into sentences.

#include <portals3.h>

#include <string>

namespace lintel::perf {

// Throws Failure(kFailed, "<call>: <PtlErrorStr>") unless `code` is PTL_OK. `call` names the function and, where it helps, its arguments.
void check_call(int code, const char* call);

// "10.0.0.1 pid 17".
std::string to_string(ptl_process_id_t process);

// Dotted form of a nid.
std::string dotted(ptl_nid_t nid);

}  // namespace lintel::perf
