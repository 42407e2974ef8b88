#pragma once
// InterfaceListener: is told when the interface of Portals 3 opens. The runtime that names the
// processes of a job (mpi_layer/p3rt) implements it. That runtime is built on this C API, so this C
// API cannot name it.
//
// Thread: any. PtlNIInit calls it with no lock held, so it may block and call functions of Portals
// 3.

#include "portals3.h"

namespace lintel::api3 {

class InterfaceListener {
 public:
  InterfaceListener() = default;
  InterfaceListener(const InterfaceListener&) = delete;
  InterfaceListener& operator=(const InterfaceListener&) = delete;
  virtual ~InterfaceListener() = default;

  // The pid with which the interface opens if the program has passed PTL_PID_ANY: a number, or
  // PTL_PID_ANY.
  virtual ptl_pid_t pid_for_any() = 0;
  // The interface is open, and its process is `self`. `fresh`: this call of PtlNIInit has opened
  // it; otherwise it was open before. PtlNIInit returns any result other than PTL_OK to its caller,
  // and closes a fresh interface again.
  virtual int opened(ptl_process_id_t self, bool fresh) = 0;
};

// Makes `listener` the process' listener. It is not owned and must live as long as the process.
void listen_to_interface(InterfaceListener& listener);

}  // namespace lintel::api3
