// Every function and every code that it may return, in the order of the checks: SEGV, NO_INIT, the
// handle, the arguments.

#include <climits>
#include <functional>

#include "portals/api3/return_code.h"
#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

constexpr ptl_process_id_t kSomebody{0x0a000002, 1};
constexpr ptl_md_t kEmptyMd{nullptr, 0, PTL_MD_THRESH_INF, 0, 0, nullptr, PTL_EQ_NONE};

struct FunctionCase {
  const char* name;
  // Calls the function with `handle` and otherwise valid arguments.
  std::function<int(ptl_handle_any_t handle)> call;
  int invalid;                                 // the code for a handle that names nothing
  std::function<int()> null_output = nullptr;  // calls it with a null output pointer
};

ptl_handle_any_t handle_out;
ptl_event_t event_out;
ptl_pt_index_t index_out;
ptl_sr_value_t value_out;
unsigned long distance_out;
ptl_process_id_t id_out;
int which_out;

const std::vector<FunctionCase>& functions() {
  static const std::vector<FunctionCase> all{
      {"PtlNIFini", [](auto h) { return PtlNIFini(h); }, PTL_NI_INVALID},
      {"PtlNIStatus", [](auto h) { return PtlNIStatus(h, PTL_SR_DROP_COUNT, &value_out); },
       PTL_NI_INVALID, [] { return PtlNIStatus(handle_out, 0, nullptr); }},
      {"PtlNIDist", [](auto h) { return PtlNIDist(h, kSomebody, &distance_out); }, PTL_NI_INVALID,
       [] { return PtlNIDist(handle_out, kSomebody, nullptr); }},
      {"PtlNIHandle", [](auto h) { return PtlNIHandle(h, &handle_out); }, PTL_HANDLE_INVALID,
       [] { return PtlNIHandle(handle_out, nullptr); }},
      {"PtlGetUid", [](auto h) { return PtlGetUid(h, &handle_out); }, PTL_NI_INVALID,
       [] { return PtlGetUid(handle_out, nullptr); }},
      {"PtlGetId", [](auto h) { return PtlGetId(h, &id_out); }, PTL_NI_INVALID,
       [] { return PtlGetId(handle_out, nullptr); }},
      {"PtlGetJid", [](auto h) { return PtlGetJid(h, &handle_out); }, PTL_NI_INVALID,
       [] { return PtlGetJid(handle_out, nullptr); }},
      {"PtlMEAttach",
       [](auto h) {
         return PtlMEAttach(h, 0, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &handle_out);
       },
       PTL_NI_INVALID,
       [] {
         return PtlMEAttach(handle_out, 0, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, nullptr);
       }},
      {"PtlMEAttachAny",
       [](auto h) { return PtlMEAttachAny(h, &index_out, kAnyone, 0, 0, PTL_RETAIN, &handle_out); },
       PTL_NI_INVALID,
       [] { return PtlMEAttachAny(handle_out, &index_out, kAnyone, 0, 0, PTL_RETAIN, nullptr); }},
      {"PtlMEAttachAnyIndex",
       [](auto h) { return PtlMEAttachAny(h, &index_out, kAnyone, 0, 0, PTL_RETAIN, &handle_out); },
       PTL_NI_INVALID,
       [] { return PtlMEAttachAny(handle_out, nullptr, kAnyone, 0, 0, PTL_RETAIN, &handle_out); }},
      {"PtlMEInsert",
       [](auto h) { return PtlMEInsert(h, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &handle_out); },
       PTL_ME_INVALID,
       [] { return PtlMEInsert(handle_out, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, nullptr); }},
      {"PtlMEUnlink", [](auto h) { return PtlMEUnlink(h); }, PTL_ME_INVALID},
      {"PtlMDAttach", [](auto h) { return PtlMDAttach(h, kEmptyMd, PTL_RETAIN, &handle_out); },
       PTL_ME_INVALID},
      {"PtlMDBind", [](auto h) { return PtlMDBind(h, kEmptyMd, PTL_RETAIN, &handle_out); },
       PTL_NI_INVALID, [] { return PtlMDBind(handle_out, kEmptyMd, PTL_RETAIN, nullptr); }},
      {"PtlMDUnlink", [](auto h) { return PtlMDUnlink(h); }, PTL_MD_INVALID},
      {"PtlMDUpdate", [](auto h) { return PtlMDUpdate(h, nullptr, nullptr, PTL_EQ_NONE); },
       PTL_MD_INVALID},
      {"PtlEQAlloc", [](auto h) { return PtlEQAlloc(h, 4, PTL_EQ_HANDLER_NONE, &handle_out); },
       PTL_NI_INVALID, [] { return PtlEQAlloc(handle_out, 4, PTL_EQ_HANDLER_NONE, nullptr); }},
      {"PtlEQFree", [](auto h) { return PtlEQFree(h); }, PTL_EQ_INVALID},
      {"PtlEQGet", [](auto h) { return PtlEQGet(h, &event_out); }, PTL_EQ_INVALID,
       [] { return PtlEQGet(handle_out, nullptr); }},
      {"PtlEQWait", [](auto h) { return PtlEQWait(h, &event_out); }, PTL_EQ_INVALID,
       [] { return PtlEQWait(handle_out, nullptr); }},
      {"PtlEQPoll", [](ptl_handle_any_t h) { return PtlEQPoll(&h, 1, 0, &event_out, &which_out); },
       PTL_EQ_INVALID, [] { return PtlEQPoll(&handle_out, 1, 0, nullptr, &which_out); }},
      {"PtlEQPollWhich",
       [](ptl_handle_any_t h) { return PtlEQPoll(&h, 1, 0, &event_out, &which_out); },
       PTL_EQ_INVALID, [] { return PtlEQPoll(&handle_out, 1, 0, &event_out, nullptr); }},
      {"PtlEQPollQueues",
       [](ptl_handle_any_t h) { return PtlEQPoll(&h, 1, 0, &event_out, &which_out); },
       PTL_EQ_INVALID, [] { return PtlEQPoll(nullptr, 1, 0, &event_out, &which_out); }},
      {"PtlACEntry", [](auto h) { return PtlACEntry(h, 0, kAnyone, 0, 0, 0); }, PTL_NI_INVALID},
      {"PtlPut", [](auto h) { return PtlPut(h, PTL_ACK_REQ, kSomebody, 0, 0, 0, 0, 0); },
       PTL_MD_INVALID},
      {"PtlPutRegion",
       [](auto h) { return PtlPutRegion(h, 0, 0, PTL_ACK_REQ, kSomebody, 0, 0, 0, 0, 0); },
       PTL_MD_INVALID},
      {"PtlGet", [](auto h) { return PtlGet(h, kSomebody, 0, 0, 0, 0); }, PTL_MD_INVALID},
      {"PtlGetRegion", [](auto h) { return PtlGetRegion(h, 0, 0, kSomebody, 0, 0, 0, 0); },
       PTL_MD_INVALID},
      {"PtlGetPut", [](auto h) { return PtlGetPut(h, h, kSomebody, 0, 0, 0, 0, 0); },
       PTL_MD_INVALID},
      {"PtlMEMDPost",
       [](auto h) {
         return PtlMEMDPost(h, h, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, kEmptyMd, PTL_RETAIN,
                            &handle_out, &handle_out, PTL_EQ_NONE);
       },
       PTL_NI_INVALID,
       [] {
         return PtlMEMDPost(handle_out, handle_out, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER,
                            kEmptyMd, PTL_RETAIN, nullptr, &handle_out, PTL_EQ_NONE);
       }},
      {"PtlProgress", [](auto h) { return PtlProgress(h, 0); }, PTL_HANDLE_INVALID},
  };
  return all;
}

class EveryFunction : public ProtocolTest, public ::testing::WithParamInterface<FunctionCase> {};

INSTANTIATE_TEST_SUITE_P(Api, EveryFunction, ::testing::ValuesIn(functions()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(EveryFunction, NullOutputIsSegvBeforeAnythingElse) {
  if (!GetParam().null_output) return;
  handle_out = PTL_INVALID_HANDLE;
  EXPECT_EQ(GetParam().null_output(), PTL_SEGV);  // although the handle is invalid
  job.reset();
  EXPECT_EQ(GetParam().null_output(), PTL_SEGV);  // although the library is not started
}

TEST_P(EveryFunction, BeforeInitGivesNoInit) {
  const ptl_handle_any_t good = queue(0);
  job.reset();  // no process is left, and the library is not started
  EXPECT_EQ(GetParam().call(good), PTL_NO_INIT);
  EXPECT_EQ(GetParam().call(PTL_INVALID_HANDLE), PTL_NO_INIT);
}

TEST_P(EveryFunction, HandleThatNamesNothingIsInvalid) {
  Bytes memory(8);
  const Entry entry = target(memory, {}, {}, 0);
  const ptl_handle_eq_t freed = queue(0);
  const Entry gone = target(memory, {.quiet = true}, {.portal = 5}, 0);
  ASSERT_EQ(PtlMEUnlink(gone.me), PTL_OK);
  ASSERT_EQ(PtlEQFree(freed), PTL_OK);
  const ptl_handle_any_t nothing[] = {PTL_INVALID_HANDLE,
                                      PTL_EQ_NONE,
                                      PTL_HANDLE_NONE,
                                      0U,
                                      gone.me,
                                      gone.md,
                                      freed,
                                      job->ni() + 1,
                                      job->ni() | (3U << 27),
                                      entry.me + 1,
                                      entry.md + 1};
  for (const ptl_handle_any_t handle : nothing)
    EXPECT_EQ(GetParam().call(handle), GetParam().invalid) << std::hex << handle;
}

TEST_P(EveryFunction, HandleOfAnotherKindIsInvalid) {
  if (GetParam().invalid == PTL_HANDLE_INVALID) return;  // accepts any kind
  Bytes memory(8);
  const Entry entry = target(memory, {}, {}, 0);
  const std::pair<int, ptl_handle_any_t> handles[] = {{PTL_NI_INVALID, job->ni()},
                                                      {PTL_ME_INVALID, entry.me},
                                                      {PTL_MD_INVALID, entry.md},
                                                      {PTL_EQ_INVALID, queue(0)}};
  for (const auto& [kind, handle] : handles) {
    if (kind == GetParam().invalid) continue;
    EXPECT_EQ(GetParam().call(handle), GetParam().invalid) << kind;
  }
}

TEST_P(EveryFunction, HandleOfAnInterfaceThatWasShutIsInvalid) {
  Bytes memory(8);
  const Entry entry = target(memory, {}, {}, 0);
  const ptl_handle_any_t handles[] = {job->ni(), entry.me, entry.md, queue(0)};
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  for (const ptl_handle_any_t handle : handles)
    EXPECT_EQ(GetParam().call(handle), GetParam().invalid);
}

// ---- The remaining codes, one by one

using ReturnCodes = ProtocolTest;

TEST_F(ReturnCodes, Init) {
  EXPECT_EQ(PtlInit(nullptr), PTL_SEGV);
  job.reset();
  EXPECT_EQ(PtlInit(nullptr), PTL_SEGV);
}

TEST_F(ReturnCodes, NIInit) {
  start({.open = false});
  job->as(0);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT + 1, PTL_PID_ANY, nullptr, nullptr, &ni),
            PTL_IFACE_INVALID);
  EXPECT_EQ(ni, PTL_INVALID_HANDLE);
  ptl_ni_limits_t desired{.max_mes = 3,
                          .max_mds = -1,
                          .max_eqs = 0,
                          .max_ac_index = 1 << 20,
                          .max_pt_index = 7,
                          .max_md_iovecs = 2,
                          .max_me_list = 5,
                          .max_getput_md = 64};
  ptl_ni_limits_t actual{};
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, &desired, &actual, &ni), PTL_OK);
  EXPECT_EQ(actual.max_mes, 3);
  EXPECT_EQ(actual.max_mds, 65536);
  EXPECT_EQ(actual.max_eqs, 4096);
  EXPECT_EQ(actual.max_ac_index, 63);
  EXPECT_EQ(actual.max_pt_index, 7);
  EXPECT_EQ(actual.max_getput_md, 64);
  job.reset();
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_NO_INIT);
}

TEST_F(ReturnCodes, NIStatus) {
  ptl_sr_value_t value = 4711;
  for (ptl_sr_index_t reg = 0; reg < PTL_SR_LAST; ++reg)
    EXPECT_EQ(PtlNIStatus(job->ni(), reg, &value), PTL_OK);
  value = 4711;
  EXPECT_EQ(PtlNIStatus(job->ni(), PTL_SR_LAST, &value), PTL_SR_INDEX_INVALID);
  EXPECT_EQ(PtlNIStatus(job->ni(), UINT32_MAX, &value), PTL_SR_INDEX_INVALID);
  EXPECT_EQ(value, 4711U);
}

TEST_F(ReturnCodes, NIDist) {
  unsigned long distance = 4711;
  EXPECT_EQ(PtlNIDist(job->ni(), job->id(0), &distance), PTL_OK);
  EXPECT_EQ(distance, 0U);
  EXPECT_EQ(PtlNIDist(job->ni(), {job->id(0).nid, 5}, &distance), PTL_OK);
  EXPECT_EQ(distance, 1U);
  EXPECT_EQ(PtlNIDist(job->ni(), job->id(1), &distance), PTL_OK);
  EXPECT_EQ(distance, 2U);
}

TEST_F(ReturnCodes, NIHandleOfEveryKindOfObject) {
  Bytes memory(8);
  const Entry entry = target(memory, {}, {}, 0);
  for (const ptl_handle_any_t handle : {job->ni(), entry.me, entry.md, queue(0)}) {
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    EXPECT_EQ(PtlNIHandle(handle, &ni), PTL_OK);
    EXPECT_EQ(ni, job->ni());
  }
}

TEST_F(ReturnCodes, IdsOfTheInterface) {
  ptl_uid_t uid = 0;
  ptl_jid_t jid = 0;
  ptl_process_id_t id{};
  EXPECT_EQ(PtlGetUid(job->ni(), &uid), PTL_OK);
  EXPECT_EQ(uid, 1000U);
  EXPECT_EQ(PtlGetJid(job->ni(), &jid), PTL_OK);
  EXPECT_EQ(jid, 7U);
  EXPECT_EQ(PtlGetId(job->ni(), &id), PTL_OK);
  EXPECT_EQ(id.nid, job->id(0).nid);
  EXPECT_EQ(id.pid, job->id(0).pid);
}

constexpr ptl_ni_limits_t kNarrow{.max_mes = 4,
                                  .max_mds = 2,
                                  .max_eqs = 2,
                                  .max_ac_index = 1,
                                  .max_pt_index = 1,
                                  .max_md_iovecs = 2,
                                  .max_me_list = 2,
                                  .max_getput_md = 64};

TEST_F(ReturnCodes, MatchEntries) {
  start({.limits = kNarrow});
  ptl_handle_me_t me[4]{};
  ptl_pt_index_t index = 99;
  const auto attach_to = [&](ptl_pt_index_t portal, ptl_handle_me_t& made) {
    return PtlMEAttach(job->ni(), portal, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &made);
  };
  EXPECT_EQ(attach_to(2, me[0]), PTL_PT_INDEX_INVALID);
  EXPECT_EQ(attach_to(PTL_PT_INDEX_ANY, me[0]), PTL_PT_INDEX_INVALID);
  ASSERT_EQ(attach_to(0, me[0]), PTL_OK);
  ASSERT_EQ(attach_to(0, me[1]), PTL_OK);
  EXPECT_EQ(attach_to(0, me[2]), PTL_ME_LIST_TOO_LONG);
  EXPECT_EQ(PtlMEInsert(me[0], kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &me[2]),
            PTL_ME_LIST_TOO_LONG);
  ASSERT_EQ(PtlMEAttachAny(job->ni(), &index, kAnyone, 0, 0, PTL_RETAIN, &me[2]), PTL_OK);
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(PtlMEAttachAny(job->ni(), &index, kAnyone, 0, 0, PTL_RETAIN, &me[3]), PTL_PT_FULL);
  EXPECT_EQ(me[3], 0U);
}

TEST_F(ReturnCodes, MatchEntriesWithoutSpace) {
  ptl_ni_limits_t one = kNarrow;
  one.max_mes = 1;
  start({.limits = one});
  ptl_handle_me_t me = PTL_INVALID_HANDLE, more = PTL_INVALID_HANDLE;
  ptl_pt_index_t index = 99;
  ASSERT_EQ(PtlMEAttach(job->ni(), 0, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &me), PTL_OK);
  EXPECT_EQ(PtlMEAttach(job->ni(), 0, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &more),
            PTL_NO_SPACE);
  EXPECT_EQ(PtlMEInsert(me, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_AFTER, &more), PTL_NO_SPACE);
  EXPECT_EQ(PtlMEAttachAny(job->ni(), &index, kAnyone, 0, 0, PTL_RETAIN, &more), PTL_NO_SPACE);
  EXPECT_EQ(more, PTL_INVALID_HANDLE);
  EXPECT_EQ(index, 99U);
}

TEST_F(ReturnCodes, MemoryDescriptors) {
  start({.limits = kNarrow});
  Bytes memory(8);
  const ptl_handle_me_t me = entry({.portal = 0}, 0);
  ptl_handle_md_t md[3]{};
  EXPECT_EQ(PtlMDAttach(me, kEmptyMd, PTL_RETAIN, nullptr), PTL_OK);  // the handle is not wanted
  EXPECT_EQ(PtlMDAttach(me, kEmptyMd, PTL_RETAIN, &md[0]), PTL_ME_IN_USE);
  ASSERT_EQ(PtlMDBind(job->ni(), kEmptyMd, PTL_RETAIN, &md[0]), PTL_OK);
  EXPECT_EQ(PtlMDBind(job->ni(), kEmptyMd, PTL_RETAIN, &md[1]), PTL_NO_SPACE);
  const ptl_handle_me_t second = entry({.portal = 0}, 0);
  EXPECT_EQ(PtlMDAttach(second, kEmptyMd, PTL_RETAIN, &md[1]), PTL_NO_SPACE);
  EXPECT_EQ(md[1], 0U);
}

TEST_F(ReturnCodes, IllegalMemoryDescriptors) {
  start({.limits = kNarrow});
  Bytes memory(8);
  ptl_md_iovec_t pieces[3] = {{memory.data(), 4}, {memory.data() + 4, 4}, {nullptr, 0}};
  ptl_md_iovec_t null_piece[1] = {{nullptr, 4}};
  ptl_md_iovec_t too_long[2] = {{memory.data(), UINT64_MAX}, {memory.data(), 1}};
  const std::pair<ptl_md_t, int> cases[] = {
      {{nullptr, 8, 1, 0, 0, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{memory.data(), UINT64_MAX, 1, 0, 0, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{memory.data(), 8, 1, 0, 0x200, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{pieces, 3, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{nullptr, 1, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{null_piece, 1, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{too_long, 2, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_MD_ILLEGAL},
      {{memory.data(), 8, 1, 0, 0, nullptr, PTL_INVALID_HANDLE}, PTL_EQ_INVALID},
      {{memory.data(), 8, 1, 0, 0, nullptr, job->ni()}, PTL_EQ_INVALID},
      {{memory.data(), 8, 1, 0, 0, nullptr, queue(0) + 1}, PTL_EQ_INVALID},
      {{nullptr, 0, 1, 0, 0, nullptr, PTL_EQ_NONE}, PTL_OK},
      {{pieces, 2, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_OK},
      {{nullptr, 0, 1, 0, PTL_MD_IOVEC, nullptr, PTL_EQ_NONE}, PTL_OK},
  };
  const ptl_handle_me_t me = entry({.portal = 0}, 0);
  const ptl_handle_md_t updated = bind(kEmptyMd);
  for (const auto& [description, expected] : cases) {
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    EXPECT_EQ(PtlMDBind(job->ni(), description, PTL_RETAIN, &md), expected);
    EXPECT_EQ(md == PTL_INVALID_HANDLE, expected != PTL_OK);
    if (expected == PTL_OK) {
      EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
    }
    EXPECT_EQ(PtlMDAttach(me, description, PTL_RETAIN, &md), expected);
    if (expected == PTL_OK) {
      EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
    }
    EXPECT_EQ(update(updated, description, PTL_EQ_NONE, 0), expected);
  }
}

TEST_F(ReturnCodes, MDUpdateWithABadTestQueue) {
  const ptl_handle_md_t md = bind(kEmptyMd);
  EXPECT_EQ(update(md, kEmptyMd, PTL_INVALID_HANDLE, 0), PTL_EQ_INVALID);
  EXPECT_EQ(update(md, kEmptyMd, job->ni(), 0), PTL_EQ_INVALID);
  EXPECT_EQ(update(md, kEmptyMd, queue(0) + 1, 0), PTL_EQ_INVALID);
}

TEST_F(ReturnCodes, EventQueues) {
  start({.limits = kNarrow});
  ptl_handle_eq_t eq = PTL_INVALID_HANDLE;
  ptl_event_t event;
  EXPECT_EQ(PtlEQAlloc(job->ni(), 0, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  EXPECT_EQ(eq, PTL_EQ_NONE);
  EXPECT_EQ(PtlEQAlloc(job->ni(), UINT64_MAX, PTL_EQ_HANDLER_NONE, &eq), PTL_NO_SPACE);
  ASSERT_EQ(PtlEQAlloc(job->ni(), 3, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  EXPECT_EQ(PtlEQGet(eq, &event), PTL_EQ_EMPTY);
  ptl_handle_eq_t more = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlEQAlloc(job->ni(), 3, PTL_EQ_HANDLER_NONE, &more), PTL_NO_SPACE);
  EXPECT_EQ(PtlEQFree(eq), PTL_OK);
  EXPECT_EQ(PtlEQAlloc(job->ni(), 3, PTL_EQ_HANDLER_NONE, &more), PTL_OK);
}

TEST_F(ReturnCodes, ACEntry) {
  start({.limits = kNarrow});
  EXPECT_EQ(PtlACEntry(job->ni(), 2, kAnyone, PTL_UID_ANY, PTL_JID_ANY, 0), PTL_AC_INDEX_INVALID);
  EXPECT_EQ(PtlACEntry(job->ni(), 1, kAnyone, PTL_UID_ANY, PTL_JID_ANY, 2), PTL_PT_INDEX_INVALID);
  EXPECT_EQ(PtlACEntry(job->ni(), 1, kAnyone, PTL_UID_ANY, PTL_JID_ANY, 1), PTL_OK);
  EXPECT_EQ(PtlACEntry(job->ni(), 1, kAnyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY), PTL_OK);
}

TEST_F(ReturnCodes, MEMDPost) {
  const ptl_handle_me_t base = entry({}, 0);
  Entry made;
  const auto post = [&](ptl_handle_me_t at, const ptl_md_t& md, ptl_handle_eq_t test_queue) {
    return PtlMEMDPost(job->ni(), at, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_BEFORE, md, PTL_RETAIN,
                       &made.me, &made.md, test_queue);
  };
  EXPECT_EQ(PtlMEMDPost(job->ni(), base, kAnyone, 0, 0, PTL_RETAIN, PTL_INS_BEFORE, kEmptyMd,
                        PTL_RETAIN, &made.me, nullptr, PTL_EQ_NONE),
            PTL_SEGV);
  EXPECT_EQ(post(PTL_INVALID_HANDLE, kEmptyMd, PTL_EQ_NONE), PTL_ME_INVALID);
  EXPECT_EQ(post(base, kEmptyMd, PTL_INVALID_HANDLE), PTL_EQ_INVALID);
  EXPECT_EQ(post(base, {nullptr, 8, 1, 0, 0, nullptr, PTL_EQ_NONE}, PTL_EQ_NONE), PTL_MD_ILLEGAL);
  EXPECT_EQ(made.me, PTL_INVALID_HANDLE);
  EXPECT_EQ(status(0, PTL_SR_MES_CUR), 1U);
  EXPECT_EQ(post(base, kEmptyMd, queue(0)), PTL_OK);
}

TEST(ReturnCode, EveryStatusHasItsCode) {
  using portals::Status;
  const std::pair<Status, int> all[] = {{Status::kOk, PTL_OK},
                                        {Status::kInterfaceInvalid, PTL_NI_INVALID},
                                        {Status::kPidInvalid, PTL_PID_INVALID},
                                        {Status::kEntryInvalid, PTL_ME_INVALID},
                                        {Status::kEntryInUse, PTL_ME_IN_USE},
                                        {Status::kListTooLong, PTL_ME_LIST_TOO_LONG},
                                        {Status::kDescriptorInvalid, PTL_MD_INVALID},
                                        {Status::kDescriptorIllegal, PTL_MD_ILLEGAL},
                                        {Status::kDescriptorInUse, PTL_MD_IN_USE},
                                        {Status::kNoUpdate, PTL_MD_NO_UPDATE},
                                        {Status::kQueueInvalid, PTL_EQ_INVALID},
                                        {Status::kQueueEmpty, PTL_EQ_EMPTY},
                                        {Status::kEventDropped, PTL_EQ_DROPPED},
                                        {Status::kPortalInvalid, PTL_PT_INDEX_INVALID},
                                        {Status::kPortalFull, PTL_PT_FULL},
                                        {Status::kPortalInUse, PTL_FAIL},     // of Portals 4 only
                                        {Status::kCounterInvalid, PTL_FAIL},  // likewise
                                        {Status::kCookieInvalid, PTL_AC_INDEX_INVALID},
                                        {Status::kProcessInvalid, PTL_PROCESS_INVALID},
                                        {Status::kNoSpace, PTL_NO_SPACE},
                                        {Status::kAborted, PTL_FAIL},  // likewise
                                        {Status::kFailed, PTL_FAIL}};
  EXPECT_EQ(std::size(all), static_cast<std::size_t>(Status::kCount));
  for (const auto& [status, code] : all) EXPECT_EQ(api3::return_code(status), code);
}

TEST(ReturnCode, EveryCodeHasItsName) {
  EXPECT_STREQ(ptl_err_str[PTL_OK], "PTL_OK");
  EXPECT_STREQ(ptl_err_str[PTL_SEGV], "PTL_SEGV");
  EXPECT_STREQ(ptl_err_str[PTL_UNKNOWN_ERROR], "PTL_UNKNOWN_ERROR");
  for (unsigned code = 0; code < PTL_MAX_ERRNO; ++code)
    EXPECT_STREQ(PtlErrorStr(code), ptl_err_str[code]);
  EXPECT_NE(PtlErrorStr(PTL_MAX_ERRNO), nullptr);
  EXPECT_NE(PtlErrorStr(UINT_MAX), nullptr);
}

}  // namespace
}  // namespace lintel::testing
