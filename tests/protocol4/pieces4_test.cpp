// Section 3.6, max_iovecs: large transfers from and to memory in as many pieces as an iovec may
// have, also interrupted.

#include <algorithm>
#include <string>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Pieces4 : public Portals4Test {
 protected:
  static constexpr std::size_t kSize = 30000;

  // Pieces of different lengths, kSize bytes in all, filled with zeros or with parts of the
  // pattern.
  static std::vector<Bytes> pieces(std::size_t count, bool filled) {
    const Bytes all = filled ? pattern(kSize) : Bytes(kSize);
    std::vector<Bytes> made;
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t length = i + 1 == count ? kSize - at : kSize / count + i % 3 - 1;
      made.push_back(part(all, at, length));
      at += length;
    }
    return made;
  }
  static Bytes joined(const std::vector<Bytes>& parts) {
    Bytes all;
    for (const Bytes& bytes : parts) all.insert(all.end(), bytes.begin(), bytes.end());
    return all;
  }
  ptl_handle_me_t append_pieces(std::vector<Bytes>& parts, const EntryRules& rules) {
    return append(iovec_me(parts, rules), rules);
  }
  std::uint64_t copies() {
    return job->process(0).counters().get(Counter::kEagerCopies) +
           job->process(1).counters().get(Counter::kEagerCopies);
  }
  // A put into 200 pieces of process 1, run until part of the second round has arrived.
  void put_until_second_round(const Md& md, const Call& call = {}) {
    put_until_landing(md, call);
    while (there[70] == Bytes(there[70].size())) {
      ASSERT_TRUE(job->network().advance_to_next());
      job->settle(0ns);
    }
    ASSERT_EQ(there[199], Bytes(there[199].size()));
  }

  std::vector<Bytes> there = pieces(200, false);
  Bytes large = pattern(kSize);
};

struct PiecesCase {
  std::size_t initiator;
  std::size_t target;
};

class Pieces4Counts : public Pieces4, public ::testing::WithParamInterface<PiecesCase> {
 protected:
  std::vector<Bytes> mine(bool filled) { return pieces(GetParam().initiator, filled); }
  std::vector<Bytes> theirs(bool filled) { return pieces(GetParam().target, filled); }
};

TEST_P(Pieces4Counts, PutPlacesEveryByteWithoutACopy) {
  std::vector<Bytes> from = mine(true), to = theirs(false);
  append_pieces(to, {.options = kPut | kNoLink});
  ASSERT_EQ(put(bind_iovec(from), {.ack = PTL_ACK_REQ}), PTL_OK);
  job->run(1s);
  EXPECT_EQ(joined(to), pattern(kSize));
  EXPECT_EQ(story(0), "SEND ACK 30000@0");
  EXPECT_EQ(story(1), "PUT 30000/30000@0");
  EXPECT_EQ(copies(), 0U);
  job->close();
}

TEST_P(Pieces4Counts, GetFetchesEveryByteWithoutACopy) {
  std::vector<Bytes> to = mine(false), from = theirs(true);
  append_pieces(from, {.options = kGet | kNoLink});
  ASSERT_EQ(get(bind_iovec(to)), PTL_OK);
  job->run(1s);
  EXPECT_EQ(joined(to), pattern(kSize));
  EXPECT_EQ(story(0), "REPLY 30000@0");
  EXPECT_EQ(story(1), "GET 30000/30000@0");
  EXPECT_EQ(copies(), 0U);
  job->close();
}

INSTANTIATE_TEST_SUITE_P(All, Pieces4Counts,
                         ::testing::Values(PiecesCase{1, 64}, PiecesCase{1, 65}, PiecesCase{65, 1},
                                           PiecesCase{65, 65}, PiecesCase{1, 200},
                                           PiecesCase{200, 1}, PiecesCase{200, 200},
                                           PiecesCase{1, 1024}, PiecesCase{1024, 1},
                                           PiecesCase{1024, 1024}, PiecesCase{65, 1024},
                                           PiecesCase{1024, 65}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.initiator) + "To" +
                                  std::to_string(instance.param.target);
                         });

TEST_F(Pieces4, TruncatedPutFillsThePieces) {
  Bytes twice = pattern(2 * kSize);
  append_pieces(there, {.options = kPut | kNoLink});
  ASSERT_EQ(put(bind(twice), {.ack = PTL_ACK_REQ}), PTL_OK);
  job->run(1s);
  EXPECT_EQ(joined(there), part(twice, 0, kSize));
  EXPECT_EQ(story(0), "SEND ACK 30000@0");
  EXPECT_EQ(story(1), "PUT 30000/60000@0");
  job->close();
}

TEST_F(Pieces4, TruncatedGetFetchesWhatThereIs) {
  Bytes half = pattern(kSize / 2);
  append(half, {.options = kGet | kNoLink});
  ASSERT_EQ(get(bind_iovec(there)), PTL_OK);
  job->run(1s);
  EXPECT_EQ(part(joined(there), 0, kSize / 2), half);
  EXPECT_EQ(part(joined(there), kSize / 2, kSize / 2), Bytes(kSize / 2));
  EXPECT_EQ(story(0), "REPLY 15000@0");
  job->close();
}

TEST_F(Pieces4, PutAtAnOffsetInTheMiddleOfAPiece) {
  append_pieces(there, {.options = kPut | kNoLink});
  std::vector<Bytes> from = pieces(300, true);
  ASSERT_EQ(put(bind_iovec(from), {.offset = 333, .local = 1111, .length = 25000}), PTL_OK);
  job->run(1s);
  Bytes expected(kSize);
  std::ranges::copy(part(pattern(kSize), 1111, 25000), expected.begin() + 333);
  EXPECT_EQ(joined(there), expected);
  job->close();
}

TEST_F(Pieces4, SlowWritesComeInAnyOrderWithEverySeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    JobOptions4 options;
    options.network.seed = seed;
    options.network.attributes.max_write_bytes = 100;
    options.network.max_writes_in_flight = 5;
    start(options);
    there = pieces(200, false);
    std::vector<Bytes> from = pieces(90, true);
    append_pieces(there, {.options = kPut | kNoLink});
    ASSERT_EQ(put(bind_iovec(from), {.ack = PTL_ACK_REQ}), PTL_OK);
    job->run(1s);
    EXPECT_EQ(joined(there), pattern(kSize)) << seed;
    EXPECT_EQ(kinds(0), "SEND ACK") << seed;
    job->close();
  }
}

TEST_F(Pieces4, TargetThatDiesInTheSecondRoundFailsThePut) {
  append_pieces(there, {.options = kPut | kNoLink});
  const Md md = bind(large);
  put_until_second_round(md, {.ack = PTL_ACK_REQ});
  job->kill(1, transport::Death::kNoticed);
  job->run(120s);
  const std::string told = kinds(0);
  EXPECT_TRUE(told == "SEND!UNDELIVERABLE" || told == "SEND ACK!UNDELIVERABLE") << told;
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Pieces4, InitiatorThatDiesInTheSecondRoundFailsThePut) {
  const ptl_handle_me_t entry = append_pieces(there, {.options = kPut | kNoLink});
  put_until_second_round(bind(large));
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  job->kill(0, transport::Death::kNoticed);
  job->run(120s);
  EXPECT_EQ(kinds(1), "PUT!UNDELIVERABLE");
  EXPECT_EQ(unlink(entry), PTL_OK);
}

// An interface is closed in the second round while another keeps the session open.
class Pieces4Closing : public Pieces4, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(Pieces4Closing, TheOtherSideHears) {
  const std::size_t closer = GetParam(), other = 1 - closer;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    job->as(rank);
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY,
                        nullptr, nullptr, &ni),
              PTL_OK);
  }
  job->as(0);
  append_pieces(there, {.options = kPut | kNoLink});
  put_until_second_round(bind(large), {.ack = PTL_ACK_REQ});
  job->as(closer);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  job->as(0);
  const Bytes before = joined(there);
  job->run(60s);
  const std::string told = kinds(other);
  if (closer == 0) {
    EXPECT_EQ(told, "PUT!UNDELIVERABLE");
  } else {
    EXPECT_TRUE(told.starts_with("SEND") && told.ends_with("!UNDELIVERABLE")) << told;
    EXPECT_EQ(joined(there), before) << "written to after PtlNIFini";
  }
}
INSTANTIATE_TEST_SUITE_P(Closers, Pieces4Closing, ::testing::Values(0, 1));

}  // namespace
}  // namespace lintel::testing
