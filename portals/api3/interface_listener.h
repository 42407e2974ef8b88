#pragma once
// InterfaceListener: whoever has to know when the interface of Portals 3 opens: the runtime that
// names the processes of a job (mpi_layer/p3rt), which is built on this face and must not be known
// to it.
//
// Thread: any; PtlNIInit calls it with no lock held, so it may block and call the face itself.

#include "portals3.h"

namespace lintel::api3 {

class InterfaceListener {
 public:
  InterfaceListener() = default;
  InterfaceListener(const InterfaceListener&) = delete;
  InterfaceListener& operator=(const InterfaceListener&) = delete;
  virtual ~InterfaceListener() = default;

  // The pid to open with when the program has asked for any: a number, or PTL_PID_ANY.
  virtual ptl_pid_t pid_for_any() = 0;
  // The interface is open under `self`; `fresh`: by this call, else it was before. Whatever else
  // than PTL_OK it returns PtlNIInit returns, and a fresh interface is shut again.
  virtual int opened(ptl_process_id_t self, bool fresh) = 0;
};

// From now on `listener` is told; it is not owned and must live as long as the process.
void listen_to_interface(InterfaceListener& listener);

}  // namespace lintel::api3
