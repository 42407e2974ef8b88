// The measured operations through Portals 4.

#include <portals4.h>

#include "api4/matching_interface.h"
#include "queued_operations.h"

namespace lintel::perf {
namespace {

using namespace api4;

struct Portals4 {
  using Handle = ptl_handle_any_t;
  using EventRecord = ptl_event_t;
  using Iovec = ptl_iovec_t;
  static constexpr Handle kNone = PTL_INVALID_HANDLE;
  static constexpr int kEmpty = PTL_EQ_EMPTY;
  static constexpr int kDropped = PTL_EQ_DROPPED;
  static constexpr int kNoSpace = PTL_NO_SPACE;
  static constexpr unsigned kScattered = PTL_IOVEC;
  static constexpr ptl_ni_fail_t kPeerLost = PTL_NI_UNDELIVERABLE;
  static constexpr std::array kEvents{PTL_EVENT_SEND, PTL_EVENT_ACK, PTL_EVENT_REPLY,
                                      PTL_EVENT_PUT};

  static Handle allocate(Handle ni, std::uint64_t capacity) {
    Handle queue{};
    check_call(PtlEQAlloc(ni, capacity, &queue), "PtlEQAlloc");
    return queue;
  }
  static void free(Handle queue) { PtlEQFree(queue); }
  static int wait(Handle queue, EventRecord& event) { return PtlEQWait(queue, &event); }
  static int get(Handle queue, EventRecord& event) { return PtlEQGet(queue, &event); }
  static bool unlink_finds_use(Handle entry) { return PtlMEUnlink(entry) == PTL_IN_USE; }
  static bool release_finds_use(Handle descriptor) {
    return PtlMDRelease(descriptor) == PTL_IN_USE;
  }
  static void check(int code, const char* call) { check_call(code, call); }

  static std::uint32_t sequence_of(const EventRecord&) { return 0; }  // arrivals alone are counted
  static std::string name_of_event(const EventRecord& event) { return event_name(event.type); }
  static std::string name_of_failure(const EventRecord& event) {
    return failure_name(event.ni_fail_type);
  }
};

// Its descriptors differ in what their completions count or log.
using Memory4 = ApiMemory<Portals4>;

// Operations whose completions are counted by counting events, one for each kind. They tell that
// operations failed, not why: PairPeer finds out whether the peer is lost, so a failure waits a
// while for its reason.
class CountedOperations : public MeasuredOperations {
 public:
  // A counter tells all there is at once, so `enough` needs no further look.
  std::uint64_t wait(CompletionKind kind, std::uint64_t at_least, std::uint64_t) final {
    ptl_ct_event_t value{};
    const int code = PtlCTWait(counters_[index_of(kind)], at_least, &value);
    if (code != PTL_OK || value.failure != 0) [[unlikely]] {
      stop_reason_.throw_if_set(std::chrono::seconds(code == PTL_OK ? 5 : 0));
      check_call(code, "PtlCTWait");
      fail("PtlCTWait reports {} failed operations; expected none", value.failure);
    }
    return taken_[index_of(kind)] = value.success;
  }
  std::uint64_t seen() const final {
    std::uint64_t successes = 0;
    for (const ptl_handle_ct_t counter : counters_) {
      ptl_ct_event_t value{};
      if (PtlCTGet(counter, &value) == PTL_OK) successes += value.success;
    }
    return successes;
  }

 protected:
  CountedOperations(ptl_handle_ni_t ni, const SideParameters&) : MeasuredOperations(false) {
    for (ptl_handle_ct_t& counter : counters_) check_call(PtlCTAlloc(ni, &counter), "PtlCTAlloc");
  }
  ~CountedOperations() override {
    if (!stop_reason_.is_set()) CountedOperations::end_waits();
  }

  static ptl_handle_eq_t queue() { return PTL_EQ_NONE; }
  ptl_handle_ct_t counter(CompletionKind kind) const { return counters_[index_of(kind)]; }

 private:
  void end_waits() final {  // they return PTL_ABORTED
    for (const ptl_handle_ct_t counter : counters_) PtlCTFree(counter);
  }

  std::array<ptl_handle_ct_t, kEventKinds> counters_{};
};

template <class Completions>  // QueuedOperations<Portals4> or CountedOperations
class Operations4 final : public Completions {
 public:
  Operations4(ptl_handle_ni_t ni, const SideParameters& p)
      : Completions(ni, p), ni_(ni), peer_{.phys = {p.peer.nid, p.peer.pid}}, length_(p.size) {
    check_call(PtlPTAlloc(ni, 0, this->queue(), kTimedPortal, &portal_), "PtlPTAlloc");
  }
  ~Operations4() override { PtlPTFree(ni_, portal_); }

  std::unique_ptr<Attachment> bind(std::span<const MemoryPiece> memory) override {
    auto bound = std::make_unique<Memory4>(memory);
    for (const CompletionKind kind :
         {CompletionKind::kSend, CompletionKind::kAck, CompletionKind::kReply}) {
      ptl_md_t md{nullptr, 0, 0, this->queue(), PTL_CT_NONE};
      if constexpr (kCounts) {
        static constexpr std::array kCounted{PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK,
                                             PTL_MD_EVENT_CT_REPLY};  // in that order
        md.options = PTL_MD_EVENT_SUCCESS_DISABLE | kCounted[index_of(kind)];
        md.ct_handle = this->counter(kind);
      }
      md = bound->describe(md);
      check_call(PtlMDBind(ni_, &md, &bound->descriptors[index_of(kind)]), "PtlMDBind");
    }
    return bound;
  }

  std::unique_ptr<Attachment> expose(std::uint64_t bits, std::span<const MemoryPiece> memory,
                                     bool counted) override {
    ptl_me_t me{};
    me.ct_handle = PTL_CT_NONE;
    me.uid = PTL_UID_ANY;
    me.options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_NO_TRUNCATE | PTL_ME_EVENT_LINK_DISABLE |
                 PTL_ME_EVENT_UNLINK_DISABLE;
    me.match_id = peer_;
    me.match_bits = bits;
    if (!counted) {
      me.options |= PTL_ME_EVENT_COMM_DISABLE;
    } else if constexpr (kCounts) {
      me.options |= PTL_ME_EVENT_SUCCESS_DISABLE | PTL_ME_EVENT_CT_COMM;
      me.ct_handle = this->counter(CompletionKind::kPut);
    }
    auto exposed = std::make_unique<Memory4>(memory);
    me = exposed->describe(me);
    check_call(PtlMEAppend(ni_, kTimedPortal, &me, PTL_PRIORITY_LIST, nullptr, &exposed->entry),
               "PtlMEAppend");
    return exposed;
  }

 private:
  static constexpr bool kCounts = std::is_same_v<Completions, CountedOperations>;
  static constexpr ptl_ack_req_t kAck = kCounts ? PTL_CT_ACK_REQ : PTL_ACK_REQ;

  bool issue(MeasuredAction action, const Attachment& memory, const Attachment* operand,
             std::uint64_t bits) override {
    using enum MeasuredAction;
    const ptl_handle_md_t md = Memory4::descriptor_of(memory, end_of(action));
    const auto put = [&](ptl_ack_req_t ack) {
      return started<Portals4>(
          PtlPut(md, 0, length_, ack, peer_, kTimedPortal, bits, 0, nullptr, 0), "PtlPut");
    };
    // A counting descriptor that a fetching operation sends from counts acks, of which there are
    // none.
    const auto sent = [&] { return Memory4::descriptor_of(*operand, CompletionKind::kAck); };
    switch (action) {
      case kPut: return put(PTL_NO_ACK_REQ);
      case kAckedPut: return put(kAck);
      case kGet:
        return started<Portals4>(PtlGet(md, 0, length_, peer_, kTimedPortal, bits, 0, nullptr),
                                 "PtlGet");
      case kSwap:
        return started<Portals4>(
            PtlSwap(md, 0, sent(), 0, length_, peer_, kTimedPortal, bits, 0, nullptr, 0, nullptr,
                    PTL_SWAP, length_ % 8 == 0 ? PTL_UINT64_T : PTL_UINT8_T),
            "PtlSwap");
      case kAdd:
        return started<Portals4>(PtlAtomic(md, 0, length_, kAck, peer_, kTimedPortal, bits, 0,
                                           nullptr, 0, PTL_SUM, PTL_UINT64_T),
                                 "PtlAtomic");
      case kFetchAdd: break;
    }
    return started<Portals4>(PtlFetchAtomic(md, 0, sent(), 0, length_, peer_, kTimedPortal, bits, 0,
                                            nullptr, 0, PTL_SUM, PTL_UINT64_T),
                             "PtlFetchAtomic");
  }

  ptl_handle_ni_t ni_;
  ptl_process_t peer_;
  std::uint64_t length_;
  ptl_pt_index_t portal_ = 0;
};

constexpr const char* kExpected = "an interface beside that of Portals 3";

class TimedInterface4 final : public TimedInterface {
 public:
  explicit TimedInterface4(ProcessName self)
      : interface_(PTL_NI_PHYSICAL, "Portals 4: ", kExpected, kExpected) {
    using enum MeasuredAction;
    const ptl_ni_limits_t& limits = interface_.limits();
    limits_ = {.pieces = {static_cast<std::uint64_t>(limits.max_iovecs), "max_iovecs"},
               .bytes = {{kSwap, {limits.max_fetch_atomic_size, "max_fetch_atomic_size"}},
                         {kAdd, {limits.max_atomic_size, "max_atomic_size"}},
                         {kFetchAdd, {limits.max_fetch_atomic_size, "max_fetch_atomic_size"}}}};
    const auto& id = interface_.id().phys;
    if (id.nid != self.nid || id.pid != self.pid) {
      fail("through Portals 4 this process has pid {}; expected {}, as through Portals 3", id.pid,
           self.pid);
    }
  }
  // Where only arrivals matter they are counted, whatever was asked for: a queue could overflow.
  std::unique_ptr<MeasuredOperations> operations(const SideParameters& parameters) override {
    if (parameters.notify == Notify::kCounters || parameters.only_arrivals()) {
      return std::make_unique<Operations4<CountedOperations>>(interface_.handle(), parameters);
    }
    return std::make_unique<Operations4<QueuedOperations<Portals4>>>(interface_.handle(),
                                                                     parameters);
  }

 private:
  MatchingInterface interface_;
};

}  // namespace

std::unique_ptr<TimedInterface> open_portals4(ProcessName self) {
  return std::make_unique<TimedInterface4>(self);
}

}  // namespace lintel::perf
