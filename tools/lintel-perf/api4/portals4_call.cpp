#include "portals4_call.h"

#include <span>

#include "failure.h"

namespace lintel::perf::api4 {
namespace {

std::string name_in(std::span<const char* const> names, const char* prefix, int value,
                    const char* what) {
  const auto at = static_cast<std::size_t>(value);
  if (value < 0 || at >= names.size()) return fmt::format("{} {}", what, value);
  return std::string(prefix) + names[at];
}

}  // namespace

std::string code_name(int code) {
  static constexpr const char* kNames[] = {
      "OK",      "ARG_INVALID",  "CT_NONE_REACHED", "EQ_DROPPED", "EQ_EMPTY", "FAIL",
      "IGNORED", "IN_USE",       "LIST_TOO_LONG",   "NO_INIT",    "NO_SPACE", "PID_IN_USE",
      "PT_FULL", "PT_EQ_NEEDED", "PT_IN_USE",       "ABORTED"};
  return name_in(kNames, "PTL_", code, "code");
}

std::string event_name(ptl_event_kind_t kind) {
  static constexpr const char* kNames[] = {"GET",          "GET_OVERFLOW",
                                           "PUT",          "PUT_OVERFLOW",
                                           "ATOMIC",       "ATOMIC_OVERFLOW",
                                           "FETCH_ATOMIC", "FETCH_ATOMIC_OVERFLOW",
                                           "REPLY",        "SEND",
                                           "ACK",          "PT_DISABLED",
                                           "LINK",         "AUTO_UNLINK",
                                           "AUTO_FREE",    "SEARCH"};
  return name_in(kNames, "PTL_EVENT_", kind, "event");
}

std::string failure_name(ptl_ni_fail_t failure) {
  static constexpr const char* kNames[] = {
      "OK",           "UNDELIVERABLE", "DROPPED", "PT_DISABLED", "PERM_VIOLATION",
      "OP_VIOLATION", "NO_MATCH",      "SEGV"};
  return name_in(kNames, "PTL_NI_", failure, "failure type");
}

void check_call(int code, const char* call) {
  if (code != PTL_OK) fail("{} failed: {}", call, code_name(code));
}

}  // namespace lintel::perf::api4
