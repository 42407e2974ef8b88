#pragma once
// Status: what the engine answers to a call. Each API face maps it to its own codes in exactly one
// function.

#include <cstdint>

namespace lintel::portals {

enum class [[nodiscard]] Status : std::uint8_t{
    kOk, kInterfaceInvalid, kPidInvalid, kEntryInvalid, kEntryInUse, kListTooLong,
    // gone, or inactive where an active one is needed
    kDescriptorInvalid,
    // a region, option or combination that cannot be
    kDescriptorIllegal, kDescriptorInUse,
    kNoUpdate,  // the test queue is not empty
    kQueueInvalid, kQueueEmpty,
    // an event was returned, at least one before it was
    // lost
    kEventDropped, kPortalInvalid, kPortalFull, kPortalInUse, kCounterInvalid, kCookieInvalid,
    kProcessInvalid, kNoSpace,
    kAborted,  // the program has ended a wait
    kFailed, kCount};

}  // namespace lintel::portals
