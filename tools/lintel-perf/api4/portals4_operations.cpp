#include "portals4_operations.h"

#include <portals4.h>

#include <algorithm>
#include <vector>

#include "portals4_call.h"
#include "queued_operations.h"

namespace lintel::perf {
namespace api4 {
namespace {

// Memory in descriptors that differ in what their completions count or log, one for each moment at
// the initiator; or in an entry. Owns the list of pieces, which belongs to the interface meanwhile.
class Memory final : public Attachment {
 public:
  explicit Memory(std::span<const Piece> memory) {
    for (const Piece& piece : memory) pieces_.push_back({piece.start, piece.length});
  }

  void bind(ptl_handle_ni_t ni, ptl_md_t md, Moment moment) {
    describe(md);
    check_call(PtlMDBind(ni, &md, &md_[index_of(moment)]), "PtlMDBind");
  }
  void expose(ptl_handle_ni_t ni, ptl_pt_index_t portal, ptl_me_t me) {
    describe(me);
    check_call(PtlMEAppend(ni, portal, &me, PTL_PRIORITY_LIST, nullptr, &me_), "PtlMEAppend");
  }
  // What was released before is no more, which is no reason to try again.
  bool detach() override {
    if (me_ != PTL_INVALID_HANDLE) return PtlMEUnlink(me_) != PTL_IN_USE;
    return std::none_of(md_.begin(), md_.end(),
                        [](ptl_handle_md_t md) { return PtlMDRelease(md) == PTL_IN_USE; });
  }

  static ptl_handle_md_t md(const Attachment& memory, Moment moment) {
    return static_cast<const Memory&>(memory).md_[index_of(moment)];
  }

 private:
  template <class Described>  // an MD or an ME
  void describe(Described& described) {
    const bool scattered = pieces_.size() > 1;
    described.start = scattered ? static_cast<void*>(pieces_.data()) : pieces_[0].iov_base;
    described.length = scattered ? pieces_.size() : pieces_[0].iov_len;
    if (scattered) described.options |= PTL_IOVEC;
  }

  std::vector<ptl_iovec_t> pieces_;
  std::array<ptl_handle_md_t, 3> md_{PTL_INVALID_HANDLE, PTL_INVALID_HANDLE, PTL_INVALID_HANDLE};
  ptl_handle_me_t me_ = PTL_INVALID_HANDLE;
};

struct Face {
  using Interface = ptl_handle_ni_t;
  using Queue = ptl_handle_eq_t;
  using Event = ptl_event_t;
  static constexpr int kEmpty = PTL_EQ_EMPTY;
  static constexpr int kDropped = PTL_EQ_DROPPED;
  static constexpr ptl_ni_fail_t kPeerLost = PTL_NI_UNDELIVERABLE;

  static void allocate(Interface ni, std::uint64_t capacity, Queue& queue) {
    check_call(PtlEQAlloc(ni, capacity, &queue), "PtlEQAlloc");
  }
  static void free(Queue queue) { PtlEQFree(queue); }
  static int wait(Queue queue, Event& event) { return PtlEQWait(queue, &event); }
  static int get(Queue queue, Event& event) { return PtlEQGet(queue, &event); }
  static void check(int code, const char* call) { check_call(code, call); }

  static std::optional<Moment> moment_of(ptl_event_kind_t kind) {
    switch (kind) {
      case PTL_EVENT_SEND: return Moment::kSent;
      case PTL_EVENT_ACK: return Moment::kAcked;
      case PTL_EVENT_REPLY: return Moment::kReplied;
      case PTL_EVENT_PUT: return Moment::kArrived;
      default: return std::nullopt;
    }
  }
  static std::uint32_t sequence_of(const Event&) { return 0; }  // arrivals alone are counted
  static std::string name_of_event(const Event& event) { return event_name(event.type); }
  static std::string name_of_failure(const Event& event) {
    return failure_name(event.ni_fail_type);
  }
};

// Completions by full events.
class Events : public QueuedOperations<CompletionQueue<Face>> {
 protected:
  static constexpr ptl_ack_req_t kAck = PTL_ACK_REQ;

  Events(ptl_handle_ni_t ni, const OperationsParameters& p)
      : QueuedOperations(ni, p.events, p.length, false) {}

  ptl_handle_eq_t queue() const { return queue_.handle(); }
  static void notify(ptl_me_t& me, bool counted) {
    if (!counted) me.options |= PTL_ME_EVENT_COMM_DISABLE;
  }
  void notify(ptl_md_t& md, Moment) const { md.eq_handle = queue(); }
};

// Completions by counting events and nothing else: no event queue anywhere.
//
// A counter says that operations failed, not why. Whether the peer is lost is the Watch's to find
// out, so a failure waits a moment for its word.
class Counters : public Operations {
 public:
  using Operations::wait;
  // A counter tells all there is at once, so `enough` needs no further look.
  std::uint64_t wait(Moment moment, std::uint64_t at_least, std::uint64_t) final {
    ptl_ct_event_t value{};
    const int code = PtlCTWait(counters_[index_of(moment)], at_least, &value);
    if (code != PTL_OK || value.failure != 0) [[unlikely]]
      reject(code, value);
    return taken_[index_of(moment)] = value.success;
  }
  void stop(const std::string& reason) final {
    stop_reason_.set(reason, [this] { free(); });  // waits return PTL_ABORTED
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
  static constexpr ptl_ack_req_t kAck = PTL_CT_ACK_REQ;

  Counters(ptl_handle_ni_t ni, const OperationsParameters&) : Operations(false) {
    for (ptl_handle_ct_t& counter : counters_) check_call(PtlCTAlloc(ni, &counter), "PtlCTAlloc");
  }
  ~Counters() override {
    if (!stop_reason_.is_set()) free();
  }

  static ptl_handle_eq_t queue() { return PTL_EQ_NONE; }
  void notify(ptl_me_t& me, bool counted) const {
    me.options |= PTL_ME_EVENT_SUCCESS_DISABLE | (counted ? PTL_ME_EVENT_CT_COMM : 0U);
    if (counted) me.ct_handle = counters_[index_of(Moment::kArrived)];
  }
  void notify(ptl_md_t& md, Moment moment) const {
    static constexpr std::array kCounted{PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK,
                                         PTL_MD_EVENT_CT_REPLY};  // in the order of Moment
    md.options = PTL_MD_EVENT_SUCCESS_DISABLE | kCounted[index_of(moment)];
    md.ct_handle = counters_[index_of(moment)];
  }

 private:
  void free() {
    for (const ptl_handle_ct_t counter : counters_) PtlCTFree(counter);
  }
  [[noreturn]] void reject(int code, const ptl_ct_event_t& value) {
    stop_reason_.throw_if_set(std::chrono::seconds(code == PTL_OK ? 5 : 0));
    check_call(code, "PtlCTWait");
    fail("PtlCTWait reports {} failed operations; expected none", value.failure);
  }

  std::array<ptl_handle_ct_t, kMoments> counters_{PTL_CT_NONE, PTL_CT_NONE, PTL_CT_NONE,
                                                  PTL_CT_NONE};
  StopReason stop_reason_;
};

// The operations themselves, however their completion is learnt.
template <class Completions>
class Portals4Operations final : public Completions {
 public:
  Portals4Operations(ptl_handle_ni_t ni, const OperationsParameters& p)
      : Completions(ni, p), ni_(ni), peer_{.phys = {p.peer.nid, p.peer.pid}}, length_(p.length) {}
  ~Portals4Operations() override {
    for (const ptl_pt_index_t portal : portals_) PtlPTFree(ni_, portal);
  }

  std::unique_ptr<Attachment> bind(std::span<const Piece> memory) override {
    auto bound = std::make_unique<Memory>(memory);
    try {
      for (const Moment moment : {Moment::kSent, Moment::kAcked, Moment::kReplied}) {
        ptl_md_t md{};
        md.eq_handle = PTL_EQ_NONE;
        md.ct_handle = PTL_CT_NONE;
        this->notify(md, moment);
        bound->bind(ni_, md, moment);
      }
    } catch (...) {
      static_cast<void>(bound->detach());
      throw;
    }
    return bound;
  }

  std::unique_ptr<Attachment> expose(Place place, std::span<const Piece> memory,
                                     bool counted) override {
    need_portal(place.portal);
    ptl_me_t me{};
    me.ct_handle = PTL_CT_NONE;
    me.uid = PTL_UID_ANY;
    me.options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_NO_TRUNCATE | PTL_ME_EVENT_LINK_DISABLE |
                 PTL_ME_EVENT_UNLINK_DISABLE;
    me.match_id = peer_;
    me.match_bits = place.bits;
    this->notify(me, counted);
    auto exposed = std::make_unique<Memory>(memory);
    exposed->expose(ni_, place.portal, me);
    return exposed;
  }

 private:
  bool issue(Action action, const Attachment& memory, const Attachment* operand,
             Place place) override {
    const ptl_handle_md_t md = Memory::md(memory, end_of(action));
    const auto put = [&](ptl_ack_req_t ack) {
      return started(PtlPut(md, 0, length_, ack, peer_, place.portal, place.bits, 0, nullptr, 0),
                     "PtlPut");
    };
    // A counting descriptor that a fetching operation sends from counts acks, of which there are
    // none.
    const auto sent = [&] { return Memory::md(*operand, Moment::kAcked); };
    switch (action) {
      case Action::kPut: return put(PTL_NO_ACK_REQ);
      case Action::kAckedPut: return put(Completions::kAck);
      case Action::kGet:
        return started(PtlGet(md, 0, length_, peer_, place.portal, place.bits, 0, nullptr),
                       "PtlGet");
      case Action::kSwap:
        return started(
            PtlSwap(md, 0, sent(), 0, length_, peer_, place.portal, place.bits, 0, nullptr, 0,
                    nullptr, PTL_SWAP, length_ % 8 == 0 ? PTL_UINT64_T : PTL_UINT8_T),
            "PtlSwap");
      case Action::kAdd:
        return started(PtlAtomic(md, 0, length_, Completions::kAck, peer_, place.portal, place.bits,
                                 0, nullptr, 0, PTL_SUM, PTL_UINT64_T),
                       "PtlAtomic");
      case Action::kFetchAdd: break;
    }
    return started(PtlFetchAtomic(md, 0, sent(), 0, length_, peer_, place.portal, place.bits, 0,
                                  nullptr, 0, PTL_SUM, PTL_UINT64_T),
                   "PtlFetchAtomic");
  }
  static bool started(int code, const char* call) {
    if (code == PTL_OK) [[likely]]
      return true;
    if (code != PTL_NO_SPACE) check_call(code, call);
    return false;
  }

  // Portals are allocated at their first entry.
  void need_portal(ptl_pt_index_t index) {
    if (std::find(portals_.begin(), portals_.end(), index) != portals_.end()) return;
    check_call(PtlPTAlloc(ni_, 0, this->queue(), index, &index), "PtlPTAlloc");
    portals_.push_back(index);
  }

  ptl_handle_ni_t ni_;
  ptl_process_t peer_;
  std::uint64_t length_;
  std::vector<ptl_pt_index_t> portals_;
};

void check_open(int code, const char* call) {
  if (code == PTL_OK) return;
  refuse("Portals 4: {} failed: {}; expected an interface beside that of Portals 3", call,
         code_name(code));
}

class Portals4 final : public TimedInterface {
 public:
  explicit Portals4(ProcessName self) {
    check_open(PtlInit(), "PtlInit");
    try {
      ptl_ni_limits_t limits{};
      check_open(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY,
                           nullptr, &limits, &ni_),
                 "PtlNIInit");
      limits_ = {.pieces = {static_cast<std::uint64_t>(limits.max_iovecs), "max_iovecs"},
                 .swap = {limits.max_fetch_atomic_size, "max_fetch_atomic_size"},
                 .atomic = {limits.max_atomic_size, "max_atomic_size"},
                 .fetch_atomic = {limits.max_fetch_atomic_size, "max_fetch_atomic_size"}};
      ptl_process_t id{};
      check_open(PtlGetPhysId(ni_, &id), "PtlGetPhysId");
      if (id.phys.nid != self.nid || id.phys.pid != self.pid) {
        fail("through Portals 4 this process has pid {}; expected {}, as through Portals 3",
             id.phys.pid, self.pid);
      }
    } catch (...) {
      PtlFini();
      throw;
    }
  }
  ~Portals4() override {
    if (abandoned_) return;
    PtlNIFini(ni_);
    PtlFini();
  }

  const Limits& limits() const override { return limits_; }

  // Where only arrivals matter they are counted, whatever was asked for: a queue could overflow.
  std::unique_ptr<Operations> operations(const OperationsParameters& parameters) override {
    if (parameters.notify == Notify::kCounters || parameters.only_arrivals) {
      return std::make_unique<Portals4Operations<Counters>>(ni_, parameters);
    }
    return std::make_unique<Portals4Operations<Events>>(ni_, parameters);
  }

  void abandon() override { abandoned_ = true; }

 private:
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  Limits limits_;
  bool abandoned_ = false;
};

}  // namespace
}  // namespace api4

std::unique_ptr<TimedInterface> open_portals4(ProcessName self) {
  return std::make_unique<api4::Portals4>(self);
}

}  // namespace lintel::perf
