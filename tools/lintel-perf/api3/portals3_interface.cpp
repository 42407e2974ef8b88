#include "portals3_interface.h"

#include <portals3.h>

#include "event_queue.h"
#include "failure.h"
#include "memory.h"
#include "portals_call.h"
#include "queued_operations.h"

namespace lintel::perf {
namespace api3 {
namespace {

class BoundMemory final : public Descriptor {
 public:
  BoundMemory(ptl_handle_ni_t ni, std::span<const Piece> memory, ptl_handle_eq_t eq) : memory_(memory) {
    check_call(PtlMDBind(ni, memory_.descriptor(eq, 0), PTL_RETAIN, &md_), "PtlMDBind");
  }
  bool detach() override { return PtlMDUnlink(md_) != PTL_MD_IN_USE; }
  ptl_handle_md_t md() const { return md_; }

 private:
  Memory memory_;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
};

class ExposedMemory final : public Entry {
 public:
  ExposedMemory(ptl_handle_ni_t ni, ptl_process_id_t peer, Place place, std::span<const Piece> memory, ptl_handle_eq_t eq)
      : memory_(memory) {
    check_call(PtlMEAttach(ni, place.portal, peer, place.bits, 0, PTL_UNLINK, PTL_INS_AFTER, &me_), "PtlMEAttach");
    const unsigned options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE;
    if (const int code = PtlMDAttach(me_, memory_.descriptor(eq, options), PTL_RETAIN, nullptr); code != PTL_OK) {
      PtlMEUnlink(me_);
      check_call(code, "PtlMDAttach");
    }
  }
  bool detach() override { return PtlMEUnlink(me_) != PTL_ME_IN_USE; }

 private:
  Memory memory_;
  ptl_handle_me_t me_ = PTL_INVALID_HANDLE;
};

ptl_handle_md_t md_of(const Descriptor& descriptor) { return static_cast<const BoundMemory&>(descriptor).md(); }

class EventOperations final : public QueuedOperations<EventQueue> {
 public:
  EventOperations(ptl_handle_ni_t ni, const OperationsParameters& p)
      : QueuedOperations(ni, p.events, p.length, p.only_arrivals), ni_(ni), peer_{p.peer.nid, static_cast<ptl_pid_t>(p.peer.pid)} {}

  std::unique_ptr<Descriptor> bind(std::span<const Piece> memory) override {
    return std::make_unique<BoundMemory>(ni_, memory, queue_.handle());
  }
  std::unique_ptr<Entry> expose(Place place, std::span<const Piece> memory, bool counted) override {
    return std::make_unique<ExposedMemory>(ni_, peer_, place, memory, counted ? queue_.handle() : PTL_EQ_NONE);
  }

  bool put(const Descriptor& from, Ack ack, Place place) override {
    const ptl_ack_req_t request = ack == Ack::kYes ? PTL_ACK_REQ : PTL_NO_ACK_REQ;
    if (!started(PtlPut(md_of(from), request, peer_, place.portal, 0, place.bits, 0, 0), "PtlPut")) return false;
    owe(Moment::kSent);
    if (ack == Ack::kYes) owe(Moment::kAcked);
    return true;
  }
  bool get(const Descriptor& into, Place place) override {
    if (!started(PtlGet(md_of(into), peer_, place.portal, 0, place.bits, 0), "PtlGet")) return false;
    owe(Moment::kReplied);
    return true;
  }
  bool swap(const Descriptor& into, const Descriptor& from, Place place) override {
    if (!started(PtlGetPut(md_of(into), md_of(from), peer_, place.portal, 0, place.bits, 0, 0), "PtlGetPut")) return false;
    owe(Moment::kSent);
    owe(Moment::kReplied);
    return true;
  }
  bool add(const Descriptor&, Place) override { reject_atomics(); }
  bool fetch_add(const Descriptor&, const Descriptor&, Place) override { reject_atomics(); }

 private:
  static bool started(int code, const char* call) {
    if (code == PTL_NO_SPACE) return false;
    check_call(code, call);
    return true;
  }
  [[noreturn]] static void reject_atomics() {
    throw Failure(ExitCode::kFailed, "an atomic operation through Portals 3, which has none; expected Portals 4");
  }

  ptl_handle_ni_t ni_;
  ptl_process_id_t peer_;
};

class Portals3 final : public TimedInterface {
 public:
  explicit Portals3(const Interface& network) : ni_(network.handle()) {
    limits_.pieces = {static_cast<std::uint64_t>(network.limits().max_md_iovecs), "max_md_iovecs"};
    limits_.swap = {static_cast<std::uint64_t>(network.limits().max_getput_md), "max_getput_md"};
  }
  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Operations> operations(const OperationsParameters& parameters) override {
    if (parameters.notify != Notify::kEvents)
      throw Failure(ExitCode::kUnusable, "completion by counters through Portals 3; expected events, or Portals 4");
    return std::make_unique<EventOperations>(ni_, parameters);
  }
  void abandon() override {}  // the interface is not this object's

 private:
  ptl_handle_ni_t ni_;
  Limits limits_;
};

}  // namespace
}  // namespace api3

std::unique_ptr<TimedInterface> open_portals3(const Interface& network) { return std::make_unique<api3::Portals3>(network); }

}  // namespace lintel::perf
