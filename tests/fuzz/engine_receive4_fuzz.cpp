// libFuzzer entry: a hostile network (engine_fuzz.h) into a process of Portals 4 with a matching
// and a non-matching interface: priority and overflow entries, counters with triggered operations,
// a disabled portal, one with flow control and a short queue, one with few unexpected headers and
// no queue.
//
// Checks that, when all peers are gone, no operation, no registered memory and no object is left,
// no portal has anything under way, every entry can be unlinked, and every portal freed.

#include <array>
#include <vector>

#include "portals/api4/handle.h"
#include "portals4.h"
#include "tests/fuzz/engine_fuzz.h"

namespace {

using namespace lintel;
using namespace lintel::testing;

enum Place : ptl_pt_index_t { kEntries, kFlowControlled, kDisabled, kScarce, kStrict, kPlaces };

constexpr ptl_process_t anyone() {
  ptl_process_t any{};
  any.phys = {PTL_NID_ANY, PTL_PID_ANY};
  return any;
}

ptl_process_t name_of(const ProcessId& process) {
  ptl_process_t name;
  name.phys = {process.nid.value, process.pid.value};
  return name;
}

constexpr unsigned kPut = PTL_ME_OP_PUT;
constexpr unsigned kBoth = PTL_ME_OP_PUT | PTL_ME_OP_GET;
constexpr unsigned kCounted = PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW;

// One interface with its objects.
struct Interface {
  unsigned options = 0;
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  ptl_handle_eq_t queue = PTL_EQ_NONE;
  ptl_handle_eq_t short_queue = PTL_EQ_NONE;
  std::array<ptl_handle_ct_t, 3> counters{};
  std::vector<ptl_handle_md_t> sources{};
  std::vector<ptl_handle_me_t> entries{};

  bool matching() const { return (options & PTL_NI_MATCHING) != 0; }
};

class Fuzz final : public EngineFuzz {
 public:
  Fuzz(const std::uint8_t* data, std::size_t size);
  ~Fuzz() override { PtlFini(); }

 private:
  wire::MessageKind request_kind(unsigned command, std::uint8_t shape) override;
  void aim(wire::Request& request) override;
  void call() override;
  void finish() override;

  void open(Interface& interface);
  int append(Interface& interface, Place place, ptl_list_t list, unsigned options,
             ptl_match_bits_t bits, ptl_match_bits_t ignored, ptl_size_t length,
             ptl_size_t min_free = 0);
  void bind(Interface& interface, std::size_t which);
  void start(Interface& interface, std::uint8_t choice);
  int search(Interface& interface, Place place, ptl_search_op_t how, unsigned options,
             ptl_match_bits_t bits, ptl_match_bits_t ignored);
  int unlink(const Interface& interface, ptl_handle_me_t entry) {
    return interface.matching() ? PtlMEUnlink(entry) : PtlLEUnlink(entry);
  }
  void expect_nothing_left(Interface& interface);
  Interface& pick_interface() { return interfaces_[input_.byte() % interfaces_.size()]; }

  std::array<Interface, 2> interfaces_{
      {{PTL_NI_MATCHING | PTL_NI_PHYSICAL}, {PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL}}};
  std::vector<ptl_iovec_t> pieces_;
};

Fuzz::Fuzz(const std::uint8_t* data, std::size_t size) : EngineFuzz(data, size, 64) {
  for (std::size_t place = 0; place + 700 < kMemory; place += 1400)
    pieces_.push_back({memory_.data() + place, 700 - place % 512});
  require(PtlInit() == PTL_OK);
  PtlAbort();  // calls that would wait return
  for (Interface& interface : interfaces_) open(interface);
}

void Fuzz::open(Interface& interface) {
  ptl_ni_limits_t limits{};
  limits.max_unexpected_headers = 6;
  limits.max_triggered_ops = 16;
  limits.max_entries = limits.max_mds = 128;
  require(PtlNIInit(PTL_IFACE_DEFAULT, interface.options, PTL_PID_ANY, &limits, nullptr,
                    &interface.ni) == PTL_OK);
  require(PtlEQAlloc(interface.ni, 8, &interface.queue) == PTL_OK);
  require(PtlEQAlloc(interface.ni, 2, &interface.short_queue) == PTL_OK);
  for (ptl_handle_ct_t& counter : interface.counters)
    require(PtlCTAlloc(interface.ni, &counter) == PTL_OK);
  for (ptl_pt_index_t place = 0; place < kPlaces; ++place) {
    const unsigned options = place == kFlowControlled ? PTL_PT_FLOWCTRL
                             : place == kDisabled     ? PTL_PT_ALLOC_DISABLED
                                                      : 0;
    const ptl_handle_eq_t queue = place == kFlowControlled ? interface.short_queue
                                  : place == kScarce       ? PTL_EQ_NONE
                                                           : interface.queue;
    ptl_pt_index_t made = PTL_PT_ANY;
    require(PtlPTAlloc(interface.ni, options, queue, place, &made) == PTL_OK);
  }
  // On the non-matching interface the first entry takes every message until it is used up.
  const unsigned matching =
      interface.matching()
          ? ~0U
          : ~(PTL_ME_MANAGE_LOCAL | PTL_ME_NO_TRUNCATE | PTL_ME_LOCAL_INC_UH_RLENGTH);
  const auto add = [&](Place place, ptl_list_t list, unsigned options, ptl_match_bits_t bits,
                       ptl_match_bits_t ignored, ptl_size_t length, ptl_size_t min_free = 0) {
    require(append(interface, place, list, options & matching, bits, ignored, length, min_free) ==
            PTL_OK);
  };
  add(kEntries, PTL_PRIORITY_LIST, kBoth | PTL_ME_USE_ONCE | kCounted, 4, 0, kMemory);
  if (interface.matching()) {
    add(kEntries, PTL_PRIORITY_LIST, kBoth | kCounted, 1, 0, kMemory);
    add(kEntries, PTL_PRIORITY_LIST, kBoth | PTL_ME_NO_TRUNCATE, 2, 0, kMemory / 2);
    add(kEntries, PTL_PRIORITY_LIST, kBoth | PTL_IOVEC | PTL_ME_EVENT_CT_BYTES | kCounted, 3, 0, 0);
    add(kEntries, PTL_PRIORITY_LIST, kBoth | PTL_ME_MANAGE_LOCAL, 5, 0, kMemory, 512);
  }
  for (const Place place : {kEntries, kFlowControlled, kDisabled, kScarce}) {
    add(place, PTL_OVERFLOW_LIST, kBoth | PTL_ME_MANAGE_LOCAL | PTL_ME_USE_ONCE, 0, 3, 700);
    add(place, PTL_OVERFLOW_LIST, kBoth | PTL_ME_MANAGE_LOCAL | kCounted, 0, 7, 2048, 256);
    add(place, PTL_OVERFLOW_LIST, kBoth | PTL_ME_UNEXPECTED_HDR_DISABLE, 0, ~ptl_match_bits_t{0},
        kMemory);
  }
  add(kStrict, PTL_PRIORITY_LIST, kPut, 0, 3, 64);
  for (std::size_t which = 0; which < 4; ++which) {
    interface.sources.push_back(PTL_INVALID_HANDLE);
    bind(interface, which);
  }
}

int Fuzz::append(Interface& interface, Place place, ptl_list_t list, unsigned options,
                 ptl_match_bits_t bits, ptl_match_bits_t ignored, ptl_size_t length,
                 ptl_size_t min_free) {
  const bool scattered = (options & PTL_IOVEC) != 0;
  const ptl_uid_t uid = place == kStrict ? 1000 : PTL_UID_ANY;
  void* const start = scattered ? static_cast<void*>(pieces_.data()) : memory_.data();
  const ptl_me_t me{start,
                    scattered ? pieces_.size() : length,
                    interface.counters[0],
                    uid,
                    options,
                    anyone(),
                    bits,
                    ignored,
                    min_free};
  const ptl_le_t le{me.start, me.length, me.ct_handle, me.uid, me.options};
  ptl_handle_me_t made = PTL_INVALID_HANDLE;
  const int code = interface.matching()
                       ? PtlMEAppend(interface.ni, place, &me, list, nullptr, &made)
                       : PtlLEAppend(interface.ni, place, &le, list, nullptr, &made);
  if (code == PTL_OK) interface.entries.push_back(made);
  return code;
}

// MDs of a few bytes, of many bytes, in pieces, and one without events that is volatile.
void Fuzz::bind(Interface& interface, std::size_t which) {
  const unsigned counts = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
  const ptl_md_t mds[] = {
      {memory_.data() + 64, 16, counts, interface.queue, interface.counters[1]},
      {memory_.data() + 64, 4000, counts | PTL_MD_EVENT_CT_BYTES, interface.queue,
       interface.counters[2]},
      {pieces_.data(), pieces_.size(), PTL_IOVEC, interface.queue, PTL_CT_NONE},
      {memory_.data(), 4000, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_VOLATILE | counts, PTL_EQ_NONE,
       interface.counters[0]},
  };
  require(PtlMDBind(interface.ni, &mds[which], &interface.sources[which]) == PTL_OK);
}

wire::MessageKind Fuzz::request_kind(unsigned command, std::uint8_t shape) {
  if (command == 1) return wire::MessageKind::kPut;
  if (command == 2) return wire::MessageKind::kGet;
  switch ((shape ^ input_.byte()) % 3) {
    case 0: return wire::MessageKind::kAtomic;
    case 1: return wire::MessageKind::kFetchAtomic;
    default: return wire::MessageKind::kSwap;
  }
}

void Fuzz::aim(wire::Request& request) {
  const std::uint8_t choice = input_.byte();
  // Sometimes an interface that is not open, or that of Portals 3.
  request.header.interface_kind =
      choice >= 250 ? choice % 5
                    : api4::engine_kind(api4::number_for(interfaces_[choice % 2].options));
  request.portal_index = choice / 2 % kPlaces;
  request.header_data = choice;
}

// Starts an operation, at once or as a triggered one.
void Fuzz::start(Interface& interface, std::uint8_t choice) {
  const ptl_handle_md_t md = interface.sources[choice / 8U % interface.sources.size()];
  const ptl_handle_md_t small = interface.sources[0];
  const ptl_process_t target = name_of(kPeers[choice & 1]);
  const auto ack = static_cast<ptl_ack_req_t>(input_.byte() % 5);
  const std::uint8_t when = input_.byte();
  const ptl_handle_ct_t counter = interface.counters[when % 3];
  const ptl_size_t threshold = when / 8U;
  const bool now = (when & 4) != 0;
  const ptl_size_t length = std::array<ptl_size_t, 5>{0, 8, 16, 300, 4000}[ack % 5];
  const std::uint64_t operand[4] = {1, 2, 3, 4};
  const auto op = static_cast<ptl_op_t>(when % (PTL_OP_LAST + 1));
  const auto type = static_cast<ptl_datatype_t>(when / 16U);
  switch (choice % 5) {
    case 0:
      static_cast<void>(now ? PtlPut(md, 0, length, ack, target, 0, 1, 0, nullptr, 9)
                            : PtlTriggeredPut(md, 0, length, ack, target, 0, 1, 0, nullptr, 9,
                                              counter, threshold));
      break;
    case 1:
      static_cast<void>(
          now ? PtlGet(md, 0, length, target, 0, 1, 0, nullptr)
              : PtlTriggeredGet(md, 0, length, target, 0, 1, 0, nullptr, counter, threshold));
      break;
    case 2:
      static_cast<void>(now ? PtlAtomic(md, 0, length, ack, target, 0, 1, 0, nullptr, 9, op, type)
                            : PtlTriggeredAtomic(md, 0, 8, ack, target, 0, 1, 0, nullptr, 9,
                                                 PTL_SUM, PTL_INT64_T, counter, threshold));
      break;
    case 3:
      static_cast<void>(
          now ? PtlFetchAtomic(md, 0, small, 0, 16, target, 0, 1, 0, nullptr, 9, op, type)
              : PtlTriggeredFetchAtomic(md, 0, small, 0, 8, target, 0, 1, 0, nullptr, 9, PTL_SUM,
                                        PTL_INT64_T, counter, threshold));
      break;
    default:
      static_cast<void>(
          now ? PtlSwap(md, 0, small, 0, 8, target, 0, 1, 0, nullptr, 9, operand, op, type)
              : PtlTriggeredSwap(md, 0, small, 0, 8, target, 0, 1, 0, nullptr, 9, operand,
                                 PTL_CSWAP, PTL_INT64_T, counter, threshold));
      break;
  }
}

int Fuzz::search(Interface& interface, Place place, ptl_search_op_t how, unsigned options,
                 ptl_match_bits_t bits, ptl_match_bits_t ignored) {
  const ptl_me_t me{
      nullptr, 0, interface.counters[0], PTL_UID_ANY, options | kCounted, anyone(), bits,
      ignored, 0};
  const ptl_le_t le{me.start, me.length, me.ct_handle, me.uid, me.options};
  return interface.matching() ? PtlMESearch(interface.ni, place, &me, how, nullptr)
                              : PtlLESearch(interface.ni, place, &le, how, nullptr);
}

void Fuzz::call() {
  Interface& interface = pick_interface();
  const std::uint8_t choice = input_.byte();
  const auto place = static_cast<Place>(choice / 16U % kPlaces);
  const ptl_handle_ct_t counter = interface.counters[choice / 16U % 3];
  const ptl_handle_ct_t other = interface.counters[choice / 64U % 3];
  ptl_event_t event;
  switch (choice % 12) {
    case 0:
    case 1:
    case 2: return start(interface, input_.byte());
    case 3:
      for (const ptl_handle_eq_t queue : {interface.queue, interface.short_queue}) {
        while (PtlEQGet(queue, &event) != PTL_EQ_EMPTY) {
        }
      }
      return;
    case 4: {
      const std::uint8_t how = input_.byte();
      const unsigned options = ((how & 1) != 0 ? PTL_ME_USE_ONCE : 0U) | kBoth | kCounted;
      const ptl_list_t list = (how & 2) != 0 ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST;
      static_cast<void>(
          append(interface, place, list, options, choice % 8, (how & 4) != 0 ? 7 : 0, 600));
      return;
    }
    case 5: {
      const unsigned local =
          interface.matching() ? PTL_ME_MANAGE_LOCAL | PTL_ME_LOCAL_INC_UH_RLENGTH : 0U;
      static_cast<void>(
          append(interface, place, PTL_PRIORITY_LIST, kBoth | local, choice % 8, 7, 1000, 300));
      return;
    }
    case 6:
      static_cast<void>(search(interface, place, choice / 64U % 2,
                               kBoth | (choice >= 128 ? PTL_ME_USE_ONCE : 0U), choice % 8, 7));
      return;
    case 7:
      if (!interface.entries.empty())
        static_cast<void>(
            unlink(interface, interface.entries[input_.byte() % interface.entries.size()]));
      return;
    case 8: static_cast<void>(PtlPTEnable(interface.ni, place)); return;
    case 9:
      static_cast<void>(choice >= 128 ? PtlCTSet(counter, {choice, 0}) : PtlCTInc(counter, {1, 0}));
      return;
    case 10:
      static_cast<void>(choice >= 128
                            ? PtlTriggeredCTSet(other, {choice, 0}, counter, input_.byte())
                            : PtlTriggeredCTInc(other, {1, 0}, counter, input_.byte()));
      return;
    default: {
      const std::size_t which = choice / 16U % interface.sources.size();
      if (PtlMDRelease(interface.sources[which]) == PTL_OK) bind(interface, which);
      return;
    }
  }
}

void Fuzz::finish() {
  poll();
  for (Interface& interface : interfaces_) {
    // Operations that wait for a counter would start when others fail.
    for (const ptl_handle_ct_t counter : interface.counters)
      require(PtlCTCancelTriggered(counter) == PTL_OK);
  }
  lose_all_peers();
  for (Interface& interface : interfaces_) expect_nothing_left(interface);
}

void Fuzz::expect_nothing_left(Interface& interface) {
  for (ptl_pt_index_t place = 0; place < kPlaces; ++place) {
    const MutexLock lock(process_.lock());
    require(process_.interface(api4::engine_kind(api4::number_for(interface.options)))
                ->portals.quiet(place));
  }
  for (ptl_pt_index_t place = 0; place < kPlaces; ++place) {
    require(search(interface, static_cast<Place>(place), PTL_SEARCH_DELETE, kBoth, 0,
                   ~ptl_match_bits_t{0}) == PTL_OK);
  }
  for (const ptl_handle_me_t entry : interface.entries) {
    const int code = unlink(interface, entry);
    require(code == PTL_OK || code == PTL_ARG_INVALID);  // no longer in use
  }
  for (ptl_pt_index_t place = 0; place < kPlaces; ++place)
    require(PtlPTFree(interface.ni, place) == PTL_OK);
  for (const ptl_handle_md_t md : interface.sources) require(PtlMDRelease(md) == PTL_OK);
  for (const ptl_handle_ct_t counter : interface.counters) require(PtlCTFree(counter) == PTL_OK);
  require(PtlEQFree(interface.queue) == PTL_OK);
  require(PtlEQFree(interface.short_queue) == PTL_OK);
  const MutexLock lock(process_.lock());
  const portals::NetworkInterface& left =
      *process_.interface(api4::engine_kind(api4::number_for(interface.options)));
  require(left.entries.size() == 0 && left.descriptors.size() == 0 && left.events.size() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz(data, size).run();
  return 0;
}
