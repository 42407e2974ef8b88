#pragma once
// Status: the result of a function of the engine. Each C interface converts it to its own codes in
// exactly one function.

#include <cstdint>

namespace lintel::portals {

enum class [[nodiscard]] Status : std::uint8_t{
    kOk, kInterfaceInvalid, kPidInvalid, kEntryInvalid, kEntryInUse, kListTooLong,
    // it has ended, or is inactive where an active one is needed
    kDescriptorInvalid,
    // a region, option or combination that is not valid
    kDescriptorIllegal, kDescriptorInUse,
    kNoUpdate,  // the test queue is not empty
    kQueueInvalid, kQueueEmpty,
    // an event was returned; at least one event before it was lost
    kEventDropped, kPortalInvalid, kPortalFull, kPortalInUse, kCounterInvalid, kCookieInvalid,
    kProcessInvalid, kNoSpace,
    kAborted,  // the program has ended a wait
    kFailed, kCount};

}  // namespace lintel::portals
