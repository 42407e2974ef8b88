#include "tests/protocol/protocol_test.h"

#include <string_view>

#include "tests/protocol/event_text.h"

namespace lintel::testing {
namespace {

constexpr ptl_size_t kQueueLength = 4096;

std::string kind_of(const ptl_event_t& event) {
  std::string text =
      std::string(PtlEventKindStr(event.type)).substr(std::string_view("PTL_EVENT_").size());
  if (event.ni_fail_type == PTL_NI_OK) return text;
  const std::string failure = PtlNIFailStr(PTL_INVALID_HANDLE, event.ni_fail_type);
  return text + "!" + failure.substr(7, failure.find(':') - 7);
}

}  // namespace

std::string kinds(const Events& events) { return join(events, kind_of); }

std::string story(const Events& events) {
  return join(events, [](const ptl_event_t& event) {
    if (event.type == PTL_EVENT_UNLINK) return kind_of(event);
    return kind_of(event) + " " + std::to_string(event.mlength) + "/" +
           std::to_string(event.rlength) + "@" + std::to_string(event.offset);
  });
}

void ProtocolTest::start(JobOptions options) {
  job.reset();
  queues_.assign(options.processes, PTL_EQ_NONE);
  const bool open = options.open;
  job = std::make_unique<SimulatedJob>(options);
  for (std::size_t rank = 0; open && rank < queues_.size(); ++rank) {
    job->as(rank);
    ASSERT_EQ(PtlEQAlloc(job->ni(), kQueueLength, PTL_EQ_HANDLER_NONE, &queues_[rank]), PTL_OK);
  }
  if (!queues_.empty()) job->as(0);
}

ptl_handle_me_t ProtocolTest::entry(const EntryRules& rules, std::size_t rank) {
  job->as(rank);
  ptl_handle_me_t me = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlMEAttach(job->ni(), rules.portal, rules.from, rules.bits, rules.ignore, rules.unlink,
                        rules.position, &me),
            PTL_OK);
  job->as(0);
  return me;
}

ptl_md_t ProtocolTest::md(Bytes& memory, const MdRules& rules, std::size_t rank) const {
  return {memory.data(),
          memory.size(),
          rules.threshold,
          rules.max_size,
          rules.options,
          rules.user,
          rules.quiet ? PTL_EQ_NONE : queues_[rank]};
}

ptl_md_t ProtocolTest::iovec_md(std::vector<Bytes>& pieces, const MdRules& rules,
                                std::size_t rank) {
  auto& list = lists_.emplace_back(std::make_unique<std::vector<ptl_md_iovec_t>>());
  for (Bytes& piece : pieces) list->push_back({piece.data(), piece.size()});
  Bytes none;
  ptl_md_t made = md(none, rules, rank);
  made.start = list->data();
  made.length = list->size();
  made.options |= PTL_MD_IOVEC;
  return made;
}

Entry ProtocolTest::attach(const ptl_md_t& md, const EntryRules& rules, ptl_unlink_t unlink,
                           std::size_t rank) {
  Entry made{entry(rules, rank)};
  job->as(rank);
  EXPECT_EQ(PtlMDAttach(made.me, md, unlink, &made.md), PTL_OK);
  job->as(0);
  return made;
}

Entry ProtocolTest::target(Bytes& memory, const MdRules& rules, const EntryRules& entry,
                           std::size_t rank) {
  return attach(md(memory, rules, rank), entry, rules.unlink, rank);
}

ptl_handle_md_t ProtocolTest::bind(const ptl_md_t& md, ptl_unlink_t unlink, std::size_t rank) {
  job->as(rank);
  ptl_handle_md_t made = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlMDBind(job->ni(), md, unlink, &made), PTL_OK);
  job->as(0);
  return made;
}

ptl_handle_md_t ProtocolTest::source(Bytes& memory, const MdRules& rules, std::size_t rank) {
  return bind(md(memory, rules, rank), rules.unlink, rank);
}

int ProtocolTest::post_put(ptl_handle_md_t md, const Call& call, std::size_t from) {
  job->as(from);
  const int code = PtlPut(md, call.ack ? PTL_ACK_REQ : PTL_NO_ACK_REQ, job->id(call.to),
                          call.portal, call.cookie, call.bits, call.offset, call.hdr_data);
  job->as(0);
  return code;
}

int ProtocolTest::post_get(ptl_handle_md_t md, const Call& call, std::size_t from) {
  job->as(from);
  const int code = PtlGet(md, job->id(call.to), call.portal, call.cookie, call.bits, call.offset);
  job->as(0);
  return code;
}

int ProtocolTest::put(ptl_handle_md_t md, const Call& call, std::size_t from) {
  const int code = post_put(md, call, from);
  job->settle();
  return code;
}

int ProtocolTest::get(ptl_handle_md_t md, const Call& call, std::size_t from) {
  const int code = post_get(md, call, from);
  job->settle();
  return code;
}

int ProtocolTest::get_put(ptl_handle_md_t to, ptl_handle_md_t out, const Call& call,
                          std::size_t from) {
  job->as(from);
  const int code = PtlGetPut(to, out, job->id(call.to), call.portal, call.cookie, call.bits,
                             call.offset, call.hdr_data);
  job->settle();
  job->as(0);
  return code;
}

int ProtocolTest::unlink_md(ptl_handle_md_t md, std::size_t rank) {
  job->as(rank);
  const int code = PtlMDUnlink(md);
  job->as(0);
  return code;
}

int ProtocolTest::unlink_me(ptl_handle_me_t me, std::size_t rank) {
  job->as(rank);
  const int code = PtlMEUnlink(me);
  job->as(0);
  return code;
}

int ProtocolTest::update(ptl_handle_md_t md, ptl_md_t fresh, ptl_handle_eq_t test_queue,
                         std::size_t rank) {
  job->as(rank);
  const int code = PtlMDUpdate(md, nullptr, &fresh, test_queue);
  job->as(0);
  return code;
}

Events ProtocolTest::take(std::size_t rank) {
  job->as(rank);
  Events events = job->events(queues_[rank]);
  job->as(0);
  return events;
}

ptl_event_t ProtocolTest::only(const Events& events, ptl_event_kind_t kind) {
  ptl_event_t found{};
  int count = 0;
  for (const ptl_event_t& event : events) {
    if (event.type != kind) continue;
    found = event;
    ++count;
  }
  EXPECT_EQ(count, 1) << PtlEventKindStr(kind) << " among " << testing::kinds(events);
  return found;
}

std::uint64_t ProtocolTest::status(std::size_t rank, ptl_sr_index_t reg) {
  job->as(rank);
  const std::uint64_t value = job->status(reg);
  job->as(0);
  return value;
}

bool ProtocolTest::alive(ptl_handle_any_t handle, std::size_t rank) {
  job->as(rank);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  const bool lives = PtlNIHandle(handle, &ni) == PTL_OK;
  job->as(0);
  return lives;
}

ptl_md_t ProtocolTest::state_of(ptl_handle_md_t md, std::size_t rank) {
  job->as(rank);
  ptl_md_t state{};
  EXPECT_EQ(PtlMDUpdate(md, &state, nullptr, PTL_EQ_NONE), PTL_OK);
  job->as(0);
  return state;
}

}  // namespace lintel::testing
