#include "portals/api4/return_code.h"

#include "portals4.h"

namespace lintel::api4 {

int return_code(portals::Status status) {
  using portals::Status;
  switch (status) {
    case Status::kOk: return PTL_OK;
    case Status::kPidInvalid: return PTL_PID_IN_USE;
    case Status::kEntryInUse:
    case Status::kDescriptorInUse: return PTL_IN_USE;
    case Status::kQueueEmpty: return PTL_EQ_EMPTY;
    case Status::kEventDropped: return PTL_EQ_DROPPED;
    case Status::kPortalFull: return PTL_PT_FULL;
    case Status::kPortalInUse: return PTL_PT_IN_USE;
    case Status::kListTooLong:
    case Status::kNoSpace: return PTL_NO_SPACE;
    case Status::kAborted: return PTL_ABORTED;
    case Status::kInterfaceInvalid:
    case Status::kEntryInvalid:
    case Status::kDescriptorInvalid:
    case Status::kDescriptorIllegal:
    case Status::kQueueInvalid:
    case Status::kPortalInvalid:
    case Status::kProcessInvalid:
    case Status::kCookieInvalid:
    case Status::kCounterInvalid: return PTL_ARG_INVALID;
    case Status::kNoUpdate:
    case Status::kFailed:
    case Status::kCount: break;
  }
  return PTL_FAIL;
}

}  // namespace lintel::api4
