// Sections 3.15.3 and 3.13.1: a large get at its initiator. The message says where the reply may be
// written, and the writes are the reply. The target is a peer that keeps the protocol or breaks it.

#include <optional>

#include "tests/protocol4/raw_peer4.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;
using portals::wire::Response;
using portals::wire::Segment;
namespace wire = portals::wire;

constexpr std::size_t kEager = 1024;  // of JobOptions4
constexpr std::size_t kLargeReply = 4096;
constexpr std::uint32_t kOneOfSeveral = 1U << 31;

class ClearedGet4 : public Portals4Test {
 protected:
  ClearedGet4() { peer.emplace(*job); }
  void begin(const JobOptions4& options) {
    job->close();  // before the peer that it polls
    peer.reset();
    start(options);
    peer.emplace(*job);
  }

  // Process 0 gets from the peer. Returns the request that the peer received.
  Request get_from_peer(const Md& md, Call call = {}) {
    call.to = RawPeer4::kRank;
    EXPECT_EQ(get(md, call), PTL_OK);
    EXPECT_EQ(peer->received(), "GET(CLEAR)");
    return peer->last_request(MessageKind::kGet);
  }
  // The peer writes `bytes` at `offset` in the first segment of that request.
  void write(Bytes bytes, std::uint32_t flag = 0, std::uint64_t offset = 0) {
    Segment to = peer->segment_of_get(0);
    to.address += offset;
    written_.push_back(std::move(bytes));
    peer->write(0, written_.back(), to, peer->clear_of_get().immediate | flag);
  }
  void write_half(std::size_t which) {
    write(part(data, which * kLargeReply / 2, kLargeReply / 2), kOneOfSeveral,
          which * kLargeReply / 2);
  }
  // The answer of a target that refuses `request`.
  static Response refusal(const Request& request, std::uint8_t failure) {
    Response response = RawPeer4::response(MessageKind::kReply, request, 0);
    response.failure = failure;
    return response;
  }
  std::uint64_t stale(std::size_t rank = 0) {
    return job->process(rank).counters().get(Counter::kDropsStaleHandle);
  }

  std::optional<RawPeer4> peer;
  Bytes data = pattern(kLargeReply);
  Bytes here = Bytes(kLargeReply);

 private:
  std::vector<Bytes> written_;
};

// ---- The message

TEST_F(ClearedGet4, LargeGetCarriesAClearForAllThatItAsksFor) {
  const Request request = get_from_peer(bind(here), {.offset = 64});
  EXPECT_EQ(request.header.flags, wire::kFlagTracked | wire::kFlagCleared);
  const wire::Clear clear = peer->clear_of_get();
  EXPECT_EQ(clear.header.flags, 0U);
  EXPECT_EQ(clear.header.interface_kind, request.header.interface_kind);
  EXPECT_EQ(clear.source_token, 0U);
  EXPECT_EQ(clear.length, request.length);
  EXPECT_EQ(clear.immediate & kOneOfSeveral, 0U);
  ASSERT_EQ(clear.segment_count, 1U);
  EXPECT_EQ(peer->segment_of_get(0).length, kLargeReply);
}

TEST_F(ClearedGet4, GetOfUpToTheEagerLimitCarriesNone) {
  const Md md = bind(here);
  ASSERT_EQ(get(md, {.to = RawPeer4::kRank, .length = kEager}), PTL_OK);
  EXPECT_EQ(peer->received(), "GET");
  ASSERT_EQ(get(md, {.to = RawPeer4::kRank, .length = kEager + 1}), PTL_OK);
  EXPECT_EQ(peer->received(), "GET(CLEAR)");
}

TEST_F(ClearedGet4, TriggeredGetCarriesItWhenItStarts) {
  const ptl_handle_ct_t trigger = counter(0);
  ASSERT_EQ(get(bind(here), {.to = RawPeer4::kRank, .trigger = Trigger{trigger, 1}}), PTL_OK);
  EXPECT_EQ(peer->received(), "");
  ASSERT_EQ(increment(trigger, {1, 0}, 0), PTL_OK);
  EXPECT_EQ(peer->received(), "GET(CLEAR)");
  write(data);
  EXPECT_EQ(story(0), "REPLY 4096@0");
}

TEST_F(ClearedGet4, PiecesOfAnIovecAreItsSegments) {
  std::vector<Bytes> pieces{Bytes(1000), Bytes(0), Bytes(3096)};
  get_from_peer(bind_iovec(pieces), {.local = 10, .length = 4000});
  ASSERT_EQ(peer->clear_of_get().segment_count, 2U);
  EXPECT_EQ(peer->segment_of_get(0).length, 990U);
  EXPECT_EQ(peer->segment_of_get(1).length, 3010U);
}

TEST_F(ClearedGet4, GetIntoMorePiecesThanAClearNamesGoesTheLongWayInRounds) {
  std::vector<Bytes> pieces(65, Bytes(100));
  const Md md = bind_iovec(pieces);
  get_from_peer(md, {.length = 6400});
  ASSERT_EQ(get(md, {.to = RawPeer4::kRank}), PTL_OK);
  ASSERT_EQ(peer->received(), "GET");
  Response reply =
      RawPeer4::response(MessageKind::kReply, peer->last_request(MessageKind::kGet), 6500);
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = 88;
  peer->send(0, reply);
  ASSERT_EQ(peer->received(), "CLEAR");
  EXPECT_EQ(peer->last_clear().segment_count, 64U);
  EXPECT_EQ(peer->last_clear().header.flags, wire::kFlagMore);
}

TEST_F(ClearedGet4, GetWhoseClearDoesNotFitIntoItsMessageGoesTheLongWay) {
  JobOptions4 options;
  options.endpoint.eager_limit = 100;
  options.network.attributes.max_message_bytes = 512;
  begin(options);
  std::vector<Bytes> pieces(15, Bytes(100));
  const Md md = bind_iovec(pieces);
  get_from_peer(md, {.length = 1400});
  ASSERT_EQ(get(md, {.to = RawPeer4::kRank}), PTL_OK);
  EXPECT_EQ(peer->received(), "GET");
}

// ---- The writes are the reply

TEST_F(ClearedGet4, WriteOfAllOfItIsTheReply) {
  int mark = 0;
  get_from_peer(bind(here), {.offset = 64, .user = &mark});
  EXPECT_EQ(kinds(0), "");
  write(data);
  EXPECT_EQ(here, data);
  const Events events = take(0);
  ASSERT_EQ(story(events), "REPLY 4096@64");
  EXPECT_EQ(events[0].user_ptr, &mark);
  EXPECT_EQ(events[0].ni_fail_type, PTL_NI_OK);
  EXPECT_EQ(peer->received(), "") << "nothing answers the writes";
}

TEST_F(ClearedGet4, ReplyByWritesIsCounted) {
  const ptl_handle_ct_t replies = counter(0), bytes = counter(0);
  get_from_peer(bind(here, {.options = PTL_MD_EVENT_CT_REPLY, .counter = replies}));
  EXPECT_EQ(count(replies, 0), "0+0");
  write(data);
  EXPECT_EQ(count(replies, 0), "1+0");
  get_from_peer(
      bind(here, {.options = PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES, .counter = bytes}));
  write(data);
  EXPECT_EQ(count(bytes, 0), "4096+0");
}

TEST_F(ClearedGet4, ReplyByWritesOfAnMdThatWantsNoSuccessIsSilent) {
  const ptl_handle_ct_t replies = counter(0);
  const Md md = bind(
      here, {.options = PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_REPLY, .counter = replies});
  get_from_peer(md);
  write(data);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(count(replies, 0), "1+0");
}

TEST_F(ClearedGet4, MdIsInUseUntilTheDataAreInPlace) {
  const Md md = bind(here);
  get_from_peer(md);
  EXPECT_EQ(release(md), PTL_IN_USE);
  write(data);
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(ClearedGet4, SeveralWritesAreTheReplyWhenAllOfThemAndTheirCountHaveCome) {
  get_from_peer(bind(here));
  peer->written(0, peer->clear_of_get().receiver_token, 2);
  write_half(1);
  EXPECT_EQ(kinds(0), "");
  write_half(0);
  EXPECT_EQ(story(0), "REPLY 4096@0");
  EXPECT_EQ(here, data);
}

TEST_F(ClearedGet4, CountMayComeAfterAllWrites) {
  get_from_peer(bind(here));
  write_half(0);
  write_half(1);
  EXPECT_EQ(kinds(0), "");
  peer->written(0, peer->clear_of_get().receiver_token, 2);
  EXPECT_EQ(story(0), "REPLY 4096@0");
}

TEST_F(ClearedGet4, EachGetHasItsOwnClear) {
  Bytes other(kLargeReply);
  get_from_peer(bind(here), {.offset = 1});
  const wire::Clear first = peer->clear_of_get();
  const Segment to = peer->segment_of_get(0);
  get_from_peer(bind(other), {.offset = 2});
  write(data);
  EXPECT_EQ(story(0), "REPLY 4096@2");
  EXPECT_EQ(other, data);
  EXPECT_EQ(here, Bytes(kLargeReply));
  peer->write(0, data, to, first.immediate);
  EXPECT_EQ(story(0), "REPLY 4096@1");
}

TEST_F(ClearedGet4, WriteThatComesTwiceIsDroppedAndCounted) {
  get_from_peer(bind(here));
  const std::uint32_t immediate = peer->clear_of_get().immediate;
  write(data);
  ASSERT_EQ(kinds(0), "REPLY");
  get_from_peer(bind(here));  // a second get, to whose memory the write goes
  peer->write(0, data, peer->segment_of_get(0), immediate);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(stale(), 1U);
  EXPECT_EQ(drops(0), 0) << "a write is no message";
}

// ---- A REPLY comes instead, and the memory is deregistered

TEST_F(ClearedGet4, ReplyWithDataTellsOfLess) {
  const Request request = get_from_peer(bind(here), {.offset = 64});
  peer->send(0, RawPeer4::response(MessageKind::kReply, request, 1000), part(data, 0, 1000));
  EXPECT_EQ(story(0), "REPLY 1000@64");
  EXPECT_EQ(part(here, 0, 1000), part(data, 0, 1000));
  write(data);
  EXPECT_EQ(part(here, 1000, 3096), Bytes(3096));
  EXPECT_EQ(job->network().counters().writes_refused, 1U);
}

TEST_F(ClearedGet4, AnnouncedReplyIsClearedAnew) {
  const Request request = get_from_peer(bind(here));
  const Segment withdrawn = peer->segment_of_get(0);
  Response reply = RawPeer4::response(MessageKind::kReply, request, 3000);
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = 88;
  reply.offset = 512;
  peer->send(0, reply);
  ASSERT_EQ(peer->received(), "CLEAR");
  EXPECT_EQ(peer->last_clear().source_token, 88U);
  EXPECT_EQ(peer->last_clear().length, 3000U);
  EXPECT_NE(peer->last_segment(0).key, withdrawn.key);
  EXPECT_EQ(kinds(0), "");
  Bytes taken = part(data, 0, 3000);
  peer->write(0, taken, peer->last_segment(0), peer->last_clear().immediate);
  EXPECT_EQ(story(0), "REPLY 3000@512");
  EXPECT_EQ(part(here, 0, 3000), taken);
}

TEST_F(ClearedGet4, RefusalIsToldAndClosesTheMemory) {
  const ptl_handle_ct_t replies = counter(0);
  const Md md = bind(here, {.options = PTL_MD_EVENT_CT_REPLY, .counter = replies});
  peer->send(0, refusal(get_from_peer(md), 6));
  EXPECT_EQ(kinds(0), "REPLY!PERM_VIOLATION");
  EXPECT_EQ(count(replies, 0), "0+1");
  EXPECT_EQ(release(md), PTL_OK);
  write(data);
  EXPECT_EQ(here, Bytes(kLargeReply));
  EXPECT_EQ(job->network().counters().writes_refused, 1U);
}

TEST_F(ClearedGet4, ImmediateOfAGetThatWasRefusedIsDroppedAndCounted) {
  peer->send(0, refusal(get_from_peer(bind(here)), 4));
  const std::uint32_t immediate = peer->clear_of_get().immediate;
  EXPECT_EQ(kinds(0), "REPLY!DROPPED");
  get_from_peer(bind(here));  // a second get, to whose memory the unexpected write goes
  peer->write(0, data, peer->segment_of_get(0), immediate);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(stale(), 1U);
}

TEST_F(ClearedGet4, ReplyAfterTheWritesIsDroppedAndCountedAndItsSourceReleased) {
  const Request request = get_from_peer(bind(here));
  write(data);
  ASSERT_EQ(kinds(0), "REPLY");
  Response reply = RawPeer4::response(MessageKind::kReply, request, kLargeReply);
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = 88;
  peer->send(0, reply);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(drops(0), 1);
  EXPECT_EQ(peer->received(), "DISCARD");
  EXPECT_EQ(peer->last_discard().token, 88U);
}

// ---- The get fails

TEST_F(ClearedGet4, SourceThatGivesUpFailsTheGet) {
  const ptl_handle_ct_t replies = counter(0);
  const Md md = bind(here, {.options = PTL_MD_EVENT_CT_REPLY, .counter = replies});
  get_from_peer(md, {.offset = 64});
  peer->discard(0, peer->clear_of_get().receiver_token);
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "REPLY!UNDELIVERABLE");
  EXPECT_EQ(events[0].mlength, 0U);
  EXPECT_EQ(count(replies, 0), "0+1");
  EXPECT_EQ(release(md), PTL_OK);
  write(data);
  EXPECT_EQ(here, Bytes(kLargeReply));
}

TEST_F(ClearedGet4, SourceThatGivesUpAfterSomeWritesFailsTheGet) {
  get_from_peer(bind(here));
  write_half(0);
  peer->discard(0, peer->clear_of_get().receiver_token);
  EXPECT_EQ(kinds(0), "REPLY!UNDELIVERABLE");
}

TEST_F(ClearedGet4, CountOfFewerWritesThanHaveComeIsDroppedAndCounted) {
  get_from_peer(bind(here));
  write_half(0);
  write_half(1);
  write_half(1);
  peer->written(0, peer->clear_of_get().receiver_token, 2);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(drops(0), 1);
  peer->discard(0, peer->clear_of_get().receiver_token);
  EXPECT_EQ(kinds(0), "REPLY!UNDELIVERABLE");
}

TEST_F(ClearedGet4, DeathOfTheTargetFailsTheGetThatWaits) {
  for (const transport::Death death : {transport::Death::kNoticed, transport::Death::kSilent}) {
    begin({});
    const ptl_handle_ct_t replies = counter(0);
    const Md md = bind(here, {.options = PTL_MD_EVENT_CT_REPLY, .counter = replies});
    get_from_peer(md);
    job->network().kill(peer->name(), death);
    job->run(120s);
    EXPECT_EQ(kinds(0), "REPLY!UNDELIVERABLE");
    EXPECT_EQ(count(replies, 0), "0+1");
    EXPECT_EQ(release(md), PTL_OK);
  }
}

// ---- The interface is closed while the get waits

TEST_F(ClearedGet4, ClosingTheInterfaceClosesTheMemory) {
  ptl_handle_ni_t other = PTL_INVALID_HANDLE;  // keeps the session open
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &other),
            PTL_OK);
  get_from_peer(bind(here));
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  write(data);
  EXPECT_EQ(here, Bytes(kLargeReply)) << "written to after PtlNIFini";
  EXPECT_EQ(job->network().counters().writes_refused, 1U);
}

// ---- To oneself

TEST_F(ClearedGet4, GetFromOneselfIsAnsweredByWrites) {
  append(data, {.options = kGet | kNoLink}, 0);
  ASSERT_EQ(get(bind(here), {.to = 0}), PTL_OK);
  EXPECT_EQ(here, data);
  const Events events = take(0);
  EXPECT_EQ(events.size(), 2U);
  EXPECT_EQ(only(events, PTL_EVENT_GET).mlength, kLargeReply);
  EXPECT_EQ(only(events, PTL_EVENT_REPLY).mlength, kLargeReply);
  const Counters& counters = job->process(0).counters();
  EXPECT_EQ(counters.get(Counter::kEagerCopies), 0U);
}

TEST_F(ClearedGet4, GetFromOneselfOfLessIsToldByReply) {
  Bytes half = pattern(2000);
  append(half, {.options = kGet | kNoLink}, 0);
  ASSERT_EQ(get(bind(here), {.to = 0}), PTL_OK);
  EXPECT_EQ(part(here, 0, 2000), half);
  EXPECT_EQ(only(take(0), PTL_EVENT_REPLY).mlength, 2000U);
}

// The writes do not find room at once.
TEST_F(ClearedGet4, ClosingTheInterfaceInTheMiddleOfAGetFromOneselfClosesTheMemory) {
  JobOptions4 options;
  options.session.max_local_messages = 4;
  begin(options);
  std::vector<Bytes> to(40, Bytes(100));
  append(data, {.options = kGet | kNoLink}, 0);
  ASSERT_EQ(post_get(bind_iovec(to), {.to = 0, .length = 4000}), PTL_OK);
  job->poll(0);
  ASSERT_EQ(to[39], Bytes(100)) << "not all of it has moved";
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  const std::vector<Bytes> before = to;
  job->settle();
  EXPECT_EQ(to, before);
}

}  // namespace
}  // namespace lintel::testing
