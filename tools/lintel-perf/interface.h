#pragma once
// The process's one network interface of Portals 3, through which the two processes talk in any
// case, and the interfaces of both APIs that measured operations go through: opened with the tool's
// own settings, closed at the end.
//
// Owns the library's initialisation and the interfaces; must outlive every object made on them. One
// per process. Thread: one.

#include <portals3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "operations.h"

namespace lintel::perf {

// The process id that a server takes unless told otherwise; below 1024, so it names the same port
// on every host.
inline constexpr ptl_pid_t kServerPid = 17;

// Requests and replies between the two processes; the other portals: operations.h.
inline constexpr ptl_pt_index_t kControlPortal = 1;

class Interface {
 public:
  // `pid`: PTL_PID_ANY for any. Throws Failure(kUnusable) if the interface cannot be had.
  explicit Interface(ptl_pid_t pid);
  ~Interface();
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  ptl_handle_ni_t handle() const { return handle_; }
  ptl_process_id_t id() const { return id_; }
  const ptl_ni_limits_t& limits() const { return limits_; }

  // The interface for measured operations, opened when it is first asked for. Throws
  // Failure(kUnusable) if it cannot be had.
  TimedInterface& timed(Api api);

  // Makes the end of this object leave the interfaces open: closing them would wait for messages
  // that nobody will take. The process has to end soon.
  void abandon();

  // Admits requests of `process`, whatever its user and job. At first only processes of the same
  // user are admitted.
  void admit(ptl_process_id_t process) const;

 private:
  ptl_handle_ni_t handle_ = PTL_INVALID_HANDLE;
  ptl_process_id_t id_{};
  ptl_ni_limits_t limits_{};
  bool abandoned_ = false;
  std::unique_ptr<TimedInterface> portals3_;
  std::unique_ptr<TimedInterface> portals4_;
};

// Sets a LINTEL_* variable; effective only before the Interface is made.
void set_library_variable(const char* name, const std::string& value);

// Throws Failure(kFailed, "<call> failed: <PtlErrorStr>") unless `code` is PTL_OK.
void check_call(int code, const char* call);

// "10.0.0.1 pid 17", and the dotted form of a nid.
std::string to_string(ptl_process_id_t process);
std::string dotted(ptl_nid_t nid);

// The name of a process, as operations want it.
inline ProcessName name_of(ptl_process_id_t id) { return {id.nid, id.pid}; }

}  // namespace lintel::perf
