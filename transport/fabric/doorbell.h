#pragma once
// Doorbells: how processes on one machine find, wake and outlive each other when their messages go
// through shared memory.
//
// The shared-memory provider has no descriptor to sleep on, does not notice that a peer died, and
// cannot talk to a process that took the name of a dead one. So each process hangs a doorbell
// beside its provider's memory:
//  * a datagram socket with the abstract name "lintel-bell-<nid>-<pid>": a byte wakes the owner;
//    the kernel lets one process hold the name, and takes it away when the process ends, whatever
//    the way;
//  * one page of shared memory, /dev/shm/lintel-bell-<nid>-<pid>-<network namespace>: the owner's
//    incarnation (a random number, part of the provider's name for its memory, so that no
//    incarnation is taken for another) and whether the owner is asleep.
//
// Thread: that of the transport; what the page holds is atomic because other processes read it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "base/ids.h"
#include "base/result.h"

namespace lintel::transport {

// The page. Other processes of the same user can write it: nothing read from it is trusted further
// than as a hint.
struct DoorbellPage {
  std::atomic<std::uint32_t> incarnation;  // 0: not yet, or no longer, to be talked to
  std::atomic<std::uint32_t> asleep;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

struct UnmapPage {
  void operator()(DoorbellPage* page) const;
};
using MappedPage = std::unique_ptr<DoorbellPage, UnmapPage>;

// What either end holds.
struct DoorbellParts {
  FileDescriptor socket;
  MappedPage page;
};

// This process' own bell.
class Doorbell {
 public:
  Doorbell() = default;
  Doorbell(Doorbell&& other) noexcept
      : name_(std::move(other.name_)),
        incarnation_(other.incarnation_),
        hung_(std::exchange(other.hung_, false)),
        parts_(std::move(other.parts_)) {}
  Doorbell& operator=(Doorbell&&) noexcept;
  ~Doorbell();

  // Takes the name. Error: EADDRINUSE when a process holds it; others when the machine has no room.
  // Removes what a dead process of that name left behind in shared memory.
  static Result<Doorbell> hang(ProcessId name);

  std::uint32_t incarnation() const { return incarnation_; }
  // From now on peers may find this process: its memory is ready for them.
  void announce();
  int fd() const { return parts_.socket.get(); }  // readable: somebody rang
  // After this, who posts something rings. What was posted before does not: look for it after this
  // call, then sleep.
  void fall_asleep();
  void wake_up();

 private:
  ProcessId name_;
  std::uint32_t incarnation_ = 0;
  bool hung_ = false;  // the name and the page's file are ours to give up
  DoorbellParts parts_;
};

// Removes from shared memory what processes of this user left there that have died without closing.
// Some milliseconds at most.
void clear_away_remains();

// The bell of a peer.
class PeerDoorbell {
 public:
  // nullopt: no process of that name is ready to be talked to.
  static std::optional<PeerDoorbell> find(ProcessId name);

  std::uint32_t incarnation() const { return incarnation_; }
  // Call after each post: wakes the peer if it sleeps. Costs a fence and a load when it does not.
  void ring_if_asleep();
  // The process that was found still runs. A system call.
  bool alive() const;

 private:
  PeerDoorbell(ProcessId name, std::uint32_t incarnation, DoorbellParts parts)
      : name_(name), incarnation_(incarnation), parts_(std::move(parts)) {}
  ProcessId name_;
  std::uint32_t incarnation_;
  DoorbellParts parts_;
};

}  // namespace lintel::transport
