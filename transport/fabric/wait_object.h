#pragma once
// WaitObject: the file descriptor on which a thread sleeps until a completion queue may have
// something.
//
// Providers differ, and two of libfabric 1.17 need special handling:
//  * net: the descriptor that it returns stays readable forever after the first completion, because
//    its fi_trywait does not reset the signal. Behind that descriptor is an epoll instance over the
//    signal and over the epoll instance of the domain's sockets; only the latter is used here. It
//    is found through /proc/self/fdinfo, by means of a queue that is opened for this purpose and
//    then closed: the kernel works longer on each arrival if the sockets' instance is watched by
//    another one.
//  * shm: has no descriptor, and fi_trywait crashes. It is not called for a queue without a
//    descriptor.
//
// Owned by FabricTransport; borrows the domain, the queue and the fabric. Thread: any thread may
// wait on fd(); the rest under the owner's lock.

#include <string>
#include <vector>

#include "transport/fabric/handles.h"

namespace lintel::transport {

// The descriptors that an epoll instance watches, from the text of its /proc/self/fdinfo file.
// Pure.
std::vector<int> watched_descriptors(const std::string& fdinfo);

class WaitObject {
 public:
  // The queue's own descriptor. REQUIRES: `completions` was opened with FI_WAIT_FD.
  static WaitObject of_queue(const OfiCompletionQueue& completions);
  // The descriptor of all sockets of the domain, for net of libfabric 1.17. The queue that is used
  // needs none.
  static WaitObject of_sockets(const OfiDomain& domain);

  int fd() const { return fd_; }  // -1: none; poll from time to time
  // True: call may_sleep() before a sleep. False: the queue must have been read until it was empty.
  bool provider_arms() const { return provider_arms_; }
  // Asks the provider. False: read the queue first.
  bool may_sleep(const OfiFabric& fabric, const OfiCompletionQueue& completions) const;

 private:
  int fd_ = -1;
  bool provider_arms_ = false;
};

}  // namespace lintel::transport
