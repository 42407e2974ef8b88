#include "portals/api3/return_code.h"

#include "portals3.h"

namespace lintel::api3 {

int return_code(portals::Status status) {
  using portals::Status;
  switch (status) {
    case Status::kOk: return PTL_OK;
    case Status::kInterfaceInvalid: return PTL_NI_INVALID;
    case Status::kPidInvalid: return PTL_PID_INVALID;
    case Status::kEntryInvalid: return PTL_ME_INVALID;
    case Status::kEntryInUse: return PTL_ME_IN_USE;
    case Status::kListTooLong: return PTL_ME_LIST_TOO_LONG;
    case Status::kDescriptorInvalid: return PTL_MD_INVALID;
    case Status::kDescriptorIllegal: return PTL_MD_ILLEGAL;
    case Status::kDescriptorInUse: return PTL_MD_IN_USE;
    case Status::kNoUpdate: return PTL_MD_NO_UPDATE;
    case Status::kQueueInvalid: return PTL_EQ_INVALID;
    case Status::kQueueEmpty: return PTL_EQ_EMPTY;
    case Status::kEventDropped: return PTL_EQ_DROPPED;
    case Status::kPortalInvalid: return PTL_PT_INDEX_INVALID;
    case Status::kPortalFull: return PTL_PT_FULL;
    case Status::kCookieInvalid: return PTL_AC_INDEX_INVALID;
    case Status::kProcessInvalid: return PTL_PROCESS_INVALID;
    case Status::kNoSpace: return PTL_NO_SPACE;
    case Status::kPortalInUse:  // of Portals 4 only
    case Status::kCounterInvalid:
    case Status::kAborted:  // likewise
    case Status::kFailed:
    case Status::kCount: break;
  }
  return PTL_FAIL;
}

}  // namespace lintel::api3
