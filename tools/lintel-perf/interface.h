#pragma once
// The process's one network interface: opened with the tool's own settings, closed at the end.
//
// Owns the library's initialisation and the interface; must outlive every object made on it. One per process.

#include <portals3.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lintel::perf {

// The process id that a server takes unless told otherwise; below 1024, so it names the same port on every host.
inline constexpr ptl_pid_t kServerPid = 17;

inline constexpr ptl_pt_index_t kControlPortal = 1;  // requests and replies between the two processes; the others: operations.h

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

  // Makes the end of this object leave the interface open: closing it would wait for messages that nobody will take. The process has to end soon.
  void abandon() { abandoned_ = true; }

  // Admits requests of `process`, whatever its user and job. At first only processes of the same user are admitted.
  void admit(ptl_process_id_t process) const;

 private:
  ptl_handle_ni_t handle_ = PTL_INVALID_HANDLE;
  ptl_process_id_t id_{};
  ptl_ni_limits_t limits_{};
  bool abandoned_ = false;
};

// Sets a LINTEL_* variable; effective only before the Interface is made.
void set_library_variable(const char* name, const std::string& value);

}  // namespace lintel::perf
