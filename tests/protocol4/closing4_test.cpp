// Section 3.6: PtlNIFini of one interface while another is open. What it has sent leaves first, and
// what peers have under way with it ends although the session stays open. Processes linger for two
// seconds here.

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>

#include "tests/protocol4/portals4_test.h"
#include "tests/protocol4/raw_peer4.h"

namespace lintel::testing {
namespace {

class Closing4 : public Portals4Test {
 protected:
  static constexpr std::size_t kSize = 20000;

  // Every message and every write of 1,000 bytes takes `delay`.
  void begin(Nanoseconds delay) {
    JobOptions4 options;
    options.linger = 2s;
    options.network.shortest_delay = options.network.longest_delay = delay;
    options.network.attributes.max_write_bytes = 1000;
    options.network.max_writes_in_flight = 1;
    options.session.connect_deadline = options.session.dead_peer_deadline = 60s;
    start(options);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      job->as(rank);
      ptl_handle_ni_t other = PTL_INVALID_HANDLE;
      ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY,
                          nullptr, nullptr, &other),
                PTL_OK);
    }
    job->as(0);
    append(there, {.options = kBoth | kNoLink});
    Bytes nothing;
    ASSERT_EQ(put(bind(nothing)), PTL_OK);  // connects
    job->run(20s);
    take(0);
    take(1);
  }
  // Returns how long PtlNIFini of process `rank` takes.
  Nanoseconds end(std::size_t rank) {
    const TimePoint start = job->network().now();
    job->as(rank);
    job->drive_by_clock(rank);
    EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
    job->as(0);
    return job->network().now() - start;
  }

  Bytes large = pattern(kSize), there = Bytes(kSize);
};

TEST_F(Closing4, PutThatMovesArrives) {
  begin(300ms);
  ASSERT_EQ(post_put(bind(large)), PTL_OK);
  EXPECT_GT(end(0), 4s);
  job->run(2s);
  EXPECT_EQ(kinds(1), "PUT");
  EXPECT_EQ(there, large);
}

TEST_F(Closing4, GetWhoseDataMoveIsServedByItsTargetFirst) {
  begin(300ms);
  std::ranges::copy(pattern(kSize, 3), there.begin());
  ASSERT_EQ(post_get(bind(large)), PTL_OK);
  job->run(1s);
  EXPECT_GT(end(1), 4s);
  job->run(2s);
  EXPECT_EQ(kinds(0), "REPLY");
  EXPECT_EQ(large, there);
}

TEST_F(Closing4, PutThatStandsStillIsCutAndBothSidesHear) {
  begin(5s);
  const ptl_handle_ct_t acks = counter(0);
  const Md md = bind(large, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks});
  ASSERT_EQ(post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  job->run(10500ms);  // the first write is on its way
  const Nanoseconds taken = end(1);
  EXPECT_GE(taken, 2s);
  EXPECT_LE(taken, 12s);
  job->run(60s);
  const std::string told = kinds(0);
  EXPECT_TRUE(told == "SEND!UNDELIVERABLE" || told == "SEND!UNDELIVERABLE ACK!UNDELIVERABLE")
      << told;
  EXPECT_EQ(count(acks, 0), "0+1");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Closing4, RequestsForAClosedInterfaceAreAnswered) {
  begin(1ms);
  end(1);
  Bytes small(8);
  const Md md = bind(small), big = bind(large);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(md), PTL_OK);
  ASSERT_EQ(put(big, {.ack = PTL_ACK_REQ}), PTL_OK);
  job->run(1s);
  EXPECT_EQ(kinds(0), "SEND ACK!UNDELIVERABLE REPLY!UNDELIVERABLE SEND ACK!UNDELIVERABLE");
}

TEST_F(Closing4, RequestsThatComeMeanwhileAreAnswered) {
  begin(300ms);
  std::ranges::copy(pattern(kSize, 3), there.begin());
  ASSERT_EQ(post_get(bind(large)), PTL_OK);
  job->run(1s);
  Bytes small(8);
  const Md md = bind(small);
  const TimePoint begun = job->network().now();
  bool sent = false;
  job->poll_also([&]() -> std::size_t {
    if (sent || job->network().now() < begun + 1s) return 0;
    sent = true;
    EXPECT_EQ(post_get(md), PTL_OK);
    EXPECT_EQ(post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
    job->as(1);
    return 1;
  });
  EXPECT_GT(end(1), 4s);
  ASSERT_TRUE(sent);
  job->run(2s);
  EXPECT_EQ(kinds(0), "SEND REPLY!UNDELIVERABLE ACK!UNDELIVERABLE REPLY");
  EXPECT_EQ(large, there);
  job->close();  // it polls an object of this test
}

// A peer may owe so many answers, and then gets no further request. Those of an interface that has
// ended are not awaited any more.
TEST(ClosingBesideAnother4, RequestsThatWereHeldForTheAnswersOfAnInterfaceLeaveWithIt) {
  JobOptions4 options;
  options.processes = 1;
  options.endpoint.max_operations = 8192;
  SimulatedJob4 job(options);
  RawPeer4 peer(job);
  const ptl_process_t target = SimulatedJob4::physical_id(RawPeer4::kRank);
  Bytes memory(8);
  const auto get_by = [&](ptl_handle_ni_t ni) {
    ptl_md_t md{};
    md.start = memory.data();
    md.length = memory.size();
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_CT_NONE;
    ptl_handle_md_t handle = PTL_INVALID_HANDLE;
    EXPECT_EQ(PtlMDBind(ni, &md, &handle), PTL_OK);
    return [=] { return PtlGet(handle, 0, 8, target, kPortal, kBits, 0, nullptr); };
  };
  ptl_handle_ni_t other = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &other),
            PTL_OK);
  const std::size_t most = portals::Operations::kAnswerCredit / portals::Operations::kAnswerCost;
  const auto get = get_by(job.ni());
  for (std::size_t i = 0; i < most; ++i) ASSERT_EQ(get(), PTL_OK);
  ASSERT_EQ(get_by(other)(), PTL_OK);
  job.settle();
  std::istringstream told(peer.received());
  EXPECT_EQ(std::distance(std::istream_iterator<std::string>(told), {}),
            static_cast<std::ptrdiff_t>(most))
      << "the last one is held";
  EXPECT_EQ(PtlNIFini(job.ni()), PTL_OK);
  job.settle();
  EXPECT_EQ(peer.received(), "GET");
  job.close();
}

}  // namespace
}  // namespace lintel::testing
