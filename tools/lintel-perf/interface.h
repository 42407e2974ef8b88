#pragma once
// The process's one network interface of Portals 3, through which the two processes talk in any
// case, and the interfaces that measured operations go through.

#include <portals3.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "operations.h"

namespace lintel::perf {

// The process id that a server takes unless told otherwise; below 1024, so it names the same port
// on every host.
inline constexpr ptl_pid_t kServerPid = 17;

// Messages and probes between the two processes; the other portal: operations.h.
inline constexpr ptl_pt_index_t kControlPortal = 1;

inline const char* code_name(int code) { return PtlErrorStr(static_cast<unsigned>(code)); }

// Throws PerfFailure(kFailed, "<call> failed: <PtlErrorStr>") unless `code` is PTL_OK.
inline void check_call(int code, const char* call) {
  if (code != PTL_OK) fail("{} failed: {}", call, code_name(code));
}

// A descriptor without events of beginnings, for any number of operations.
inline ptl_md_t descriptor(ptl_handle_eq_t eq, unsigned options = 0, void* start = nullptr,
                           ptl_size_t length = 0) {
  options |= PTL_MD_EVENT_START_DISABLE;
  return {start, length, PTL_MD_THRESH_INF, /*max_size=*/0, options, /*user_ptr=*/nullptr, eq};
}

// "10.0.0.1 pid 17"
inline std::string to_string(ProcessName process) {
  const std::uint32_t nid = process.nid;
  return fmt::format("{}.{}.{}.{} pid {}", nid >> 24, (nid >> 16) & 255, (nid >> 8) & 255,
                     nid & 255, process.pid);
}

// Owns the library's initialisation and the interfaces; must outlive every object made on them. One
// per process. Thread: one.
class Portals3Interface final : public TimedInterface {
 public:
  // `pid`: PTL_PID_ANY for any. Throws PerfFailure(kUnusable) if the interface cannot be had.
  explicit Portals3Interface(ptl_pid_t pid) {
    int interfaces = 0;
    if (const int code = PtlInit(&interfaces); code != PTL_OK) {
      refuse("PtlInit failed: {}; expected LINTEL_* variables that the library accepts",
             code_name(code));
    }
    ptl_ni_limits_t limits{};
    const int code = PtlNIInit(PTL_IFACE_DEFAULT, pid, nullptr, &limits, &handle_);
    limits_.pieces = {static_cast<std::uint64_t>(limits.max_md_iovecs), "max_md_iovecs"};
    limits_.bytes[MeasuredAction::kSwap] = {static_cast<std::uint64_t>(limits.max_getput_md),
                                            "max_getput_md"};
    if (code == PTL_OK) return;
    PtlFini();
    if (code == PTL_PID_INVALID) {
      refuse(
          "PtlNIInit failed: {}; process id {} is taken or not possible here, expected a free one "
          "(--pid)",
          code_name(code), pid);
    }
    refuse(
        "PtlNIInit failed: {}; {} and {}, expected a provider and an interface that this host has",
        code_name(code), setting("LINTEL_PROVIDER"), setting("LINTEL_INTERFACE"));
  }
  ~Portals3Interface() override {
    portals4_.reset();
    PtlNIFini(handle_);
    PtlFini();
  }

  // Through Portals 3; see api3/.
  std::unique_ptr<MeasuredOperations> operations(const SideParameters& parameters) override;

  ptl_handle_ni_t handle() const { return handle_; }
  ProcessName name() const {
    ptl_process_id_t id{};
    check_call(PtlGetId(handle_, &id), "PtlGetId");
    return {id.nid, id.pid};
  }

  // The interface for measured operations, opened when it is first asked for. Throws
  // PerfFailure(kUnusable) if it cannot be had.
  TimedInterface& timed(Api api) {
    if (api == Api::kPortals3) return *this;
    if (!portals4_) portals4_ = open_portals4(name());
    return *portals4_;
  }

  // Admits requests of `process`, whatever its user and job. At first only processes of the same
  // user are admitted.
  void admit(ProcessName process) const {
    const ptl_process_id_t id{process.nid, process.pid};
    check_call(PtlACEntry(handle_, 0, id, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY),
               "PtlACEntry");
  }

 private:
  static std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? fmt::format("{} is not set", name)
                            : fmt::format("{} is '{}'", name, value);
  }

  ptl_handle_ni_t handle_ = PTL_INVALID_HANDLE;
  std::unique_ptr<TimedInterface> portals4_;
};

}  // namespace lintel::perf
