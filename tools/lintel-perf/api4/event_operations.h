#pragma once
// Operations of Portals 4 with full events.

#include <portals4.h>

#include "event_queue.h"
#include "initiator.h"
#include "portals.h"
#include "queued_operations.h"

namespace lintel::perf::api4 {

class EventOperations final : public QueuedOperations<EventQueue> {
 public:
  EventOperations(ptl_handle_ni_t ni, const OperationsParameters& parameters);

  std::unique_ptr<Descriptor> bind(std::span<const Piece> memory) override;
  std::unique_ptr<Entry> expose(Place place, std::span<const Piece> memory, bool counted) override;

  bool put(const Descriptor& from, Ack ack, Place place) override;
  bool get(const Descriptor& into, Place place) override;
  bool swap(const Descriptor& into, const Descriptor& from, Place place) override;
  bool add(const Descriptor& from, Place place) override;
  bool fetch_add(const Descriptor& into, const Descriptor& from, Place place) override;

 private:
  // Remembers what the events of an operation will be: SEND, and the one of `end`.
  bool owing_send_and(Moment end, bool started);

  ptl_handle_ni_t ni_;
  Initiator initiator_;
  Portals portals_;
};

}  // namespace lintel::perf::api4
