#include "event_operations.h"

#include "attachments.h"

namespace lintel::perf::api4 {

EventOperations::EventOperations(ptl_handle_ni_t ni, const OperationsParameters& p)
    : QueuedOperations(ni, p.events, p.length), ni_(ni), initiator_(p.peer, p.length), portals_(ni, queue_.handle()) {}

std::unique_ptr<Descriptor> EventOperations::bind(std::span<const Piece> memory) {
  return std::make_unique<BoundMemory>(ni_, memory, queue_.handle());
}

std::unique_ptr<Entry> EventOperations::expose(Place place, std::span<const Piece> memory, bool counted) {
  portals_.need(place.portal);
  ptl_me_t me = open_entry(initiator_.peer(), place);
  if (!counted) me.options |= PTL_ME_EVENT_COMM_DISABLE;
  return std::make_unique<ExposedMemory>(ni_, place.portal, memory, me);
}

bool EventOperations::owing_send_and(Moment end, bool started) {
  if (!started) return false;
  owe(Moment::kSent);
  owe(end);
  return true;
}

bool EventOperations::put(const Descriptor& from, Ack ack, Place place) {
  const ptl_handle_md_t md = md_of(from, Moment::kSent);
  if (ack == Ack::kYes) return owing_send_and(Moment::kAcked, initiator_.put(md, PTL_ACK_REQ, place));
  if (!initiator_.put(md, PTL_NO_ACK_REQ, place)) return false;
  owe(Moment::kSent);
  return true;
}

bool EventOperations::get(const Descriptor& into, Place place) {
  if (!initiator_.get(md_of(into, Moment::kReplied), place)) return false;
  owe(Moment::kReplied);
  return true;
}

bool EventOperations::swap(const Descriptor& into, const Descriptor& from, Place place) {
  return owing_send_and(Moment::kReplied, initiator_.swap(md_of(into, Moment::kReplied), md_of(from, Moment::kSent), place));
}

bool EventOperations::add(const Descriptor& from, Place place) {
  return owing_send_and(Moment::kAcked, initiator_.add(md_of(from, Moment::kAcked), PTL_ACK_REQ, place));
}

bool EventOperations::fetch_add(const Descriptor& into, const Descriptor& from, Place place) {
  return owing_send_and(Moment::kReplied, initiator_.fetch_add(md_of(into, Moment::kReplied), md_of(from, Moment::kSent), place));
}

}  // namespace lintel::perf::api4
