#include "portals4_call.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "failure.h"

namespace lintel::perf::api4 {
namespace {

template <std::size_t N>
std::string name_in(const std::array<const char*, N>& names, int value, const char* what) {
  const auto at = static_cast<std::size_t>(value);
  return value >= 0 && at < N ? names[at] : fmt::format("{} {}", what, value);
}

}  // namespace

std::string code_name(int code) {
  static constexpr std::array kNames{"PTL_OK",       "PTL_ARG_INVALID", "PTL_CT_NONE_REACHED", "PTL_EQ_DROPPED",    "PTL_EQ_EMPTY",
                                     "PTL_FAIL",     "PTL_IGNORED",     "PTL_IN_USE",          "PTL_LIST_TOO_LONG", "PTL_NO_INIT",
                                     "PTL_NO_SPACE", "PTL_PID_IN_USE",  "PTL_PT_FULL",         "PTL_PT_EQ_NEEDED",  "PTL_PT_IN_USE",
                                     "PTL_ABORTED"};
  return name_in(kNames, code, "code");
}

std::string event_name(ptl_event_kind_t kind) {
  static constexpr std::array kNames{"PTL_EVENT_GET",          "PTL_EVENT_GET_OVERFLOW",
                                     "PTL_EVENT_PUT",          "PTL_EVENT_PUT_OVERFLOW",
                                     "PTL_EVENT_ATOMIC",       "PTL_EVENT_ATOMIC_OVERFLOW",
                                     "PTL_EVENT_FETCH_ATOMIC", "PTL_EVENT_FETCH_ATOMIC_OVERFLOW",
                                     "PTL_EVENT_REPLY",        "PTL_EVENT_SEND",
                                     "PTL_EVENT_ACK",          "PTL_EVENT_PT_DISABLED",
                                     "PTL_EVENT_LINK",         "PTL_EVENT_AUTO_UNLINK",
                                     "PTL_EVENT_AUTO_FREE",    "PTL_EVENT_SEARCH"};
  return name_in(kNames, kind, "event");
}

std::string failure_name(ptl_ni_fail_t failure) {
  static constexpr std::array kNames{
      "PTL_NI_OK",           "PTL_NI_UNDELIVERABLE", "PTL_NI_DROPPED", "PTL_NI_PT_DISABLED", "PTL_NI_PERM_VIOLATION",
      "PTL_NI_OP_VIOLATION", "PTL_NI_NO_MATCH",      "PTL_NI_SEGV"};
  return name_in(kNames, failure, "failure type");
}

void check_call(int code, const char* call) {
  if (code != PTL_OK) throw Failure(ExitCode::kFailed, fmt::format("{} failed: {}", call, code_name(code)));
}

}  // namespace lintel::perf::api4
