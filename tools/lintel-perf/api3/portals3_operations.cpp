#include "portals3_operations.h"

#include <portals3.h>

#include <vector>

#include "queued_operations.h"

namespace lintel::perf {
namespace api3 {
namespace {

struct Face {
  using Interface = ptl_handle_ni_t;
  using Queue = ptl_handle_eq_t;
  using Event = ptl_event_t;
  static constexpr int kEmpty = PTL_EQ_EMPTY;
  static constexpr int kDropped = PTL_EQ_DROPPED;
  static constexpr ptl_ni_fail_t kPeerLost = PTL_NI_PEER_DEAD;

  static void allocate(Interface ni, std::uint64_t capacity, Queue& queue) {
    check_call(PtlEQAlloc(ni, capacity, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
  }
  static void free(Queue queue) { PtlEQFree(queue); }
  static int wait(Queue queue, Event& event) { return PtlEQWait(queue, &event); }
  static int get(Queue queue, Event& event) { return PtlEQGet(queue, &event); }
  static void check(int code, const char* call) { check_call(code, call); }

  static std::optional<Moment> moment_of(ptl_event_kind_t kind) {
    switch (kind) {
      case PTL_EVENT_SEND_END: return Moment::kSent;
      case PTL_EVENT_ACK: return Moment::kAcked;
      case PTL_EVENT_REPLY_END: return Moment::kReplied;
      case PTL_EVENT_PUT_END: return Moment::kArrived;
      default: return std::nullopt;
    }
  }
  static std::uint32_t sequence_of(const Event& event) { return event.sequence; }
  static const char* name_of_event(const Event& event) { return PtlEventKindStr(event.type); }
  static const char* name_of_failure(const Event& event) {
    return PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type);
  }
};

// A memory descriptor, bound or in a match entry. Owns the list of pieces, which it points to.
class Memory final : public Attachment {
 public:
  explicit Memory(std::span<const Piece> memory) {
    for (const Piece& piece : memory) pieces_.push_back({piece.start, piece.length});
  }

  void bind(ptl_handle_ni_t ni, ptl_handle_eq_t eq) {
    check_call(PtlMDBind(ni, descriptor(eq, 0), PTL_RETAIN, &md_), "PtlMDBind");
  }
  void expose(ptl_handle_ni_t ni, ptl_process_id_t peer, Place place, ptl_handle_eq_t eq) {
    check_call(PtlMEAttach(ni, place.portal, peer, place.bits, 0, PTL_UNLINK, PTL_INS_AFTER, &me_),
               "PtlMEAttach");
    const auto md = descriptor(eq, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE);
    if (const int code = PtlMDAttach(me_, md, PTL_RETAIN, nullptr); code != PTL_OK) {
      PtlMEUnlink(me_);
      check_call(code, "PtlMDAttach");
    }
  }
  bool detach() override {
    if (me_ != PTL_INVALID_HANDLE) return PtlMEUnlink(me_) != PTL_ME_IN_USE;
    return PtlMDUnlink(md_) != PTL_MD_IN_USE;
  }

  static ptl_handle_md_t md(const Attachment& memory) {
    return static_cast<const Memory&>(memory).md_;
  }

 private:
  ptl_md_t descriptor(ptl_handle_eq_t eq, unsigned options) {
    const bool scattered = pieces_.size() > 1;
    ptl_md_t md{};
    md.start = scattered ? static_cast<void*>(pieces_.data()) : pieces_[0].iov_base;
    md.length = scattered ? pieces_.size() : pieces_[0].iov_len;
    md.threshold = PTL_MD_THRESH_INF;
    md.options = options | PTL_MD_EVENT_START_DISABLE | (scattered ? PTL_MD_IOVEC : 0U);
    md.eq_handle = eq;
    return md;
  }

  std::vector<ptl_md_iovec_t> pieces_;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
  ptl_handle_me_t me_ = PTL_INVALID_HANDLE;
};

class EventOperations final : public QueuedOperations<CompletionQueue<Face>> {
 public:
  EventOperations(ptl_handle_ni_t ni, const OperationsParameters& p)
      : QueuedOperations(ni, p.events, p.length, p.only_arrivals),
        ni_(ni),
        peer_{p.peer.nid, static_cast<ptl_pid_t>(p.peer.pid)} {}

  std::unique_ptr<Attachment> bind(std::span<const Piece> memory) override {
    auto bound = std::make_unique<Memory>(memory);
    bound->bind(ni_, queue_.handle());
    return bound;
  }
  std::unique_ptr<Attachment> expose(Place place, std::span<const Piece> memory,
                                     bool counted) override {
    auto exposed = std::make_unique<Memory>(memory);
    exposed->expose(ni_, peer_, place, counted ? queue_.handle() : PTL_EQ_NONE);
    return exposed;
  }

 private:
  bool issue(Action action, const Attachment& memory, const Attachment* operand,
             Place place) override {
    const ptl_handle_md_t md = Memory::md(memory);
    const auto put = [&](ptl_ack_req_t ack) {
      return started(PtlPut(md, ack, peer_, place.portal, 0, place.bits, 0, 0), "PtlPut");
    };
    switch (action) {
      case Action::kPut: return put(PTL_NO_ACK_REQ);
      case Action::kAckedPut: return put(PTL_ACK_REQ);
      case Action::kGet:
        return started(PtlGet(md, peer_, place.portal, 0, place.bits, 0), "PtlGet");
      case Action::kSwap:
        return started(
            PtlGetPut(md, Memory::md(*operand), peer_, place.portal, 0, place.bits, 0, 0),
            "PtlGetPut");
      case Action::kAdd:
      case Action::kFetchAdd: break;
    }
    fail("an atomic operation through Portals 3, which has none; expected Portals 4");
  }
  static bool started(int code, const char* call) {
    if (code == PTL_NO_SPACE) return false;
    check_call(code, call);
    return true;
  }

  ptl_handle_ni_t ni_;
  ptl_process_id_t peer_;
};

class Portals3 final : public TimedInterface {
 public:
  explicit Portals3(const Interface& network) : ni_(network.handle()) {
    const ptl_ni_limits_t& limits = network.limits();
    limits_.pieces = {static_cast<std::uint64_t>(limits.max_md_iovecs), "max_md_iovecs"};
    limits_.swap = {static_cast<std::uint64_t>(limits.max_getput_md), "max_getput_md"};
  }
  const Limits& limits() const override { return limits_; }
  std::unique_ptr<Operations> operations(const OperationsParameters& parameters) override {
    if (parameters.notify != Notify::kEvents) {
      refuse("completion by counters through Portals 3; expected events, or Portals 4");
    }
    return std::make_unique<EventOperations>(ni_, parameters);
  }
  void abandon() override {}  // the interface is not this object's

 private:
  ptl_handle_ni_t ni_;
  Limits limits_;
};

}  // namespace
}  // namespace api3

std::unique_ptr<TimedInterface> open_portals3(const Interface& network) {
  return std::make_unique<api3::Portals3>(network);
}

}  // namespace lintel::perf
