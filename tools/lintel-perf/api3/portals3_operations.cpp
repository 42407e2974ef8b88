// The measured operations through Portals 3.

#include <portals3.h>

#include "interface.h"
#include "queued_operations.h"

namespace lintel::perf {
namespace {

struct Portals3 {
  using Handle = ptl_handle_any_t;
  using EventRecord = ptl_event_t;
  using Iovec = ptl_md_iovec_t;
  static constexpr Handle kNone = PTL_INVALID_HANDLE;
  static constexpr int kEmpty = PTL_EQ_EMPTY;
  static constexpr int kDropped = PTL_EQ_DROPPED;
  static constexpr int kNoSpace = PTL_NO_SPACE;
  static constexpr unsigned kScattered = PTL_MD_IOVEC;
  static constexpr ptl_ni_fail_t kPeerLost = PTL_NI_PEER_DEAD;
  static constexpr std::array kEvents{PTL_EVENT_SEND_END, PTL_EVENT_ACK, PTL_EVENT_REPLY_END,
                                      PTL_EVENT_PUT_END};

  static Handle allocate(Handle ni, std::uint64_t capacity) {
    Handle queue{};
    check_call(PtlEQAlloc(ni, capacity, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
    return queue;
  }
  static void free(Handle queue) { PtlEQFree(queue); }
  static int wait(Handle queue, EventRecord& event) { return PtlEQWait(queue, &event); }
  static int get(Handle queue, EventRecord& event) { return PtlEQGet(queue, &event); }
  static bool unlink_finds_use(Handle entry) { return PtlMEUnlink(entry) == PTL_ME_IN_USE; }
  static bool release_finds_use(Handle descriptor) {
    return PtlMDUnlink(descriptor) == PTL_MD_IN_USE;
  }
  static void check(int code, const char* call) { check_call(code, call); }

  static std::uint32_t sequence_of(const EventRecord& event) { return event.sequence; }
  static const char* name_of_event(const EventRecord& event) { return PtlEventKindStr(event.type); }
  static const char* name_of_failure(const EventRecord& event) {
    return PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type);
  }
};

using Memory3 = ApiMemory<Portals3>;

class Operations3 final : public QueuedOperations<Portals3> {
 public:
  Operations3(ptl_handle_ni_t ni, const SideParameters& p)
      : QueuedOperations(ni, p), ni_(ni), peer_{p.peer.nid, p.peer.pid} {}

  std::unique_ptr<Attachment> bind(std::span<const MemoryPiece> memory) override {
    auto bound = std::make_unique<Memory3>(memory);
    check_call(
        PtlMDBind(ni_, bound->describe(descriptor(queue())), PTL_RETAIN, &bound->descriptors[0]),
        "PtlMDBind");
    return bound;
  }
  std::unique_ptr<Attachment> expose(std::uint64_t bits, std::span<const MemoryPiece> memory,
                                     bool counted) override {
    auto exposed = std::make_unique<Memory3>(memory);
    check_call(
        PtlMEAttach(ni_, kTimedPortal, peer_, bits, 0, PTL_UNLINK, PTL_INS_AFTER, &exposed->entry),
        "PtlMEAttach");
    const ptl_md_t md = exposed->describe(descriptor(
        counted ? queue() : PTL_EQ_NONE, PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE));
    check_call(PtlMDAttach(exposed->entry, md, PTL_RETAIN, nullptr), "PtlMDAttach");
    return exposed;
  }

 private:
  bool issue(MeasuredAction action, const Attachment& memory, const Attachment* operand,
             std::uint64_t bits) override {
    using enum MeasuredAction;
    const ptl_handle_md_t md = Memory3::descriptor_of(memory);
    const auto put = [&](ptl_ack_req_t ack) {
      return started<Portals3>(PtlPut(md, ack, peer_, kTimedPortal, 0, bits, 0, 0), "PtlPut");
    };
    switch (action) {
      case kPut: return put(PTL_NO_ACK_REQ);
      case kAckedPut: return put(PTL_ACK_REQ);
      case kGet: return started<Portals3>(PtlGet(md, peer_, kTimedPortal, 0, bits, 0), "PtlGet");
      case kSwap:
        return started<Portals3>(
            PtlGetPut(md, Memory3::descriptor_of(*operand), peer_, kTimedPortal, 0, bits, 0, 0),
            "PtlGetPut");
      case kAdd:
      case kFetchAdd: break;
    }
    fail("an atomic operation through Portals 3, which has none; expected Portals 4");
  }

  ptl_handle_ni_t ni_;
  ptl_process_id_t peer_;
};

}  // namespace

std::unique_ptr<MeasuredOperations> Portals3Interface::operations(
    const SideParameters& parameters) {
  if (parameters.notify != Notify::kEvents) {
    refuse("completion by counters through Portals 3; expected events, or Portals 4");
  }
  return std::make_unique<Operations3>(handle_, parameters);
}

}  // namespace lintel::perf
