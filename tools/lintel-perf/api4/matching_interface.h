#pragma once
// Portals 4 opened and closed, and what it returns in words.

#include <portals4.h>

#include <span>
#include <string>

#include "failure.h"

namespace lintel::perf::api4 {

inline std::string name_in(std::span<const char* const> names, const char* prefix, int value,
                           const char* what) {
  const auto at = static_cast<std::size_t>(value);
  if (value < 0 || at >= names.size()) return fmt::format("{} {}", what, value);
  return std::string(prefix) + names[at];
}

inline std::string code_name(int code) {
  static constexpr const char* kNames[] = {
      "OK",      "ARG_INVALID",  "CT_NONE_REACHED", "EQ_DROPPED", "EQ_EMPTY", "FAIL",
      "IGNORED", "IN_USE",       "LIST_TOO_LONG",   "NO_INIT",    "NO_SPACE", "PID_IN_USE",
      "PT_FULL", "PT_EQ_NEEDED", "PT_IN_USE",       "ABORTED"};
  return name_in(kNames, "PTL_", code, "code");
}

inline std::string event_name(ptl_event_kind_t kind) {
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

inline std::string failure_name(ptl_ni_fail_t failure) {
  static constexpr const char* kNames[] = {
      "OK",           "UNDELIVERABLE", "DROPPED", "PT_DISABLED", "PERM_VIOLATION",
      "OP_VIOLATION", "NO_MATCH",      "SEGV"};
  return name_in(kNames, "PTL_NI_", failure, "failure type");
}

// Throws PerfFailure(kFailed, "<call> failed: PTL_...") unless `code` is PTL_OK.
inline void check_call(int code, const char* call) {
  if (code != PTL_OK) fail("{} failed: {}", call, code_name(code));
}

// A matching interface, and the library's initialisation.
class MatchingInterface : NotCopied {
 public:
  // `addressing`: PTL_NI_PHYSICAL or PTL_NI_LOGICAL. Throws PerfFailure(kUnusable) when the library
  // refuses to open it: `prefix` and the failed call, and what was expected of PtlInit, or then.
  MatchingInterface(unsigned addressing, const char* prefix, const char* to_begin,
                    const char* to_open) {
    const auto reject = [prefix](const char* call, int code, const char* expected) {
      refuse("{}{} failed: {}; expected {}", prefix, call, code_name(code), expected);
    };
    if (const int code = PtlInit(); code != PTL_OK) reject("PtlInit", code, to_begin);
    const char* call = "PtlNIInit";
    int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | addressing, PTL_PID_ANY, nullptr,
                         &limits_, &handle_);
    if (code == PTL_OK) code = PtlGetPhysId(handle_, &id_), call = "PtlGetPhysId";
    if (code == PTL_OK) return;
    PtlFini();
    reject(call, code, to_open);
  }
  ~MatchingInterface() {
    PtlNIFini(handle_);
    PtlFini();
  }

  ptl_handle_ni_t handle() const { return handle_; }
  const ptl_process_t& id() const { return id_; }
  const ptl_ni_limits_t& limits() const { return limits_; }

 private:
  ptl_handle_ni_t handle_ = PTL_INVALID_HANDLE;
  ptl_process_t id_{};
  ptl_ni_limits_t limits_{};
};

}  // namespace lintel::perf::api4
