#include "tests/protocol4/portals4_test.h"

#include <array>

#include "tests/protocol/event_text.h"

namespace lintel::testing {
namespace {

constexpr ptl_size_t kQueueLength = 4096;

std::string name_of(ptl_event_kind_t kind) {
  constexpr std::array kNames{"GET",          "GET_OVERFLOW",
                              "PUT",          "PUT_OVERFLOW",
                              "ATOMIC",       "ATOMIC_OVERFLOW",
                              "FETCH_ATOMIC", "FETCH_ATOMIC_OVERFLOW",
                              "REPLY",        "SEND",
                              "ACK",          "PT_DISABLED",
                              "LINK",         "AUTO_UNLINK",
                              "AUTO_FREE",    "SEARCH"};
  return kind < kNames.size() ? kNames[kind] : "EVENT_" + std::to_string(kind);
}

std::string name_of_failure(ptl_ni_fail_t failure) {
  constexpr std::array kNames{
      "OK",           "UNDELIVERABLE", "DROPPED", "PT_DISABLED", "PERM_VIOLATION",
      "OP_VIOLATION", "NO_MATCH",      "SEGV"};
  return failure < kNames.size() ? kNames[failure] : "FAIL_" + std::to_string(failure);
}

std::string kind_of(const ptl_event_t& event) {
  // PTL_NI_PT_DISABLED is the only failure of this event.
  if (event.ni_fail_type == PTL_NI_OK || event.type == PTL_EVENT_PT_DISABLED)
    return name_of(event.type);
  return name_of(event.type) + "!" + name_of_failure(event.ni_fail_type);
}

std::string told_by(const ptl_event_t& event) {
  const std::string used = " " + std::to_string(event.mlength);
  const std::string offset = "@" + std::to_string(event.remote_offset);
  if (event.type == PTL_EVENT_REPLY || event.type == PTL_EVENT_ACK)
    return kind_of(event) + used + offset;
  const bool of_a_message = event.type < PTL_EVENT_REPLY ||
                            (event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_OK);
  return kind_of(event) + (of_a_message ? used + "/" + std::to_string(event.rlength) + offset : "");
}

}  // namespace

std::string kinds(const Events& events) { return join(events, kind_of); }
std::string story(const Events& events) { return join(events, told_by); }

void Portals4Test::start(const JobOptions4& options, const PortalRules& portal) {
  job.reset();
  queues_.assign(options.processes, PTL_EQ_NONE);
  job = std::make_unique<SimulatedJob4>(options);
  for (std::size_t rank = 0; options.open && rank < queues_.size(); ++rank) {
    job->as(rank);
    ASSERT_EQ(PtlEQAlloc(job->ni(), rank == 0 ? kQueueLength : portal.queue_length, &queues_[rank]),
              PTL_OK);
    ptl_pt_index_t index = PTL_PT_ANY;
    if (!portal.made) continue;
    ASSERT_EQ(PtlPTAlloc(job->ni(), portal.options, portal.quiet ? PTL_EQ_NONE : queues_[rank],
                         PTL_PT_ANY, &index),
              PTL_OK);
    ASSERT_EQ(index, kPortal);
  }
  if (!queues_.empty()) job->as(0);
}

// ---- Arrange

int Portals4Test::allocate_portal(unsigned options, ptl_pt_index_t wanted, ptl_pt_index_t& made,
                                  std::size_t rank) {
  job->as(rank);
  const int code = PtlPTAlloc(job->ni(), options, queues_[rank], wanted, &made);
  job->as(0);
  return code;
}

ptl_handle_ct_t Portals4Test::counter(std::size_t rank) {
  job->as(rank);
  ptl_handle_ct_t made = PTL_CT_NONE;
  EXPECT_EQ(PtlCTAlloc(job->ni(), &made), PTL_OK);
  job->as(0);
  return made;
}

ptl_me_t Portals4Test::me(Bytes& memory, const EntryRules& rules) const {
  ptl_me_t made;
  made.start = memory.data();
  made.length = memory.size();
  made.ct_handle = rules.counter;
  made.uid = rules.uid;
  made.options = rules.options;
  made.match_id = rules.from.value_or(job->anyone());
  made.match_bits = rules.bits;
  made.ignore_bits = rules.ignore;
  made.min_free = rules.min_free;
  return made;
}

ptl_iovec_t* Portals4Test::list_of(std::vector<Bytes>& pieces) {
  auto& list = lists_.emplace_back(std::make_unique<std::vector<ptl_iovec_t>>());
  for (Bytes& piece : pieces) list->push_back({piece.data(), piece.size()});
  return list->data();
}

ptl_me_t Portals4Test::iovec_me(std::vector<Bytes>& pieces, const EntryRules& rules) {
  Bytes none;
  ptl_me_t made = me(none, rules);
  made.start = list_of(pieces);
  made.length = pieces.size();
  made.options |= PTL_IOVEC;
  return made;
}

int Portals4Test::try_append(const ptl_me_t& me, const EntryRules& rules, ptl_handle_me_t& made,
                             std::size_t rank) {
  job->as(rank);
  int code = PTL_FAIL;
  if (job->matching()) {
    code = PtlMEAppend(job->ni(), rules.portal, &me, rules.list, rules.user, &made);
  } else {
    const ptl_le_t le{me.start, me.length, me.ct_handle, me.uid, me.options};
    code = PtlLEAppend(job->ni(), rules.portal, &le, rules.list, rules.user, &made);
  }
  job->as(0);
  return code;
}

ptl_handle_me_t Portals4Test::append(const ptl_me_t& me, const EntryRules& rules,
                                     std::size_t rank) {
  ptl_handle_me_t made = PTL_INVALID_HANDLE;
  EXPECT_EQ(try_append(me, rules, made, rank), PTL_OK);
  return made;
}

ptl_handle_me_t Portals4Test::append_overflow(Bytes& memory, EntryRules rules, std::size_t rank) {
  rules.list = PTL_OVERFLOW_LIST;
  return append(memory, rules, rank);
}

ptl_md_t Portals4Test::md(Bytes& memory, const MdRules& rules, std::size_t rank) const {
  return {memory.data(), memory.size(), rules.options, rules.quiet ? PTL_EQ_NONE : queues_[rank],
          rules.counter};
}

Md Portals4Test::bind(const ptl_md_t& md, ptl_size_t length, std::size_t rank) {
  job->as(rank);
  Md made{.length = length};
  EXPECT_EQ(PtlMDBind(job->ni(), &md, &made.handle), PTL_OK);
  job->as(0);
  return made;
}

Md Portals4Test::bind(Bytes& memory, const MdRules& rules, std::size_t rank) {
  return bind(md(memory, rules, rank), memory.size(), rank);
}

Md Portals4Test::bind_iovec(std::vector<Bytes>& pieces, const MdRules& rules, std::size_t rank) {
  Bytes none;
  ptl_md_t made = md(none, rules, rank);
  made.start = list_of(pieces);
  made.length = pieces.size();
  made.options |= PTL_IOVEC;
  ptl_size_t bytes = 0;
  for (const Bytes& piece : pieces) bytes += piece.size();
  return bind(made, bytes, rank);
}

// ---- Act

int Portals4Test::post_put(const Md& md, const Call& call, std::size_t from) {
  job->as(from);
  const ptl_size_t length = call.length.value_or(md.length);
  const ptl_process_t to = job->id(call.to);
  const int code = call.trigger
                       ? PtlTriggeredPut(md.handle, call.local, length, call.ack, to, call.portal,
                                         call.bits, call.offset, call.user, call.hdr_data,
                                         call.trigger->counter, call.trigger->threshold)
                       : PtlPut(md.handle, call.local, length, call.ack, to, call.portal, call.bits,
                                call.offset, call.user, call.hdr_data);
  job->as(0);
  return code;
}

int Portals4Test::post_get(const Md& md, const Call& call, std::size_t from) {
  job->as(from);
  const ptl_size_t length = call.length.value_or(md.length);
  const ptl_process_t to = job->id(call.to);
  const int code = call.trigger ? PtlTriggeredGet(md.handle, call.local, length, to, call.portal,
                                                  call.bits, call.offset, call.user,
                                                  call.trigger->counter, call.trigger->threshold)
                                : PtlGet(md.handle, call.local, length, to, call.portal, call.bits,
                                         call.offset, call.user);
  job->as(0);
  return code;
}

int Portals4Test::post_atomic(const Md& md, ptl_op_t op, ptl_datatype_t type, const Call& call,
                              std::size_t from) {
  job->as(from);
  const ptl_size_t length = call.length.value_or(md.length);
  const ptl_process_t to = job->id(call.to);
  const int code =
      call.trigger ? PtlTriggeredAtomic(md.handle, call.local, length, call.ack, to, call.portal,
                                        call.bits, call.offset, call.user, call.hdr_data, op, type,
                                        call.trigger->counter, call.trigger->threshold)
                   : PtlAtomic(md.handle, call.local, length, call.ack, to, call.portal, call.bits,
                               call.offset, call.user, call.hdr_data, op, type);
  job->as(0);
  return code;
}

int Portals4Test::post_fetch_atomic(const Md& get_md, const Md& put_md, ptl_op_t op,
                                    ptl_datatype_t type, const Call& call, std::size_t from) {
  job->as(from);
  const ptl_size_t length = call.length.value_or(put_md.length);
  const ptl_process_t to = job->id(call.to);
  const int code =
      call.trigger
          ? PtlTriggeredFetchAtomic(get_md.handle, call.local, put_md.handle, call.local, length,
                                    to, call.portal, call.bits, call.offset, call.user,
                                    call.hdr_data, op, type, call.trigger->counter,
                                    call.trigger->threshold)
          : PtlFetchAtomic(get_md.handle, call.local, put_md.handle, call.local, length, to,
                           call.portal, call.bits, call.offset, call.user, call.hdr_data, op, type);
  job->as(0);
  return code;
}

int Portals4Test::post_swap(const Md& get_md, const Md& put_md, const void* operand, ptl_op_t op,
                            ptl_datatype_t type, const Call& call, std::size_t from) {
  job->as(from);
  const ptl_size_t length = call.length.value_or(put_md.length);
  const ptl_process_t to = job->id(call.to);
  const int code =
      call.trigger
          ? PtlTriggeredSwap(get_md.handle, call.local, put_md.handle, call.local, length, to,
                             call.portal, call.bits, call.offset, call.user, call.hdr_data, operand,
                             op, type, call.trigger->counter, call.trigger->threshold)
          : PtlSwap(get_md.handle, call.local, put_md.handle, call.local, length, to, call.portal,
                    call.bits, call.offset, call.user, call.hdr_data, operand, op, type);
  job->as(0);
  return code;
}

void Portals4Test::put_until_landing(const Md& md, const Call& call) {
  const std::size_t before = job->landing(call.to, call.portal);
  ASSERT_EQ(post_put(md, call), PTL_OK);
  do {
    job->settle(0ns);
    if (job->landing(call.to, call.portal) > before) return;
  } while (job->network().advance_to_next());
  FAIL() << "the message was not accepted, or arrived whole";
}

int Portals4Test::search(ptl_search_op_t op, const EntryRules& rules, std::size_t rank) {
  Bytes none;
  const ptl_me_t wanted = me(none, rules);
  job->as(rank);
  int code = PTL_FAIL;
  if (job->matching()) {
    code = PtlMESearch(job->ni(), rules.portal, &wanted, op, rules.user);
  } else {
    const ptl_le_t le{wanted.start, wanted.length, wanted.ct_handle, wanted.uid, wanted.options};
    code = PtlLESearch(job->ni(), rules.portal, &le, op, rules.user);
  }
  job->settle();
  job->as(0);
  return code;
}

int Portals4Test::unlink(ptl_handle_me_t entry, std::size_t rank) {
  job->as(rank);
  const int code = job->matching() ? PtlMEUnlink(entry) : PtlLEUnlink(entry);
  job->as(0);
  return code;
}

int Portals4Test::release(const Md& md, std::size_t rank) {
  job->as(rank);
  const int code = PtlMDRelease(md.handle);
  job->as(0);
  return code;
}

int Portals4Test::enable(ptl_pt_index_t portal, std::size_t rank) {
  job->as(rank);
  const int code = PtlPTEnable(job->ni(), portal);
  job->as(0);
  return code;
}

int Portals4Test::disable(ptl_pt_index_t portal, std::size_t rank) {
  job->as(rank);
  const int code = PtlPTDisable(job->ni(), portal);
  job->as(0);
  return code;
}

int Portals4Test::free_portal(ptl_pt_index_t portal, std::size_t rank) {
  job->as(rank);
  const int code = PtlPTFree(job->ni(), portal);
  job->as(0);
  return code;
}

int Portals4Test::set_counter(ptl_handle_ct_t counter, ptl_ct_event_t value, std::size_t rank) {
  job->as(rank);
  const int code = PtlCTSet(counter, value);
  job->as(0);
  return settled(code);
}

int Portals4Test::increment(ptl_handle_ct_t counter, ptl_ct_event_t by, std::size_t rank) {
  job->as(rank);
  const int code = PtlCTInc(counter, by);
  job->as(0);
  return settled(code);
}

// ---- Expect

Events Portals4Test::take(std::size_t rank) {
  job->as(rank);
  Events events = SimulatedJob4::events(queues_[rank]);
  job->as(0);
  return events;
}

std::size_t Portals4Test::how_many(const Events& events, ptl_event_kind_t kind) {
  std::size_t count = 0;
  for (const ptl_event_t& event : events) count += event.type == kind;
  return count;
}

ptl_event_t Portals4Test::only(const Events& events, ptl_event_kind_t kind) {
  EXPECT_EQ(how_many(events, kind), 1U) << name_of(kind) << " among " << testing::kinds(events);
  for (const ptl_event_t& event : events) {
    if (event.type == kind) return event;
  }
  return {};
}

std::string Portals4Test::count(ptl_handle_ct_t counter, std::size_t rank) {
  job->as(rank);
  ptl_ct_event_t value{};
  EXPECT_EQ(PtlCTGet(counter, &value), PTL_OK);
  job->as(0);
  return std::to_string(value.success) + "+" + std::to_string(value.failure);
}

int Portals4Test::status(std::size_t rank, ptl_sr_index_t reg) {
  job->as(rank);
  const int value = job->status(reg);
  job->as(0);
  return value;
}

bool Portals4Test::alive(ptl_handle_any_t handle, std::size_t rank) {
  job->as(rank);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  const bool lives = PtlNIHandle(handle, &ni) == PTL_OK;
  job->as(0);
  return lives;
}

}  // namespace lintel::testing
