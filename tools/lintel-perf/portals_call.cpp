#include "portals_call.h"

#include <fmt/format.h>

#include "failure.h"

namespace lintel::perf {

void check_call(int code, const char* call) {
  if (code == PTL_OK) return;
  throw Failure(ExitCode::kFailed, fmt::format("{} failed: {}", call, PtlErrorStr(static_cast<unsigned>(code))));
}

std::string dotted(ptl_nid_t nid) { return fmt::format("{}.{}.{}.{}", nid >> 24, (nid >> 16) & 255, (nid >> 8) & 255, nid & 255); }

std::string to_string(ptl_process_id_t process) { return fmt::format("{} pid {}", dotted(process.nid), process.pid); }

}  // namespace lintel::perf
