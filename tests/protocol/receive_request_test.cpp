// The target's side of put, get and getput: the order of checks, the search of the match list, and
// what is counted in one step with the match.

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;

class ReceiveRequest : public ProtocolTest {
 protected:
  ReceiveRequest() : peer(*job) {}
  // The drop registers in the order index, cookie, access, no match, stale, malformed.
  std::string drops_by_cause() {
    std::string text;
    for (ptl_sr_index_t reg = PTL_SR_DROP_PT_INDEX; reg <= PTL_SR_DROP_MALFORMED; ++reg)
      text += std::to_string(status(1, reg));
    return text;
  }
  Request request(MessageKind kind, std::uint64_t length = 0) {
    return peer.request(kind, job->id(1), length);
  }
  RawPeer peer;
  Bytes memory = Bytes(16);
};

TEST_F(ReceiveRequest, PutToAnotherProcessIsDropped) {
  target(memory, {.options = kPut});
  Request foreign = request(MessageKind::kPut);
  foreign.target_nid += 1;
  peer.send(1, foreign);
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops(1), 1U);
}

TEST_F(ReceiveRequest, PutInTheNameOfAnotherProcessIsDropped) {
  target(memory, {.options = kPut});
  Request forged = request(MessageKind::kPut);
  forged.initiator_nid = job->id(0).nid;
  peer.send(1, forged);
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops(1), 1U);
}

TEST_F(ReceiveRequest, PutToAnInterfaceThatIsNotOpenIsDropped) {
  target(memory, {.options = kPut});
  Request foreign = request(MessageKind::kPut);
  foreign.header.interface_kind = 2;
  peer.send(1, foreign);
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops(1), 1U);
}

TEST_F(ReceiveRequest, BytesThatAreNoMessageAreDropped) {
  const std::vector<std::byte> noise(40, std::byte{0x5a});
  peer.send_bytes(1, noise);
  EXPECT_EQ(drops_by_cause(), "000001");
}

TEST_F(ReceiveRequest, PutWhosePayloadIsNotItsLengthIsDropped) {
  target(memory, {.options = kPut});
  peer.send(1, request(MessageKind::kPut, 8), pattern(7));
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops_by_cause(), "000001");
}

TEST_F(ReceiveRequest, PortalIndexIsLookedAtBeforeTheCookie) {
  Request bad = request(MessageKind::kPut);
  bad.portal_index = 128;
  bad.cookie = 64;
  peer.send(1, bad);
  EXPECT_EQ(drops_by_cause(), "100000");
}

TEST_F(ReceiveRequest, CookieIsLookedAtBeforeTheMatchList) {
  Request bad = request(MessageKind::kPut);
  bad.cookie = 64;
  peer.send(1, bad);
  EXPECT_EQ(drops_by_cause(), "010000");
}

TEST_F(ReceiveRequest, AccessIsLookedAtBeforeTheMatchList) {
  Request foreign = request(MessageKind::kPut);
  foreign.user = 1001;
  peer.send(1, foreign);
  EXPECT_EQ(drops_by_cause(), "001000");
}

struct AccessCase {
  const char* name;
  ptl_process_id_t process;
  ptl_uid_t user;
  ptl_jid_t job;
  ptl_pt_index_t portal;
  bool admitted;
};

class ReceiveRequestAccess : public ReceiveRequest,
                             public ::testing::WithParamInterface<AccessCase> {};

TEST_P(ReceiveRequestAccess, AllMembersOfTheEntryMustAgree) {
  target(memory, {.options = kPut});
  const AccessCase& rule = GetParam();
  job->as(1);
  ASSERT_EQ(PtlACEntry(job->ni(), 5, rule.process, rule.user, rule.job, rule.portal), PTL_OK);
  Request with_cookie = request(MessageKind::kPut);
  with_cookie.cookie = 5;
  peer.send(1, with_cookie);
  EXPECT_EQ(kinds(1), rule.admitted ? "PUT_START PUT_END" : "");
  EXPECT_EQ(drops_by_cause(), rule.admitted ? "000000" : "001000");
}

constexpr ptl_nid_t kRawNid = RawPeer::kNid;
INSTANTIATE_TEST_SUITE_P(
    Entries, ReceiveRequestAccess,
    ::testing::Values(
        AccessCase{"Anything", kAnyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY, true},
        AccessCase{"Everything", {kRawNid, 1}, 1000, 7, kPortal, true},
        AccessCase{"OtherNode",
                   {kRawNid + 1, PTL_PID_ANY},
                   PTL_UID_ANY,
                   PTL_JID_ANY,
                   PTL_PT_INDEX_ANY,
                   false},
        AccessCase{"OtherPid", {PTL_NID_ANY, 2}, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY, false},
        AccessCase{"OtherUser", kAnyone, 1001, PTL_JID_ANY, PTL_PT_INDEX_ANY, false},
        AccessCase{"OtherJob", kAnyone, PTL_UID_ANY, 8, PTL_PT_INDEX_ANY, false},
        AccessCase{"OtherPortal", kAnyone, PTL_UID_ANY, PTL_JID_ANY, kPortal + 1, false}),
    [](const auto& instance) { return instance.param.name; });

// ---- Why an entry refuses, so that the next one is tried

struct RefusalCase {
  const char* name;
  EntryRules entry{};
  MdRules md{};
  bool with_md = true;
};

class ReceiveRequestWalk : public ReceiveRequest,
                           public ::testing::WithParamInterface<RefusalCase> {};

TEST_P(ReceiveRequestWalk, RefusalGoesOnToTheNextEntry) {
  Bytes first(4);
  if (GetParam().with_md) {
    target(first, GetParam().md, GetParam().entry);
  } else {
    entry(GetParam().entry);
  }
  const Entry second = target(memory, {.options = kPut});
  Request put = request(MessageKind::kPut, 6);
  put.offset = 1;
  peer.send(1, put, pattern(6));
  const Events events = take(1);
  ASSERT_EQ(story(events), "PUT_START 6/6@0 PUT_END 6/6@0");
  EXPECT_EQ(events[0].md_handle, second.md);
  EXPECT_EQ(drops(1), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Reasons, ReceiveRequestWalk,
    ::testing::Values(
        RefusalCase{
            "OtherNode", {.from = {kRawNid + 1, PTL_PID_ANY}}, {.options = kPut | PTL_MD_TRUNCATE}},
        RefusalCase{"OtherPid", {.from = {PTL_NID_ANY, 2}}, {.options = kPut | PTL_MD_TRUNCATE}},
        RefusalCase{"OtherBits", {.bits = kBits ^ 1}, {.options = kPut | PTL_MD_TRUNCATE}},
        RefusalCase{"NoMemoryDescriptor", {}, {}, false},
        RefusalCase{
            "InactiveMemoryDescriptor", {}, {.options = kPut | PTL_MD_TRUNCATE, .threshold = 0}},
        RefusalCase{"OperationNotEnabled", {}, {.options = kGet | PTL_MD_TRUNCATE}},
        RefusalCase{"TooLong", {}, {.options = kPut}},
        RefusalCase{"TooLongFromTheRemoteOffset", {}, {.options = kPut | PTL_MD_MANAGE_REMOTE}},
        RefusalCase{"LongerThanMaxSize", {}, {.options = kPut | PTL_MD_MAX_SIZE, .max_size = 2}}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(ReceiveRequest, FirstEntryThatAcceptsTakesTheRequest) {
  const Entry first = target(memory, {.options = kPut});
  target(memory, {.options = kPut});
  peer.send(1, request(MessageKind::kPut, 3), pattern(3));
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_START PUT_END");
  EXPECT_EQ(events[0].md_handle, first.md);
}

TEST_F(ReceiveRequest, EndOfTheListDropsWithItsLength) {
  peer.send(1, request(MessageKind::kPut, 6), pattern(6));
  EXPECT_EQ(drops_by_cause(), "000100");
  EXPECT_EQ(status(1, PTL_SR_DROP_LENGTH), 6U);
  EXPECT_EQ(peer.received(), "");
}

// ---- One put, get and getput each, from arrival to answer

TEST_F(ReceiveRequest, PutPlacesItsDataThenAcknowledges) {
  target(memory, {.options = kPut});
  Request put = request(MessageKind::kPut, 8);
  put.header.flags = portals::wire::kFlagAckWanted | portals::wire::kFlagTracked;
  put.md_handle = 11;
  put.md_generation = 12;
  put.offset = 99;
  put.sender_token = 13;
  peer.send(1, put, pattern(8));
  EXPECT_EQ(part(memory, 0, 8), pattern(8));
  ASSERT_EQ(peer.received(), "ACK");
  const portals::wire::Response ack = peer.last_response();
  EXPECT_EQ(ack.requested_length, 8U);
  EXPECT_EQ(ack.manipulated_length, 8U);
  EXPECT_EQ(ack.offset, 99U);  // copied from the request
  EXPECT_EQ(ack.md_handle, 11U);
  EXPECT_EQ(ack.md_generation, 12U);
  EXPECT_EQ(ack.match_bits, kBits);
  EXPECT_EQ(ack.portal_index, kPortal);
  EXPECT_EQ(ack.request_token, 13U);
  EXPECT_EQ(ack.initiator_nid, job->id(1).nid);
  EXPECT_EQ(ack.target_nid, peer.id().nid);
  EXPECT_EQ(ack.user, 1000U);
}

TEST_F(ReceiveRequest, PutThatAsksForNoAckGetsNone) {
  target(memory, {.options = kPut});
  peer.send(1, request(MessageKind::kPut, 8), pattern(8));
  EXPECT_EQ(peer.received(), "");
}

TEST_F(ReceiveRequest, AckDisableSuppressesTheAckAndIsNoDrop) {
  target(memory, {.options = kPut | PTL_MD_ACK_DISABLE});
  Request put = request(MessageKind::kPut, 8);
  put.header.flags = portals::wire::kFlagAckWanted | portals::wire::kFlagTracked;
  put.md_handle = 11;
  peer.send(1, put, pattern(8));
  EXPECT_EQ(peer.received(), "DISCARD");  // the initiator's engine may forget the request
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
  EXPECT_EQ(drops(1), 0U);
}

TEST_F(ReceiveRequest, DroppedRequestIsNotAnsweredButItsEngineMayForgetIt) {
  peer.send(1, request(MessageKind::kGet, 8));
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 55U);
}

TEST_F(ReceiveRequest, GetIsAnsweredByTheBytesAtTheOffset) {
  memory = pattern(16);
  target(memory, {.options = kGet | PTL_MD_MANAGE_REMOTE});
  Request get = request(MessageKind::kGet, 5);
  get.offset = 3;
  get.return_offset = 21;
  peer.send(1, get);
  ASSERT_EQ(peer.received(), "REPLY");
  EXPECT_EQ(peer.last_reply_data(), part(memory, 3, 5));
  EXPECT_EQ(peer.last_reply().return_offset, 21U);
  EXPECT_EQ(peer.last_reply().request_token, 55U);
  EXPECT_EQ(story(1), "GET_START 5/5@3 GET_END 5/5@3");
}

TEST_F(ReceiveRequest, TruncatedGetRepliesWithWhatThereIs) {
  memory = pattern(16);
  target(memory, {.options = kGet | PTL_MD_TRUNCATE});
  peer.send(1, request(MessageKind::kGet, 40));
  ASSERT_EQ(peer.received(), "REPLY");
  EXPECT_EQ(peer.last_reply_data(), memory);
  EXPECT_EQ(peer.last_reply().requested_length, 40U);
  EXPECT_EQ(peer.last_reply().manipulated_length, 16U);
  EXPECT_EQ(story(1), "GET_START 16/40@0 GET_END 16/40@0");
}

TEST_F(ReceiveRequest, GetPutExchangesTheBytes) {
  memory = pattern(8);
  target(memory, {.options = kBoth});
  peer.send(1, request(MessageKind::kGetPut, 8), pattern(8, 9));
  ASSERT_EQ(peer.received(), "REPLY");
  EXPECT_EQ(peer.last_reply_data(), pattern(8));
  EXPECT_EQ(memory, pattern(8, 9));
  EXPECT_EQ(story(1), "GETPUT_START 8/8@0 GETPUT_END 8/8@0");
}

TEST_F(ReceiveRequest, TruncatedGetPutExchangesAndRepliesTheManipulatedBytesOnly) {
  memory = pattern(4);
  target(memory, {.options = kBoth | PTL_MD_TRUNCATE});
  peer.send(1, request(MessageKind::kGetPut, 8), pattern(8, 9));
  ASSERT_EQ(peer.received(), "REPLY");
  EXPECT_EQ(peer.last_reply_data(), pattern(4));
  EXPECT_EQ(memory, part(pattern(8, 9), 0, 4));
}

TEST_F(ReceiveRequest, GetPutLongerThanTheSideBufferIsRefusedAtTheTargetToo) {
  Bytes large(4096);
  target(large, {.options = kBoth});
  peer.send(1, request(MessageKind::kGetPut, 1025), pattern(1025));
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops(1), 1U);
  EXPECT_EQ(large, Bytes(4096));
}

TEST_F(ReceiveRequest, TruncationToNothingIsAcceptance) {
  Bytes nothing;
  target(nothing, {.options = kPut | PTL_MD_TRUNCATE, .threshold = 2});
  Request put = request(MessageKind::kPut, 8);
  put.header.flags = portals::wire::kFlagAckWanted;
  put.md_handle = 11;
  peer.send(1, put, pattern(8));
  const Events events = take(1);
  ASSERT_EQ(story(events), "PUT_START 0/8@0 PUT_END 0/8@0");
  EXPECT_EQ(events[1].md.threshold, 1);
  EXPECT_EQ(peer.received(), "ACK");
  EXPECT_EQ(peer.last_response().manipulated_length, 0U);
  EXPECT_EQ(drops(1), 0U);
}

TEST_F(ReceiveRequest, RestOfATruncatedPutIsThrownAway) {
  Bytes guarded(8);
  ptl_md_t half = md(guarded, {.options = kPut | PTL_MD_TRUNCATE}, 1);
  half.length = 4;
  attach(half);
  peer.send(1, request(MessageKind::kPut, 8), pattern(8));
  EXPECT_EQ(story(1), "PUT_START 4/8@0 PUT_END 4/8@0");
  EXPECT_EQ(part(guarded, 0, 4), part(pattern(8), 0, 4));
  EXPECT_EQ(part(guarded, 4, 4), Bytes(4));
}

TEST_F(ReceiveRequest, AcceptedRequestsAreCountedAsReceived) {
  target(memory, {.options = kPut | PTL_MD_TRUNCATE});
  peer.send(1, request(MessageKind::kPut, 40), pattern(40));
  EXPECT_EQ(status(1, PTL_SR_RECV_COUNT), 1U);
  EXPECT_EQ(status(1, PTL_SR_RECV_LENGTH), 16U);
}

TEST_F(ReceiveRequest, EventOfAGetCarriesNoHeaderDataWhateverTheMessageSays) {
  target(memory, {.options = kGet});
  Request get = request(MessageKind::kGet, 4);
  get.header_data = 0xdeadbeef;
  peer.send(1, get);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "GET_START GET_END");
  EXPECT_EQ(events[0].hdr_data, 0U);
  EXPECT_EQ(events[1].hdr_data, 0U);
}

}  // namespace
}  // namespace lintel::testing
