// An OutboundStream and an InboundStream at the two ends of TCP connections that are cut anywhere:
// each piece arrives once, whole and in order.
#include <gtest/gtest.h>

#include <deque>
#include <iterator>
#include <random>

#include "tests/unit/direct/stream_pair.h"

namespace lintel::transport {
namespace {

void expect_arrived(const StreamEnd& from, const StreamEnd& to) {
  EXPECT_EQ(StreamPair::difference(from, to), "");
}

void send_one_of_each(StreamEnd& end) {
  end.send_message(filled(20, 1));
  end.send_write(filled(30, 2), 7);
  end.send_placed(PlacementKey(3), filled(10, 3), filled(40, 4));
  end.send_message({});
  end.send_message(filled(9, 5));
}

std::size_t bytes_of_one_of_each() {
  StreamProcess process;
  StreamEnd end(process);
  send_one_of_each(end);
  std::size_t all = 0;
  while (const std::size_t passed = end.pass_on(1000)) all += passed;
  return all;
}

// The connection is cut when at most `bytes` bytes have gone each way, `lost` of which never
// arrive. False: a stream is broken.
bool cut_after(StreamPair& pair, std::size_t bytes, std::size_t lost) {
  for (StreamEnd* const end : {&pair.a, &pair.b}) {
    for (std::size_t left = bytes; left > 0;) {
      const std::size_t passed = end->pass_on(left);
      if (passed == 0) break;
      left -= passed;
    }
    end->wire.resize(end->wire.size() - std::min(lost, end->wire.size()));
  }
  return StreamPair::receive(pair.a, pair.b, 1000) && StreamPair::receive(pair.b, pair.a, 1000) &&
         pair.cut();
}

// Both send one of each kind.
TEST(ResumedStreams, ACutAfterAnyByteLosesNothingAndRepeatsNothing) {
  const std::size_t all = bytes_of_one_of_each();
  ASSERT_GT(all, 100U);
  for (std::size_t bytes = 0; bytes <= all; ++bytes) {
    for (std::size_t lost = 0; lost <= bytes; lost += 1 + lost / 4) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, of which are lost: " + std::to_string(lost));
      LonePair pair;
      send_one_of_each(pair.a);
      send_one_of_each(pair.b);
      ASSERT_TRUE(cut_after(pair, bytes, lost));
      ASSERT_TRUE(pair.settle());
      expect_arrived(pair.a, pair.b);
      expect_arrived(pair.b, pair.a);
      if (testing::Test::HasFailure()) return;
    }
  }
}

// They are joined to a ring. In each turn all 64 connections have pieces under way and are cut,
// each after another number of bytes than its neighbours: in the end each after every byte.
TEST(ResumedStreams, ACutAfterAnyByteBetween64ProcessesLosesNothingAndRepeatsNothing) {
  std::deque<StreamProcess> processes(64);
  std::deque<StreamPair> ring;
  for (std::size_t i = 0; i < processes.size(); ++i)
    ring.emplace_back(processes[i], processes[(i + 1) % processes.size()]);
  const std::size_t all = bytes_of_one_of_each();
  ASSERT_GT(all, 100U);
  const std::size_t lost[] = {0, 1, 30, all};
  for (std::size_t turn = 0; turn <= all; ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn));
    for (StreamPair& pair : ring) {
      send_one_of_each(pair.a);
      send_one_of_each(pair.b);
    }
    for (std::size_t i = 0; i < ring.size(); ++i)
      ASSERT_TRUE(cut_after(ring[i], (turn + i) % (all + 1), lost[i % std::size(lost)]));
    for (StreamPair& pair : ring) ASSERT_TRUE(pair.settle());
    for (StreamPair& pair : ring) {
      ASSERT_EQ(pair.a.found.size() + pair.b.found.size(), 10U);
      expect_arrived(pair.a, pair.b);
      expect_arrived(pair.b, pair.a);
      pair.forget_what_arrived();
    }
    if (testing::Test::HasFailure()) return;
  }
}

class RandomTraffic {
 public:
  // `longest`: bytes of writes and payloads.
  RandomTraffic(unsigned seed, std::size_t longest) : random_(seed), longest_(longest) {}

  std::size_t cuts() const { return cuts_; }
  std::size_t below(std::size_t limit) { return random_() % limit; }
  // One of the two sends something, passes bytes on or receives them, or the connection is cut and
  // a part of what was on its way is lost. False: a stream is broken.
  bool step(StreamPair& pair) {
    StreamEnd& end = below(2) == 0 ? pair.a : pair.b;
    StreamEnd& other = &end == &pair.a ? pair.b : pair.a;
    switch (const std::size_t action = below(12)) {
      case 0:
      case 1:
      case 2:
        if (end.may_send()) send(end, action);
        return true;
      case 3: return cut(pair);
      case 4: return StreamPair::receive(other, end, 1 + below(3000));
      default: end.pass_on(1 + below(5000)); return true;
    }
  }

 private:
  void send(StreamEnd& end, std::size_t kind) {
    if (kind == 0) return end.send_message(filled(below(2000), 1));
    if (kind == 1) return end.send_write(filled(1 + below(longest_), 2), ++immediate_);
    end.stalls = static_cast<int>(below(2));
    end.send_placed(PlacementKey(5), filled(below(100), 3), filled(1 + below(longest_), 4));
  }
  bool cut(StreamPair& pair) {
    ++cuts_;
    for (StreamEnd* const end : {&pair.a, &pair.b})
      end->wire.resize(end->wire.size() - below(end->wire.size() + 1));
    return StreamPair::receive(pair.a, pair.b, 1 + below(3000)) &&
           StreamPair::receive(pair.b, pair.a, 1 + below(3000)) && pair.cut();
  }

  std::mt19937 random_;
  std::size_t longest_;
  std::size_t cuts_ = 0;
  std::uint32_t immediate_ = 0;
};

TEST(ResumedStreams, ManyCutsAtRandomPlacesLoseNothingAndRepeatNothing) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTraffic traffic(seed, 50000);
    LonePair pair;
    for (int step = 0; step < 2000; ++step) ASSERT_TRUE(traffic.step(pair));
    EXPECT_GT(traffic.cuts(), 100U);
    ASSERT_TRUE(pair.settle());
    expect_arrived(pair.a, pair.b);
    expect_arrived(pair.b, pair.a);
    if (testing::Test::HasFailure()) return;
  }
}

// Of all 2,016 connections between them. The streams of a process share its records and buffers.
TEST(ResumedStreams, ManyCutsBetween64ProcessesLoseNothingAndRepeatNothing) {
  std::deque<StreamProcess> processes(64);
  std::deque<StreamPair> pairs;
  for (std::size_t a = 0; a < processes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(processes[a], processes[b]);
  }
  RandomTraffic traffic(1, 3000);
  for (int step = 0; step < 100000; ++step)
    ASSERT_TRUE(traffic.step(pairs[traffic.below(pairs.size())]));
  EXPECT_GT(traffic.cuts(), 5000U);
  for (StreamPair& pair : pairs) ASSERT_TRUE(pair.settle());
  for (const StreamPair& pair : pairs) {
    expect_arrived(pair.a, pair.b);
    expect_arrived(pair.b, pair.a);
    if (testing::Test::HasFailure()) return;
  }
}

// Of a long write, only what has not arrived is sent again.
TEST(ResumedStreams, ACutInALongWriteRepeatsOnlyWhatWasOnItsWay) {
  LonePair pair;
  pair.a.send_write(filled(50000, 1), 7);
  std::size_t sent = pair.a.pass_on(40000);
  ASSERT_TRUE(pair.receive(pair.a, pair.b, 1000));
  sent += pair.a.pass_on(5000);
  ASSERT_TRUE(pair.cut());  // these 5000 are lost
  while (const std::size_t passed = pair.a.pass_on(1U << 20)) sent += passed;
  EXPECT_EQ(sent, 50000U + sizeof(PieceHeader) + sizeof(WriteHeader) + 5000);
  ASSERT_TRUE(pair.settle());
  expect_arrived(pair.a, pair.b);
}

}  // namespace
}  // namespace lintel::transport
