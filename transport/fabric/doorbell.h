#pragma once
// Doorbells: how processes on one machine find each other, wake each other, and notice that another
// one has ended, when their messages go through shared memory.
//
// The shared-memory provider has no descriptor to sleep on, does not notice that a peer has died,
// and cannot talk to a process that has the name of a dead one. So each process has a doorbell
// beside the provider's memory:
//  * A datagram socket with the abstract name "lintel-bell-<nid>-<pid>". A byte wakes the owner.
//    The kernel gives the name to one process only, and frees it when the process ends in any way.
//  * One page of shared memory, /dev/shm/lintel-bell-<nid>-<pid>-<network namespace>. It has the
//    owner's incarnation, and whether the owner is asleep. The incarnation is a random number and
//    part of the provider's name for its memory, so that no incarnation is confused with another.
//
// Thread: that of the transport. The contents of the page are atomic because other processes read
// them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/private_descriptor.h"
#include "base/result.h"

namespace lintel::transport {

// The page. Other processes of the same user can write it, so its contents are used as hints only.
struct DoorbellPage {
  std::atomic<std::uint32_t> incarnation;  // 0: not ready yet, or no longer
  std::atomic<std::uint32_t> asleep;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

struct UnmapPage {
  void operator()(DoorbellPage* page) const;
};
using MappedPage = std::unique_ptr<DoorbellPage, UnmapPage>;

// What the owner and a peer of a doorbell hold.
struct DoorbellParts {
  PrivateDescriptor socket;  // also the name, which must not outlive the owner in a child
  MappedPage page;
};

// The doorbell of this process.
class Doorbell {
 public:
  Doorbell() = default;
  Doorbell(Doorbell&& other) noexcept
      : name_(std::move(other.name_)),
        incarnation_(other.incarnation_),
        owns_name_(std::exchange(other.owns_name_, false)),
        parts_(std::move(other.parts_)) {}
  Doorbell& operator=(Doorbell&&) noexcept;
  ~Doorbell();

  // Takes the name, and removes what a dead process of that name has left in shared memory. Error:
  // EADDRINUSE if a process holds the name; others if the machine has no resources.
  static Result<Doorbell> claim(ProcessId name);

  std::uint32_t incarnation() const { return incarnation_; }
  // Lets peers find this process from now on: its memory is ready for them.
  void announce();
  int fd() const { return parts_.socket.get(); }  // readable: a peer rang
  // After this call, a peer that posts something rings. What was posted before it does not ring:
  // check for it after this call, then sleep.
  void fall_asleep();
  void wake_up();

 private:
  ProcessId name_;
  std::uint32_t incarnation_ = 0;
  bool owns_name_ = false;  // this object owns the name and the file of the page
  DoorbellParts parts_;
};

// Removes from shared memory what processes of this user left that died without closing. Some
// milliseconds at most.
void remove_stale_doorbells();

// The doorbell of a peer.
class PeerDoorbell {
 public:
  // nullopt: no process of that name is ready.
  static std::optional<PeerDoorbell> find(ProcessId name);

  std::uint32_t incarnation() const { return incarnation_; }
  // Call after each post: wakes the peer if it sleeps. If it does not sleep, costs a fence and a
  // load.
  void ring_if_asleep();
  // Whether the process that was found still runs. A system call.
  bool alive() const;

 private:
  PeerDoorbell(ProcessId name, std::uint32_t incarnation, DoorbellParts parts)
      : name_(name), incarnation_(incarnation), parts_(std::move(parts)) {}
  ProcessId name_;
  std::uint32_t incarnation_;
  DoorbellParts parts_;
};

}  // namespace lintel::transport
