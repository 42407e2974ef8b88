#pragma once
// NetworkInterface: one interface of the program: its identity, its limits, its parts, and the
// events of its operations.
//
// Owned by the Process. Guarded by the process' lock: every member REQUIRES it.
// Its parts are public. Each keeps its own invariants, and callers use the part that has the state.
// A function here is one that needs several parts: the begin and end of an operation (open, close,
// log_single, log_at_once), and the ends of objects.
// Invariant: every open() is followed by one close().
// More than 30 members, because nine are its parts.
// Does not: send or receive (endpoint.h), wait, or use the return codes of an API.

#include <cstdint>
#include <string>

#include "base/counters.h"
#include "base/ids.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/events/completion.h"
#include "portals/engine/events/event_log.h"
#include "portals/engine/events/pending_work.h"
#include "portals/engine/events/triggers.h"
#include "portals/engine/interface/access_control.h"
#include "portals/engine/interface/process_map.h"
#include "portals/engine/interface/status_registers.h"
#include "portals/engine/matching/entry_table.h"
#include "portals/engine/matching/portal_table.h"
#include "portals/engine/matching/unexpected_messages.h"
#include "portals/engine/memory/descriptor_table.h"
#include "portals/engine/values/identity.h"
#include "portals/engine/values/interface_kind.h"
#include "portals/engine/values/interface_limits.h"
#include "portals/engine/values/interface_rules.h"
#include "portals/engine/values/status.h"

namespace lintel::portals {

class NetworkInterface {
 public:
  // `first_generation` is the generation of its first objects, so that handles of an interface that
  // was open before name no object of this one. `headers`: see UnexpectedMessages; used if
  // the rules say so.
  NetworkInterface(std::uint8_t kind, const Identity& identity, const InterfaceLimits& limits,
                   Counters& counters, PendingWork& pending_work,
                   std::uint32_t first_generation = 1, const InterfaceRules& rules = {},
                   MemoryBudget* headers = nullptr);
  NetworkInterface(const NetworkInterface&) = delete;
  NetworkInterface& operator=(const NetworkInterface&) = delete;
  ~NetworkInterface();

  std::uint8_t kind() const { return kind_; }
  bool is_portals3() const { return kind_ == kPortals3Kind; }
  // `first_generation` for the interface that replaces this one.
  std::uint32_t next_generation() const LINTEL_REQUIRES(kLock);
  const Identity& identity() const { return identity_; }
  const InterfaceLimits& limits() const { return limits_; }
  const InterfaceRules& rules() const { return rules_; }
  Counters& counters() { return counters_; }

  // ---- The parts
 private:
  std::uint8_t kind_;
  Identity identity_;
  InterfaceLimits limits_;
  InterfaceRules rules_;
  Counters& counters_;

 public:
  unsigned opens LINTEL_GUARDED_BY(kLock) = 0;  // how often the program has opened it (Portals 4)
  StatusRegisters registers LINTEL_GUARDED_BY(kLock);
  AccessControl access LINTEL_GUARDED_BY(kLock);
  ProcessMap map LINTEL_GUARDED_BY(kLock);
  DescriptorTable descriptors LINTEL_GUARDED_BY(kLock);
  EventLog events LINTEL_GUARDED_BY(kLock);
  Triggers triggers LINTEL_GUARDED_BY(kLock);
  PortalTable portals LINTEL_GUARDED_BY(kLock);
  EntryTable entries LINTEL_GUARDED_BY(kLock);
  UnexpectedMessages unexpected LINTEL_GUARDED_BY(kLock);

  // ---- Ends that concern several parts
  // Errors: kPortalInvalid, kPortalInUse (an entry is in one of its lists).
  Status free_portal(std::uint32_t index) LINTEL_REQUIRES(kLock);
  // Whether the descriptor is in use only by what ends without an action of the program:
  // acknowledgements that are on their way, and operations whose end is not reported to the program
  // (Portals 4).
  bool idle_soon(SlotId descriptor) LINTEL_REQUIRES(kLock);
  // Destroys all objects. REQUIRES: no operation is open.
  [[gnu::cold]] void drop_objects() LINTEL_REQUIRES(kLock);

  // ---- Events of operations
  // An operation begins to move data of `descriptor`, which is already charged. Logs `start` unless
  // that is disabled, and makes the descriptor busy. The caller has filled in `completion.event`,
  // except kind, sequence, link, descriptor and (Portals 3) snapshot; the function sets the other
  // members of `completion`.
  void open(Completion& completion, MemoryDescriptor& descriptor, EventKind start, EventKind end)
      LINTEL_REQUIRES(kLock);
  // The portal has accepted the request of `completion`: counts it there, and makes its unexpected
  // header if it needs one.
  void enter_portal(Completion& completion, PortalList list) LINTEL_REQUIRES(kLock);
  // The operation has ended: logs the END event unless that is disabled, and unlinks the descriptor
  // if that is due and this was its last operation.
  void close(Completion&& completion, Failure failure) LINTEL_REQUIRES(kLock);
  // Logs one event that has no START: ACK. It is logged also if START and END are disabled. `event`
  // is as for open(), and is changed. `count_only`: it is only counted, not logged.
  void log_single(MemoryDescriptor& descriptor, Event& event, EventKind kind, Failure failure,
                  bool count_only = false) LINTEL_REQUIRES(kLock);
  // Logs what open() and close() log of an operation that succeeds, with nothing in between.
  // `describe` fills the event in as for open(). `silent`: END is disabled. REQUIRES: START is
  // disabled; the message needs no unexpected header.
  template <class Describe>
  void log_at_once(MemoryDescriptor& descriptor, EventKind kind, bool silent, Describe&& describe)
      LINTEL_REQUIRES(kLock) {
    EventQueue* const queue = silent || descriptor.has(option::kSuccessDisable)
                                  ? nullptr
                                  : events.queue(descriptor.queue());
    if (queue != nullptr) {
      Event& event = events.place(*queue);
      describe(event);
      event.link = event.sequence;
      end_at_once(descriptor, event, kind, true);
    } else {
      Event event;
      describe(event);
      end_at_once(descriptor, event, kind, false);
    }
  }

  // Appends the state of portal table, match lists, descriptors and queues, for people.
  void dump(std::string& out) LINTEL_REQUIRES(kLock);

 private:
  void end_at_once(MemoryDescriptor& descriptor, Event& event, EventKind kind, bool logged)
      LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void dump_portal(std::string& out, std::uint32_t index) LINTEL_REQUIRES(kLock);
};

}  // namespace lintel::portals
