#pragma once
// PrivateDescriptor: a FileDescriptor that a child of fork() does not keep.
//
// Close-on-exec is not enough: a child that lives on without exec would hold the sockets of its
// parent, and the peers of a parent that has crashed would not see their connections end.
//
// All PrivateDescriptors of a process are in one table, in which close_private_descriptors() finds
// them. It is lock-free, because another thread may be anywhere in the library when a thread forks.
// Numbers from kMostPrivateDescriptors on are not in the table, and a child keeps what another
// thread was opening at the moment of the fork.

#include "base/file_descriptor.h"

namespace lintel {

inline constexpr int kMostPrivateDescriptors = 1 << 20;

class PrivateDescriptor {
 public:
  PrivateDescriptor() = default;
  explicit PrivateDescriptor(FileDescriptor fd);
  PrivateDescriptor(PrivateDescriptor&&) noexcept = default;
  PrivateDescriptor& operator=(PrivateDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::move(other.fd_);
    }
    return *this;
  }
  ~PrivateDescriptor() { close(); }

  int get() const { return fd_.get(); }
  bool is_open() const { return fd_.is_open(); }
  void close();

 private:
  FileDescriptor fd_;
};

// Closes all of them. For the child of fork() only, which must not use or destroy the objects that
// own them. Async-signal-safe.
void close_private_descriptors();

}  // namespace lintel
