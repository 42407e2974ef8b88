#pragma once
// The target: a child of this program that runs one function and ends.
//
// Owns the child. It dies with its parent. The destructor waits for it, and kills it first after a
// failure of the parent. Make it before the first libfabric call: providers do not survive fork.

#include <sys/types.h>

#include <functional>
#include <string>

#include "bench/raw/control_socket.h"

namespace lintel::bench {

class PeerProcess {
 public:
  // Starts the child. It runs `body` with its end of the control connection, prints an exception,
  // and executes nothing else.
  explicit PeerProcess(const std::function<void(ControlSocket&)>& body);
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();

  ControlSocket& channel() { return channel_; }
  // Waits for the child to end. Returns false if it failed.
  bool join();

 private:
  PeerProcess(std::pair<ControlSocket, ControlSocket> ends,
              const std::function<void(ControlSocket&)>& body);

  ControlSocket channel_;
  pid_t child_ = -1;
};

// Moves the calling process into the network namespace at `path`; no effect if `path` is empty.
// Throws when the system refuses.
void enter_namespace(const std::string& path);

// Keeps the calling process on processor `cpu`; -1 leaves it where it is.
void pin_to(int cpu);

}  // namespace lintel::bench
