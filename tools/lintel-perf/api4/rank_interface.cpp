#include "api4/rank_interface.h"

#include <fmt/format.h>

#include "api4/portals4_call.h"
#include "failure.h"

namespace lintel::perf::chains {

using api4::check_call;
using api4::code_name;

RankInterface::RankInterface() {
  if (const int code = PtlInit(); code != PTL_OK) {
    throw Failure(ExitCode::kUnusable,
                  fmt::format("PtlInit failed: {}; expected LINTEL_* variables that the library accepts", code_name(code)));
  }
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, nullptr, &limits_, &handle_);
  if (code != PTL_OK) {
    PtlFini();
    throw Failure(
        ExitCode::kUnusable,
        fmt::format("PtlNIInit failed: {}; expected a provider and an interface that this host has (--provider, --bind)", code_name(code)));
  }
  try {
    check_call(PtlGetPhysId(handle_, &physical_id_), "PtlGetPhysId");
  } catch (...) {
    close();
    throw;
  }
}

RankInterface::~RankInterface() { close(); }

void RankInterface::close() const {
  PtlNIFini(handle_);
  PtlFini();
}

void RankInterface::set_map(const std::vector<ptl_process_t>& names) {
  check_call(PtlSetMap(handle_, names.size(), names.data()), "PtlSetMap");
  check_call(PtlGetUid(handle_, &uid_), "PtlGetUid");
  ptl_pt_index_t portal = 0;
  check_call(PtlPTAlloc(handle_, 0, PTL_EQ_NONE, kChainPortal, &portal), "PtlPTAlloc");
}

}  // namespace lintel::perf::chains
