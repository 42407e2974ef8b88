#pragma once
// WaitObject: the file descriptor on which a thread can sleep until a completion queue may have
// something.
//
// Providers differ, and two of libfabric 1.17 need care:
//  * net: the descriptor it hands out stays readable for ever after the first completion, because
//    its fi_trywait does not take the signal back. Behind that descriptor is an epoll instance over
//    the signal and over the epoll instance of the domain's sockets; the latter alone is what we
//    wait for. It is found through /proc/self/fdinfo, by means of a queue that is opened for that
//    only: the kernel works longer on each arrival when the sockets' instance is watched by a
//    further one.
//  * shm: has none, and fi_trywait crashes. It is never called for a queue without a descriptor.
//
// Owned by FabricTransport; borrows the domain, the queue and the fabric. Thread: fd() may be
// waited on by any thread; the rest under the owner's lock.

#include <string>
#include <vector>

#include "transport/fabric/handles.h"

namespace lintel::transport {

// Descriptors watched by the epoll instance `epoll_fd`, from the text of its /proc/self/fdinfo
// file. Pure.
std::vector<int> watched_descriptors(const std::string& fdinfo);

class WaitObject {
 public:
  // The queue's own descriptor. REQUIRES: `completions` was opened with FI_WAIT_FD.
  static WaitObject of_queue(const CompletionQueue& completions);
  // The descriptor of all the domain's sockets, for net of libfabric 1.17; the queue that is used
  // needs none.
  static WaitObject of_sockets(const Domain& domain);

  int fd() const { return fd_; }  // -1: none, poll from time to time
  // True: the provider has to be asked with may_sleep(); else the queue must have been read until
  // it was empty.
  bool provider_arms() const { return provider_arms_; }
  // Asks the provider. False: read the queue first.
  bool may_sleep(const Fabric& fabric, const CompletionQueue& completions) const;

 private:
  int fd_ = -1;
  bool provider_arms_ = false;
};

}  // namespace lintel::transport
