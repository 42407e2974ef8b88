// Sections 3.10, 3.14, 3.15: how an initiator learns of the end of its operations: kinds of ack,
// what an MD's counter counts, which events are suppressed, and how failures are reported.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kNobody = 99;  // no process on the network has this name

class Acks4 : public Portals4Test {
 protected:
  ptl_handle_me_t target(Bytes& region, unsigned options = kPut) {
    return append(region, {.options = options | kNoLink});
  }
  Bytes data = pattern(16);
  Bytes memory = Bytes(16);
};

// ---- Kinds of ack

TEST_F(Acks4, EachKindOfAck) {
  struct Case {
    ptl_ack_req_t ack;
    const char* events;
    const char* count;
  };
  const Case cases[] = {{PTL_NO_ACK_REQ, "SEND", "0+0"},
                        {PTL_ACK_REQ, "SEND ACK 16@0", "1+0"},
                        {PTL_CT_ACK_REQ, "SEND", "1+0"},
                        {PTL_OC_ACK_REQ, "SEND", "1+0"}};
  target(memory);
  for (const Case& c : cases) {
    const ptl_handle_ct_t ct = counter(0);
    ASSERT_EQ(put(bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = ct}), {.ack = c.ack}),
              PTL_OK);
    EXPECT_EQ(story(0), c.events) << int{c.ack};
    EXPECT_EQ(count(ct, 0), c.count) << int{c.ack};
  }
}

TEST_F(Acks4, AcksAreNotCountedWithoutTheOption) {
  target(memory);
  for (const ptl_ack_req_t ack : {PTL_NO_ACK_REQ, PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
    const ptl_handle_ct_t ct = counter(0);
    ASSERT_EQ(put(bind(data, {.counter = ct}), {.ack = ack}), PTL_OK);
    EXPECT_EQ(count(ct, 0), "0+0") << int{ack};
  }
}

TEST_F(Acks4, OperationCompletedAckNeedsNeitherQueueNorCounter) {
  target(memory);
  const Md md = bind(data, {.quiet = true});
  ASSERT_EQ(put(md, {.ack = PTL_OC_ACK_REQ}), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Acks4, EntryWithAckDisableSendsNone) {
  target(memory, kPut | PTL_ME_ACK_DISABLE);
  for (const ptl_ack_req_t ack : {PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
    const ptl_handle_ct_t ct = counter(0);
    const Md md = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = ct});
    ASSERT_EQ(put(md, {.ack = ack}), PTL_OK);
    EXPECT_EQ(kinds(0), "SEND");
    EXPECT_EQ(count(ct, 0), "0+0");
    EXPECT_EQ(release(md), PTL_OK) << "nothing is owed to it";
  }
}

TEST_F(Acks4, SendComesBeforeAckAndAckAfterTheTargetsEvent) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    JobOptions4 options;
    options.network.seed = seed;
    start(options);
    Bytes large = pattern(20000), there(20000);
    target(there);
    ASSERT_EQ(post_put(bind(large), {.ack = PTL_ACK_REQ}), PTL_OK);
    while (kinds(0).find("ACK") == std::string::npos) {
      ASSERT_TRUE(job->network().advance_to_next());
      job->settle(0ns);
    }
    EXPECT_EQ(there, large);
    EXPECT_EQ(kinds(1), "PUT");
  }
}

// ---- The end of an MD

TEST_F(Acks4, AckThatNobodyCouldSeeIsNotAskedForAndPinsNothing) {
  Bytes large = pattern(9000), room(9000);
  target(room);
  ASSERT_EQ(put(bind(data)), PTL_OK);  // the session is open: a short message leaves in the call
  const Counters& there = job->process(1).counters();
  for (const bool quiet : {true, false}) {
    for (const ptl_ack_req_t ack : {PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
      const ptl_handle_ct_t sends = counter(0);
      const MdRules rules{.options = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_SUCCESS_DISABLE,
                          .counter = sends,
                          .quiet = quiet};
      const Md md = bind(data, rules), long_md = bind(large, rules);
      ASSERT_EQ(post_put(md, {.ack = ack}), PTL_OK);
      ASSERT_EQ(post_atomic(md, PTL_SUM, PTL_UINT8_T, {.ack = ack}), PTL_OK);
      EXPECT_EQ(count(sends, 0), "2+0");
      EXPECT_EQ(release(md), PTL_OK);
      ASSERT_EQ(put(long_md, {.ack = ack}), PTL_OK);
      EXPECT_EQ(count(sends, 0), "3+0");
      EXPECT_EQ(release(long_md), PTL_OK);
    }
  }
  EXPECT_EQ(there.get(Counter::kPutsReceived), 9U);
  EXPECT_EQ(there.get(Counter::kAtomicsReceived), 4U);
  EXPECT_EQ(there.get(Counter::kAcksSent), 0U);
}

class Release4 : public Acks4 {
 protected:
  Release4() {
    start({.linger = 2s});
    target(memory, kBoth);
    EXPECT_EQ(put(bind(data)), PTL_OK);  // the session is open
    take(0);
    take(1);
  }
  int release_waiting(const Md& md) {
    return job->waiting(0, [&] { return release(md); });
  }
};

TEST_F(Release4, WaitsForCountedAcks) {
  for (const ptl_ack_req_t ack : {PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
    const ptl_handle_ct_t acks = counter(0);
    const Md md = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks, .quiet = true});
    for (int i = 0; i < 3; ++i) ASSERT_EQ(post_put(md, {.ack = ack}), PTL_OK);
    EXPECT_EQ(count(acks, 0), "0+0");
    EXPECT_EQ(release_waiting(md), PTL_OK);
    EXPECT_EQ(count(acks, 0), "3+0");
    EXPECT_EQ(release(md), PTL_ARG_INVALID);
    EXPECT_EQ(PtlCTFree(acks), PTL_OK);
  }
  EXPECT_EQ(job->process(0).counters().drops(), 0U);
}

TEST_F(Release4, WaitsForTheAckEvent) {
  const Md md = bind(data);
  ASSERT_EQ(post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND");
  EXPECT_EQ(release_waiting(md), PTL_OK);
  EXPECT_EQ(kinds(0), "ACK");
}

TEST_F(Release4, WaitsForThePeerOfTheAckToBeLost) {
  const ptl_handle_ct_t acks = counter(0);
  const Md md = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks, .quiet = true});
  ASSERT_EQ(post_put(md, {.ack = PTL_CT_ACK_REQ}), PTL_OK);
  job->kill(1, transport::Death::kSilent);
  EXPECT_EQ(release_waiting(md), PTL_OK);
  EXPECT_EQ(count(acks, 0), "0+1");
}

// No event or count tells the program that the MD is idle.
TEST_F(Release4, WaitsForOperationsOfWhoseEndNothingIsTold) {
  Bytes large = pattern(9000), room(9000), back(16);
  append(room, {.options = kBoth | kNoLink, .bits = kBits + 1});
  const Md out = bind(large, {.quiet = true}),
           in = bind(back, {.options = PTL_MD_EVENT_SUCCESS_DISABLE});
  ASSERT_EQ(post_put(out, {.bits = kBits + 1}), PTL_OK);
  ASSERT_EQ(post_get(in), PTL_OK);
  EXPECT_EQ(release_waiting(out), PTL_OK);
  EXPECT_EQ(release_waiting(in), PTL_OK);
  EXPECT_EQ(back, data);
  job->settle();
  EXPECT_EQ(room, large);
}

TEST_F(Release4, DoesNotWaitForWhatIsStillToBeTold) {
  const ptl_handle_ct_t replies = counter(0);
  const Md md = bind(data, {.options = PTL_MD_EVENT_CT_REPLY, .counter = replies, .quiet = true});
  ASSERT_EQ(post_get(md), PTL_OK);
  EXPECT_EQ(release(md), PTL_IN_USE);
  job->settle();
  EXPECT_EQ(count(replies, 0), "1+0");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Release4, DoesNotWaitForACountingEvent) {
  const ptl_handle_ct_t trigger = counter(0);
  const Md md = bind(data, {.quiet = true});
  ASSERT_EQ(post_put(md, {.trigger = Trigger{trigger, 1}}), PTL_OK);
  EXPECT_EQ(release(md), PTL_IN_USE);
  EXPECT_EQ(PtlCTCancelTriggered(trigger), PTL_OK);
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Release4, EndsWithPtlAbort) {
  const Md md = bind(data);
  ASSERT_EQ(post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  PtlAbort();
  EXPECT_EQ(release(md), PTL_IN_USE);
}

// ---- What the counter counts

TEST_F(Acks4, CounterCountsWhatItsOptionsSay) {
  struct Case {
    unsigned options;
    const char* after_put;
    const char* after_get;
  };
  constexpr unsigned kSend = PTL_MD_EVENT_CT_SEND, kReply = PTL_MD_EVENT_CT_REPLY,
                     kAck = PTL_MD_EVENT_CT_ACK, kBytes = PTL_MD_EVENT_CT_BYTES;
  // 16 bytes are requested, 10 are moved.
  const Case cases[] = {{0, "0+0", "0+0"},
                        {kSend, "1+0", "1+0"},
                        {kAck, "1+0", "1+0"},
                        {kReply, "0+0", "1+0"},
                        {kSend | kAck | kReply, "2+0", "3+0"},
                        {kSend | kBytes, "16+0", "16+0"},
                        {kAck | kBytes, "10+0", "10+0"},
                        {kReply | kBytes, "0+0", "10+0"},
                        {kSend | kAck | kReply | kBytes, "26+0", "36+0"}};
  Bytes room(10);
  target(room, kBoth);
  for (const Case& c : cases) {
    const ptl_handle_ct_t ct = counter(0);
    const Md md = bind(data, {.options = c.options, .counter = ct});
    ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
    EXPECT_EQ(count(ct, 0), c.after_put) << std::hex << c.options;
    ASSERT_EQ(get(md), PTL_OK);
    EXPECT_EQ(count(ct, 0), c.after_get) << std::hex << c.options;
  }
}

TEST_F(Acks4, CounterCountsTransfersToo) {
  Bytes large = pattern(9000), room(5000);
  target(room, kBoth);
  const ptl_handle_ct_t ct = counter(0);
  const Md md =
      bind(large, {.options = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES,
                   .counter = ct,
                   .quiet = true});
  ASSERT_EQ(put(md, {.ack = PTL_CT_ACK_REQ}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "14000+0");
  const ptl_handle_ct_t replies = counter(0);
  ASSERT_EQ(get(bind(large, {.options = PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES,
                             .counter = replies,
                             .quiet = true})),
            PTL_OK);
  EXPECT_EQ(count(replies, 0), "5000+0");
}

TEST_F(Acks4, OneCounterServesManyMds) {
  target(memory, kBoth);
  const ptl_handle_ct_t ct = counter(0);
  const MdRules rules{
      .options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY, .counter = ct, .quiet = true};
  Bytes other(16);
  ASSERT_EQ(put(bind(data, rules), {.ack = PTL_CT_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(bind(other, rules)), PTL_OK);
  EXPECT_EQ(count(ct, 0), "2+0");
}

// ---- What is suppressed

TEST_F(Acks4, SuccessDisableSuppressesSendAckAndReplyButCounts) {
  target(memory, kBoth);
  const ptl_handle_ct_t ct = counter(0);
  const unsigned all = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
  const Md md = bind(data, {.options = all | PTL_MD_EVENT_SUCCESS_DISABLE, .counter = ct});
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(md), PTL_OK);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(count(ct, 0), "3+0");
}

TEST_F(Acks4, SuccessDisableTellsFailures) {
  const Md md = bind(data, {.options = PTL_MD_EVENT_SUCCESS_DISABLE});
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(md), PTL_OK);
  EXPECT_EQ(kinds(0), "ACK!DROPPED REPLY!DROPPED");
}

TEST_F(Acks4, SendDisableSuppressesSendOnlyAndCounts) {
  target(memory, kBoth);
  const ptl_handle_ct_t ct = counter(0);
  const Md md =
      bind(data, {.options = PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_SEND, .counter = ct});
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(md), PTL_OK);
  EXPECT_EQ(kinds(0), "ACK REPLY");
  EXPECT_EQ(count(ct, 0), "1+0");
}

// ---- Failures that the target reports

struct Refusal {
  const char* name;
  const char* failure;
  ptl_sr_index_t counted_in;
  ptl_pt_index_t portal = kPortal;
};

class Acks4Refused : public Acks4, public ::testing::WithParamInterface<Refusal> {
 protected:
  void SetUp() override {
    const std::string what = GetParam().name;
    if (what == "OtherBits") append(memory, {.options = kBoth | kNoLink, .bits = 1});
    if (what == "Disabled") {
      append(memory, {.options = kBoth | kNoLink});
      ASSERT_EQ(disable(), PTL_OK);
    }
    if (what == "OtherUser") append(memory, {.options = kBoth | kNoLink, .uid = 77});
    if (what == "OtherOperation") append(memory, {.options = kNoLink});
  }
  std::string failing(const std::string& kind) const { return kind + "!" + GetParam().failure; }
  Bytes large = pattern(9000);
};

INSTANTIATE_TEST_SUITE_P(
    All, Acks4Refused,
    ::testing::Values(Refusal{"NoEntry", "DROPPED", PTL_SR_DROP_COUNT},
                      Refusal{"OtherBits", "DROPPED", PTL_SR_DROP_COUNT},
                      Refusal{"NoPortal", "DROPPED", PTL_SR_DROP_COUNT, 5},
                      Refusal{"BeyondThePortalTable", "DROPPED", PTL_SR_DROP_COUNT, 1U << 30},
                      Refusal{"Disabled", "PT_DISABLED", PTL_SR_DROP_COUNT},
                      Refusal{"OtherUser", "PERM_VIOLATION", PTL_SR_PERMISSION_VIOLATIONS},
                      Refusal{"OtherOperation", "OP_VIOLATION", PTL_SR_OPERATION_VIOLATIONS}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(Acks4Refused, ShowsInAckAndReplyNotInSend) {
  for (Bytes* out : {&data, &large}) {
    ASSERT_EQ(put(bind(*out), {.ack = PTL_ACK_REQ, .portal = GetParam().portal}), PTL_OK);
    const Events put_events = take(0);
    EXPECT_EQ(kinds(put_events), "SEND " + failing("ACK"));
    EXPECT_EQ(only(put_events, PTL_EVENT_ACK).mlength, 0U);
    ASSERT_EQ(get(bind(*out), {.portal = GetParam().portal}), PTL_OK);
    const Events get_events = take(0);
    EXPECT_EQ(kinds(get_events), failing("REPLY"));
    EXPECT_EQ(only(get_events, PTL_EVENT_REPLY).mlength, 0U);
  }
  EXPECT_EQ(data, pattern(16));
  EXPECT_EQ(large, pattern(9000));
}

TEST_P(Acks4Refused, CountsOneFailureWhateverIsCounted) {
  for (const unsigned bytes : {0U, PTL_MD_EVENT_CT_BYTES}) {
    for (Bytes* out : {&data, &large}) {
      for (const ptl_ack_req_t ack : {PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
        const ptl_handle_ct_t acks = counter(0);
        const Md md = bind(*out, {.options = PTL_MD_EVENT_CT_ACK | bytes, .counter = acks});
        ASSERT_EQ(put(md, {.ack = ack, .portal = GetParam().portal}), PTL_OK);
        EXPECT_EQ(count(acks, 0), "0+1");
        EXPECT_EQ(release(md), PTL_OK);
      }
      const ptl_handle_ct_t replies = counter(0);
      const Md md = bind(*out, {.options = PTL_MD_EVENT_CT_REPLY | bytes, .counter = replies});
      ASSERT_EQ(get(md, {.portal = GetParam().portal}), PTL_OK);
      EXPECT_EQ(count(replies, 0), "0+1");
      EXPECT_EQ(release(md), PTL_OK);
    }
  }
}

TEST_P(Acks4Refused, LeavesTheTargetAsItWasAndCountsThere) {
  for (Bytes* out : {&data, &large}) {
    ASSERT_EQ(put(bind(*out), {.portal = GetParam().portal}), PTL_OK);
    ASSERT_EQ(get(bind(*out), {.portal = GetParam().portal}), PTL_OK);
  }
  EXPECT_EQ(memory, Bytes(16));
  EXPECT_EQ(kinds(1), "");
  for (const ptl_sr_index_t reg :
       {PTL_SR_DROP_COUNT, PTL_SR_PERMISSION_VIOLATIONS, PTL_SR_OPERATION_VIOLATIONS}) {
    EXPECT_EQ(status(1, reg), reg == GetParam().counted_in ? 4 : 0) << reg;
  }
}

// ---- Targets that cannot be reached

TEST_F(Acks4, PutToNobodyFailsInSend) {
  Bytes large = pattern(9000);
  for (Bytes* out : {&data, &large}) {
    start({});
    const Md md = bind(*out);
    ASSERT_EQ(post_put(md, {.to = kNobody, .ack = PTL_ACK_REQ}), PTL_OK);
    job->run(30s);
    EXPECT_EQ(kinds(0), "SEND!UNDELIVERABLE");  // and no ACK
    EXPECT_EQ(release(md), PTL_OK);
  }
}

TEST_F(Acks4, PutToNobodyCountsItsFailureAsWhatIsCounted) {
  Bytes large = pattern(9000);
  for (const unsigned counted : {PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK}) {
    for (const ptl_ack_req_t ack : {PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
      for (Bytes* out : {&data, &large}) {
        start({});
        const ptl_handle_ct_t ct = counter(0);
        ASSERT_EQ(
            post_put(bind(*out, {.options = counted, .counter = ct}), {.to = kNobody, .ack = ack}),
            PTL_OK);
        job->run(30s);
        EXPECT_EQ(count(ct, 0), "0+1") << (counted == PTL_MD_EVENT_CT_SEND ? "sends" : "acks")
                                       << " of " << out->size() << " bytes";
      }
    }
  }
}

TEST_F(Acks4, GetFromNobodyFailsInReply) {
  const ptl_handle_ct_t ct = counter(0);
  const Md md = bind(data, {.options = PTL_MD_EVENT_CT_REPLY, .counter = ct});
  ASSERT_EQ(post_get(md, {.to = kNobody}), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "REPLY!UNDELIVERABLE");
  EXPECT_EQ(count(ct, 0), "0+1");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Acks4, FetchFromNobodyIsToldToThoseWhoWait) {
  const ptl_handle_ct_t ct = counter(0);
  Bytes old(16);
  const Md put_md = bind(data),
           get_md = bind(old, {.options = PTL_MD_EVENT_CT_REPLY, .counter = ct, .quiet = true});
  ASSERT_EQ(post_fetch_atomic(get_md, put_md, PTL_SUM, PTL_UINT64_T, {.to = kNobody}), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "SEND!UNDELIVERABLE");
  EXPECT_EQ(count(ct, 0), "0+1");
  EXPECT_EQ(release(put_md), PTL_OK);
  EXPECT_EQ(release(get_md), PTL_OK);
}

TEST_F(Acks4, AckFromAPeerThatIsLostIsUndeliverable) {
  target(memory);
  ASSERT_EQ(put(bind(data)), PTL_OK);
  take(0);
  const ptl_handle_ct_t ct = counter(0);
  const Md md = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = ct});
  ASSERT_EQ(post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND");
  job->kill(1, transport::Death::kNoticed);
  job->run(30s);
  EXPECT_EQ(kinds(0), "ACK!UNDELIVERABLE");
  EXPECT_EQ(count(ct, 0), "0+1");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Acks4, TargetWithoutSuchAnInterfaceIsUndeliverable) {
  Bytes large = pattern(9000);
  job->as(1);
  ptl_handle_ni_t other = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &other),
            PTL_OK);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  job->as(0);
  for (Bytes* out : {&data, &large}) {
    ASSERT_EQ(put(bind(*out), {.ack = PTL_ACK_REQ}), PTL_OK);
    EXPECT_EQ(kinds(0), "SEND ACK!UNDELIVERABLE");
    ASSERT_EQ(get(bind(*out)), PTL_OK);
    EXPECT_EQ(kinds(0), "REPLY!UNDELIVERABLE");
  }
}

}  // namespace
}  // namespace lintel::testing
