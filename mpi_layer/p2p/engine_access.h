#pragma once
// EngineAccess: what the messenger and its parts use of the engine: one interface of a process,
// with its event queue and its three portals. It is the only file of this folder that includes
// a header of portals/engine (package.include_rule checks this). The other files get the engine's
// types from here.
//
// Owned by the messenger; borrows the process. Every member REQUIRES the process' lock unless its
// comment says otherwise. The functions under "While open" may be called between open() and close()
// only, while the interface exists.
// More than 30 members, because each is one thing that the parts of the messenger ask of the
// engine. Most have one line.
// Does not: know rules of MPI.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/process/process.h"

namespace lintel::mpi {

// The portals of the messenger's interface.
inline constexpr std::uint32_t kMessagePortal = 0;
inline constexpr std::uint32_t kRestPortal = 1;  // the rests of long messages
inline constexpr std::uint32_t kControlPortal = 2;

class EngineAccess {
 public:
  explicit EngineAccess(portals::Process& process) : process_(process) {}
  EngineAccess(const EngineAccess&) = delete;
  EngineAccess& operator=(const EngineAccess&) = delete;

  // Opens the interface. Returns false, with a sentence in `explanation`, if that fails or if the
  // process has one already. Call close() afterwards in either case. [lock not held]
  [[nodiscard]] bool open(std::uint32_t entries, std::uint32_t unexpected, std::string& explanation)
      LINTEL_EXCLUDES(kLock);
  // Allocates queue, portals and descriptors. Call it after open(). False: no room.
  [[nodiscard]] bool set_up() LINTEL_REQUIRES(kLock);
  // Closes the interface with everything on it. Blocks. [lock not held]
  void close() LINTEL_EXCLUDES(kLock);
  // [any thread] Changed by open() and close() only.
  bool is_open() const { return interface_ != nullptr; }

  // [any thread]
  Mutex& lock() const LINTEL_RETURN_CAPABILITY(kLock) { return process_.lock(); }
  TimePoint now() const { return process_.now(); }

  // ---- While open: the process
  ProcessId self() const { return interface_->identity().process; }
  std::uint64_t eager_limit() const LINTEL_REQUIRES(kLock) {
    return process_.endpoint().limits().eager;
  }
  bool reachable(ProcessId process) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().peers().reachable(process);
  }
  // As Peers::watch().
  void watch(ProcessId process, bool watched) LINTEL_REQUIRES(kLock) {
    process_.endpoint().peers().watch(process, watched);
  }
  // Ends the session with a process that does not read the `messages` that it has caused. An event
  // reports its loss.
  void give_up(ProcessId process, std::size_t messages) LINTEL_REQUIRES(kLock) {
    process_.endpoint().give_up_reader(process, messages);
  }
  // True if no message waits in the engine to be sent.
  bool idle() const LINTEL_REQUIRES(kLock) { return process_.endpoint().idle(); }

  // ---- While open: progress
  // One turn of progress. `react` is called after the arrived messages are handled and before
  // answers are sent.
  template <class React>
  std::size_t advance(React&& react, portals::Yielding yielding) LINTEL_REQUIRES(kLock) {
    return process_.progress().advance(std::forward<React>(react), yielding);
  }
  // Blocks, and releases the lock meanwhile. Returns whether the condition holds.
  bool wait_until(portals::Condition& condition, TimePoint deadline) LINTEL_REQUIRES(kLock) {
    return process_.progress().wait_until(condition, deadline);
  }
  // As Process::wait_while_moving().
  template <class Moved>
  void wait_while_moving(portals::Condition& condition, Moved&& moved) LINTEL_REQUIRES(kLock) {
    process_.wait_while_moving(condition, moved);
  }
  void wake_all() LINTEL_REQUIRES(kLock) { process_.progress().wake_all(); }
  // To be called at the end of a call that has posted something.
  void after_call() LINTEL_REQUIRES(kLock) { process_.progress().after_call(); }

  // ---- While open: events. The queue grows, and loses no event while there is memory.
  bool has_events() const LINTEL_REQUIRES(kLock) { return queue_->unread() > 0; }
  // Removes the oldest event and returns it; null: there is none. It is valid until the next event
  // is deposited.
  const portals::Event* take_event() LINTEL_REQUIRES(kLock);
  // A caller begins (true) or ends (false) to sleep until there is an event.
  void asleep(bool asleep) LINTEL_REQUIRES(kLock) { queue_->sleepers += asleep ? 1U : ~0U; }

  // ---- While open: entries
  portals::Status append(std::uint32_t portal, portals::PortalList list,
                         const portals::MatchCriteria& criteria, portals::DescriptorRules rules,
                         bool use_once, SlotId& made) LINTEL_REQUIRES(kLock) {
    return interface_->unexpected.append_entry(portal, list, criteria, std::move(rules), use_once,
                                               made);
  }
  // Unlinks the entry. False: it does not exist any more, or a message is arriving in it.
  bool withdraw(SlotId entry) LINTEL_REQUIRES(kLock) {
    return interface_->entries.unlink(entry) == portals::Status::kOk;
  }
  bool has(SlotId entry) const LINTEL_REQUIRES(kLock) {
    return interface_->entries.get(entry) != nullptr;
  }
  SlotId descriptor_of(SlotId entry) const LINTEL_REQUIRES(kLock) {
    return interface_->entries.get(entry)->descriptor->id;
  }
  // Null: it does not exist any more.
  portals::MemoryDescriptor* descriptor(SlotId id) const LINTEL_REQUIRES(kLock) {
    return interface_->descriptors.get(id);
  }
  // The number of receives in the priority list of the message portal.
  std::size_t posted() const LINTEL_REQUIRES(kLock) {
    return interface_->portals[kMessagePortal].priority.size();
  }

  // ---- While open: unexpected messages of the message portal
  // The first message, in order of arrival, that matches `wanted` and for which `accepts` returns
  // true; null: none.
  template <class Accepts>
  portals::UnexpectedMessage* find_unexpected(const portals::MatchCriteria& wanted,
                                              Accepts&& accepts) const LINTEL_REQUIRES(kLock) {
    return static_cast<portals::UnexpectedMessage*>(
        unexpected().find(wanted, [&](const portals::UnexpectedHeader& header) {
          kLock.is_held();
          return accepts(static_cast<const portals::UnexpectedMessage&>(header));
        }));
  }
  // `visit` may consume the message that it gets.
  template <class Visit>
  void for_each_unexpected(Visit&& visit) const LINTEL_REQUIRES(kLock) {
    unexpected().for_each([&](portals::UnexpectedHeader& header) {
      kLock.is_held();
      visit(static_cast<portals::UnexpectedMessage&>(header));
    });
  }
  // As the functions of UnexpectedMessages.
  void consume(portals::UnexpectedMessage& message) LINTEL_REQUIRES(kLock) {
    interface_->unexpected.consume(message);
  }
  void move(portals::UnexpectedMessage& message, void* start) LINTEL_REQUIRES(kLock) {
    interface_->unexpected.move(message, start);
  }

  // ---- While open: requests. Errors: kNoSpace, and those of Initiator.
  // A request that may use any memory of the process. Its length is 0 until the caller sets it.
  portals::RequestArguments request_to(ProcessId target, std::uint32_t portal) const
      LINTEL_REQUIRES(kLock);
  portals::Status put(const portals::RequestArguments& arguments) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().initiator().put(*interface_, arguments);
  }
  portals::Status get(const portals::RequestArguments& arguments) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().initiator().get(*interface_, arguments);
  }
  // As Target::deliver(), to the message portal.
  bool deliver(ProcessId initiator, std::uint64_t match_bits, std::uint64_t remote_offset,
               std::uint64_t header_data) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().target().deliver(*interface_, initiator, kMessagePortal, match_bits,
                                                remote_offset, header_data);
  }

  // ---- While open: eager direct placement. See Endpoint's placed messages.
  using PlacementKey = transport::PlacementKey;
  static constexpr unsigned kPlacementKeyBits = transport::kPlacementKeyBits;
  // The longest message that may be placed; 0: the network cannot place messages.
  std::uint64_t placement_limit() const LINTEL_REQUIRES(kLock) {
    return process_.endpoint().limits().placed;
  }
  // REQUIRES: `arguments` from request_to(). A SEND_END event says that the memory is the caller's
  // again.
  portals::Status put_placed(portals::RequestArguments arguments, PlacementKey key)
      LINTEL_REQUIRES(kLock) {
    arguments.descriptor = placed_;
    return process_.endpoint().initiator().put_placed(*interface_, arguments, key);
  }
  void enable_placement() LINTEL_REQUIRES(kLock) { process_.endpoint().placed_messages().enable(); }
  bool expect_placed(SlotId entry, ProcessId source, PlacementKey key) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().placed_messages().expect(*interface_, entry, source, key);
  }
  using Withdrawal = transport::Withdrawal;
  Withdrawal forget_placed(ProcessId source) LINTEL_REQUIRES(kLock) {
    return process_.endpoint().placed_messages().withdraw(source);
  }

 private:
  portals::UnexpectedList& unexpected() const LINTEL_REQUIRES(kLock) {
    return interface_->portals[kMessagePortal].unexpected;
  }

  portals::Process& process_;
  portals::NetworkInterface* interface_ = nullptr;
  portals::EventQueue* queue_ LINTEL_GUARDED_BY(kLock) = nullptr;
  // descriptor of all memory: puts and gets name a part
  SlotId everything_ LINTEL_GUARDED_BY(kLock);
  SlotId placed_ LINTEL_GUARDED_BY(kLock);  // the same, with SEND_END events
};

}  // namespace lintel::mpi
