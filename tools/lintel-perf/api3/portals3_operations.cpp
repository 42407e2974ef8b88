// The measured operations through Portals 3.

#include <portals3.h>

#include "interface.h"
#include "queued_operations.h"

namespace lintel::perf {
namespace {

struct Portals3 {
  using InterfaceHandle = ptl_handle_ni_t;
  using QueueHandle = ptl_handle_eq_t;
  using EventRecord = ptl_event_t;
  using Iovec = ptl_md_iovec_t;
  static constexpr int kEmpty = PTL_EQ_EMPTY;
  static constexpr int kDropped = PTL_EQ_DROPPED;
  static constexpr int kNoSpace = PTL_NO_SPACE;
  static constexpr unsigned kScattered = PTL_MD_IOVEC;
  static constexpr ptl_ni_fail_t kPeerLost = PTL_NI_PEER_DEAD;

  static QueueHandle allocate(InterfaceHandle ni, std::uint64_t capacity) {
    QueueHandle queue{};
    check_call(PtlEQAlloc(ni, capacity, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
    return queue;
  }
  static void free(QueueHandle queue) { PtlEQFree(queue); }
  static int wait(QueueHandle queue, EventRecord& event) { return PtlEQWait(queue, &event); }
  static int get(QueueHandle queue, EventRecord& event) { return PtlEQGet(queue, &event); }
  static void check(int code, const char* call) { check_call(code, call); }

  static std::optional<CompletionKind> kind_of(ptl_event_kind_t kind) {
    switch (kind) {
      case PTL_EVENT_SEND_END: return CompletionKind::kSend;
      case PTL_EVENT_ACK: return CompletionKind::kAck;
      case PTL_EVENT_REPLY_END: return CompletionKind::kReply;
      case PTL_EVENT_PUT_END: return CompletionKind::kPut;
      default: return std::nullopt;
    }
  }
  static std::uint32_t sequence_of(const EventRecord& event) { return event.sequence; }
  static const char* name_of_event(const EventRecord& event) { return PtlEventKindStr(event.type); }
  static const char* name_of_failure(const EventRecord& event) {
    return PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type);
  }
};

// A memory descriptor, bound or in a match entry.
class Memory3 final : public Attachment {
 public:
  explicit Memory3(std::span<const MemoryPiece> memory) : pieces_(memory) {}
  ~Memory3() override { static_cast<void>(Memory3::detach()); }

  void bind(ptl_handle_ni_t ni, ptl_handle_eq_t eq) {
    ptl_md_t md = descriptor(eq);
    pieces_.describe(md);
    check_call(PtlMDBind(ni, md, PTL_RETAIN, &md_), "PtlMDBind");
  }
  void expose(ptl_handle_ni_t ni, ptl_process_id_t peer, std::uint64_t bits, ptl_handle_eq_t eq) {
    check_call(PtlMEAttach(ni, kTimedPortal, peer, bits, 0, PTL_UNLINK, PTL_INS_AFTER, &me_),
               "PtlMEAttach");
    ptl_md_t md = descriptor(eq, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE);
    pieces_.describe(md);
    check_call(PtlMDAttach(me_, md, PTL_RETAIN, nullptr), "PtlMDAttach");
  }
  bool detach() override {
    if (me_ != PTL_INVALID_HANDLE) return PtlMEUnlink(me_) != PTL_ME_IN_USE;
    return PtlMDUnlink(md_) != PTL_MD_IN_USE;
  }

  static ptl_handle_md_t md(const Attachment& memory) {
    return static_cast<const Memory3&>(memory).md_;
  }

 private:
  PieceList<Portals3> pieces_;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
  ptl_handle_me_t me_ = PTL_INVALID_HANDLE;
};

class Operations3 final : public QueuedOperations<CompletionQueue<Portals3>> {
 public:
  Operations3(ptl_handle_ni_t ni, const OperationsParameters& p)
      : QueuedOperations(ni, p), ni_(ni), peer_{p.peer.nid, static_cast<ptl_pid_t>(p.peer.pid)} {}

  std::unique_ptr<Attachment> bind(std::span<const MemoryPiece> memory) override {
    auto bound = std::make_unique<Memory3>(memory);
    bound->bind(ni_, queue_.handle());
    return bound;
  }
  std::unique_ptr<Attachment> expose(std::uint64_t bits, std::span<const MemoryPiece> memory,
                                     bool counted) override {
    auto exposed = std::make_unique<Memory3>(memory);
    exposed->expose(ni_, peer_, bits, counted ? queue_.handle() : PTL_EQ_NONE);
    return exposed;
  }

 private:
  bool issue(MeasuredAction action, const Attachment& memory, const Attachment* operand,
             std::uint64_t bits) override {
    const ptl_handle_md_t md = Memory3::md(memory);
    const auto put = [&](ptl_ack_req_t ack) {
      return started<Portals3>(PtlPut(md, ack, peer_, kTimedPortal, 0, bits, 0, 0), "PtlPut");
    };
    switch (action) {
      case MeasuredAction::kPut: return put(PTL_NO_ACK_REQ);
      case MeasuredAction::kAckedPut: return put(PTL_ACK_REQ);
      case MeasuredAction::kGet:
        return started<Portals3>(PtlGet(md, peer_, kTimedPortal, 0, bits, 0), "PtlGet");
      case MeasuredAction::kSwap:
        return started<Portals3>(
            PtlGetPut(md, Memory3::md(*operand), peer_, kTimedPortal, 0, bits, 0, 0), "PtlGetPut");
      case MeasuredAction::kAdd:
      case MeasuredAction::kFetchAdd: break;
    }
    fail("an atomic operation through Portals 3, which has none; expected Portals 4");
  }

  ptl_handle_ni_t ni_;
  ptl_process_id_t peer_;
};

}  // namespace

std::unique_ptr<MeasuredOperations> Portals3Interface::operations(
    const OperationsParameters& parameters) {
  if (parameters.notify != Notify::kEvents) {
    refuse("completion by counters through Portals 3; expected events, or Portals 4");
  }
  return std::make_unique<Operations3>(handle_, parameters);
}

}  // namespace lintel::perf
