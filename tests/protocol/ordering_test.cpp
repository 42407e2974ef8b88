// What is ordered, and what is unordered but must still arrive.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class Ordering : public ProtocolTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  Ordering() {
    JobOptions options;
    options.network.seed = GetParam();
    start(options);
  }
};

TEST_P(Ordering, RequestsOfOnePairAreMatchedInCallOrderAcrossPortalsMdsAndKinds) {
  Bytes memory(1 << 16), small = pattern(4), large = pattern(3000), back(3000);
  for (const ptl_pt_index_t portal : {4U, 5U, 6U})
    target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE}, {.portal = portal});
  const ptl_handle_md_t mds[] = {source(small), source(large), source(back)};
  std::string expected;
  for (ptl_size_t i = 0; i < 30; ++i) {
    const Call call{.portal = static_cast<ptl_pt_index_t>(4 + i % 3), .offset = i};
    const bool getting = i % 4 == 3;
    ASSERT_EQ(getting ? post_get(mds[2], call) : post_put(mds[i % 2], call), PTL_OK);
    expected += (getting ? " GET@" : " PUT@") + std::to_string(i);
  }
  job->settle();
  std::string seen;
  for (const ptl_event_t& event : take(1)) {
    if (event.type == PTL_EVENT_PUT_START) seen += " PUT@" + std::to_string(event.offset);
    if (event.type == PTL_EVENT_GET_START) seen += " GET@" + std::to_string(event.offset);
  }
  EXPECT_EQ(seen, expected);
}

TEST_P(Ordering, MatchingConsumesEntriesInCallOrder) {
  std::vector<Bytes> landing(8, Bytes(2000));
  for (Bytes& each : landing)
    target(each, {.options = kPut | PTL_MD_TRUNCATE, .threshold = 1, .unlink = PTL_UNLINK},
           {.unlink = PTL_UNLINK});
  std::vector<Bytes> data;
  for (std::uint8_t i = 0; i < 8; ++i) data.push_back(pattern(i % 2 == 0 ? 2000 : 10, i));
  for (Bytes& each : data) ASSERT_EQ(post_put(source(each)), PTL_OK);
  job->settle();
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(part(landing[i], 0, data[i].size()), data[i]) << i;
}

TEST_P(Ordering, BacklogKeepsTheOrder) {
  Bytes memory(1 << 16), data = pattern(900);
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_END_DISABLE});
  const ptl_handle_md_t md = source(data, {.quiet = true});
  constexpr ptl_hdr_data_t kMany = 1500;  // far more than the window and the network hold
  for (ptl_hdr_data_t i = 0; i < kMany; ++i) ASSERT_EQ(post_put(md, {.hdr_data = i}), PTL_OK);
  ptl_hdr_data_t next = 0;
  for (int quiet = 0; quiet < 3; ++quiet) {
    job->settle(0ns);
    for (const ptl_event_t& event : take(1)) {
      EXPECT_EQ(event.hdr_data, next++);
      quiet = 0;
    }
    if (job->network().advance_to_next()) quiet = 0;
  }
  EXPECT_EQ(next, kMany);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Ordering, ::testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace lintel::testing
