#pragma once
// NetworkInterface: one program-visible interface: its identity, its limits, its parts, and the
// events of the operations that it takes part in.
//
// Owned by the Process. Guarded by the process' lock: every member REQUIRES it.
// Its parts are public: each keeps its own invariants, and callers talk to the part that has the
// state. What needs several parts at once is a function here: the life of an operation (open,
// close, log_single, log_at_once), and the ends of objects. Invariant: every open() is followed by
// one close().
// Does not: send or receive (endpoint.h), wait, or know any API's codes.

#include <cstdint>
#include <string>

#include "base/counters.h"
#include "base/ids.h"
#include "base/slot_pool.h"
#include "portals/engine/access_control.h"
#include "portals/engine/attention.h"
#include "portals/engine/completion.h"
#include "portals/engine/descriptor_table.h"
#include "portals/engine/entry_table.h"
#include "portals/engine/event_log.h"
#include "portals/engine/identity.h"
#include "portals/engine/interface_rules.h"
#include "portals/engine/limits.h"
#include "portals/engine/portal_table.h"
#include "portals/engine/process_map.h"
#include "portals/engine/status.h"
#include "portals/engine/status_registers.h"
#include "portals/engine/triggers.h"
#include "portals/engine/unexpected_messages.h"
#include "portals/engine/wire_codec.h"

namespace lintel::portals {

using wire::kLayerKind;
using wire::kPortals3Kind;

class NetworkInterface {
 public:
  // `first_generation`: of all its objects, so that handles of an interface that was open before
  // name nothing here.
  NetworkInterface(std::uint8_t kind, const Identity& identity, const Limits& limits,
                   Counters& counters, Attention& attention, std::uint32_t first_generation = 1,
                   const InterfaceRules& rules = {});
  NetworkInterface(const NetworkInterface&) = delete;
  NetworkInterface& operator=(const NetworkInterface&) = delete;
  ~NetworkInterface();

  std::uint8_t kind() const { return kind_; }
  bool is_portals3() const { return kind_ == kPortals3Kind; }
  // For the interface that takes this one's place.
  std::uint32_t next_generation() const;
  const Identity& identity() const { return identity_; }
  const Limits& limits() const { return limits_; }
  const InterfaceRules& rules() const { return rules_; }
  Counters& counters() { return counters_; }

  // ---- The parts
 private:
  std::uint8_t kind_;
  Identity identity_;
  Limits limits_;
  InterfaceRules rules_;
  Counters& counters_;

 public:
  unsigned opens = 0;  // how often the program has opened it (Portals 4 counts)
  StatusRegisters registers;
  AccessControl access;
  ProcessMap map;
  DescriptorTable descriptors;
  EventLog events;
  Triggers triggers;
  PortalTable portals;
  EntryTable entries;
  UnexpectedMessages unexpected;

  // ---- Ends that concern several parts
  // Errors: kPortalInvalid, kPortalInUse (an entry is in one of its lists).
  Status free_portal(std::uint32_t index);
  // The descriptor is in use, but all that still uses it ends without the program's doing:
  // acknowledgements are on their way, and operations of whose end the program does not hear
  // (Portals 4).
  bool idle_soon(SlotId descriptor);
  // Ends all objects. REQUIRES: nothing is open.
  [[gnu::cold]] void drop_objects();

  // ---- Events of operations
  // An operation begins to move data of `descriptor`, already charged: logs `start` unless
  // disabled, and makes the descriptor busy. `completion.event` holds all but kind, sequence, link,
  // descriptor and (Portals 3) snapshot; the rest of it is new.
  void open(Completion& completion, MemoryDescriptor& descriptor, EventKind start, EventKind end);
  // A request that the descriptor of `completion` has accepted begins at its portal: makes its
  // unexpected header, if it needs one.
  void enter_portal(Completion& completion, PortalList list);
  // It has ended: logs the END event unless disabled, and unlinks the descriptor if that was due
  // and this was the last.
  void close(Completion& completion, Failure failure);
  // One event that has no START: ACK. Logged whatever of START and END is disabled. `event` is as
  // for open(), and used up. `count_only`: the counting event alone hears of it.
  void log_single(MemoryDescriptor& descriptor, Event& event, EventKind kind, Failure failure,
                  bool count_only = false);
  // What open() and close() would log of an operation that succeeds with nothing in between.
  // `describe` is given the event, to fill it in as for open(). REQUIRES: START is disabled; no
  // unexpected header is to be made. `silent`: END is disabled.
  template <class Describe>
  void log_at_once(MemoryDescriptor& descriptor, EventKind kind, bool silent, Describe&& describe) {
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
  void dump(std::string& out);

 private:
  void end_at_once(MemoryDescriptor& descriptor, Event& event, EventKind kind, bool logged);
  [[gnu::cold]] void dump_portal(std::string& out, std::uint32_t index);
};

}  // namespace lintel::portals
