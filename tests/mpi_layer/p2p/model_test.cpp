// Random programs of several processes, with all modes, wildcards, probes and cancels, and messages
// of all protocols at once, on a network that reorders, checked against MPI's rules: a plain list
// per receiver says for each message which receives it may match.

#include <algorithm>
#include <map>
#include <random>

#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

struct Sent {
  Transfer* transfer;
  std::int32_t from;
  std::int32_t to;
  With with;
  std::uint64_t number;  // among those of its pair and context
};

struct Posted {
  Transfer* transfer;
  std::int32_t source;
  With with;
  std::uint64_t number;  // among those of its process
  // it is not cancelled, because a matched probe has it or a ready send relies on it
  bool stays = false;
};

bool admits(const Posted& posted, const Sent& sent) {
  const bool source = posted.source == kAnySource || posted.source == sent.from;
  const bool tag =
      posted.with.tag == kAnyTag ? sent.with.tag >= 0 : posted.with.tag == sent.with.tag;
  return source && tag && posted.with.context == sent.with.context;
}

struct Shape {
  std::size_t processes;
  std::uint64_t memory;
  std::uint64_t seed;
};

class Model : public P2pTest, public ::testing::WithParamInterface<Shape> {
 protected:
  static constexpr int kSteps = 1500;
  static constexpr std::uint64_t kMiddle = 30'000;
  static constexpr std::uint64_t kLongest = 400'000;
  // Only for ready sends. A receive is posted before each of them, so that there is always one for
  // it, if not that one.
  static constexpr std::int32_t kReadyTag = 3;

  Model() : random_(GetParam().seed) {
    MessengerJobOptions options;
    options.processes = GetParam().processes;
    options.network.seed = GetParam().seed;
    options.network.longest_delay = 100us;
    options.network.max_in_flight = 8;
    options.network.attributes.max_write_bytes = 64 << 10;
    options.messenger.unexpected_bytes = GetParam().memory;
    options.messenger.unexpected_headers = 64;
    options.messenger.least_headers = GetParam().seed % 2 == 0 ? 16 : 1024;
    options.messenger.most_receives = GetParam().seed % 3 == 0 ? 10 : 100'000;
    start(options);
  }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  std::int32_t anybody() { return static_cast<std::int32_t>(below(GetParam().processes)); }
  std::uint64_t some_length() {
    static constexpr std::uint64_t kUsual[] = {0, 1, 8, 1023, 1024, 1025, 4000, kMiddle};
    return below(24) == 0 ? kMiddle + below(kLongest - kMiddle) : kUsual[below(8)];
  }
  With some_envelope() {
    static constexpr SendMode kModes[] = {SendMode::kStandard, SendMode::kStandard,
                                          SendMode::kSynchronous, SendMode::kBuffered};
    return {.tag = below(10) == 0 ? -1 : static_cast<std::int32_t>(below(3)),
            .context = static_cast<std::uint32_t>(below(2)),
            .mode = kModes[below(4)]};
  }

  void send_some();
  void send_ready();
  void receive_some();
  void probe_some();
  void cancel_some();
  void drain_all();
  void check();
  void check_pair(const Sent& sent, const Posted& posted);

  std::mt19937_64 random_;
  std::vector<Sent> sent_;
  std::vector<Posted> posted_;
};

void Model::send_some() {
  const std::int32_t from = anybody();
  const std::int32_t to = anybody();
  const With with = some_envelope();
  sent_.push_back({&send(static_cast<std::size_t>(from), to, some_length(), with), from, to, with,
                   sent_.size()});
}

void Model::send_ready() {
  const std::int32_t from = anybody();
  const std::int32_t to = anybody();
  const With with{
      .tag = kReadyTag, .context = static_cast<std::uint32_t>(below(2)), .mode = SendMode::kReady};
  const std::uint64_t length = some_length();
  posted_.push_back({&receive(static_cast<std::size_t>(to), from, length, with), from, with,
                     posted_.size(), true});
  sent_.push_back(
      {&send(static_cast<std::size_t>(from), to, length, with), from, to, with, sent_.size()});
}

// Some are too short for their messages.
void Model::receive_some() {
  const std::int32_t at = anybody();
  With with = some_envelope();
  if (below(3) == 0) with.tag = kAnyTag;
  const std::int32_t source = below(3) == 0 ? kAnySource : anybody();
  const std::uint64_t capacity = below(8) == 0 ? kLongest : kMiddle;
  posted_.push_back({&receive(static_cast<std::size_t>(at), source, capacity, with), source, with,
                     posted_.size()});
}

void Model::probe_some() {
  const auto rank = static_cast<std::size_t>(anybody());
  With with = some_envelope();
  if (below(2) == 0) with.tag = kAnyTag;
  mpi::MatchedMessage message;
  ASSERT_EQ(at(rank).improbe({kAnySource, with.context, with.tag}, message), CallError::kNone);
  if (!message) return;
  const mpi::MessageResult envelope = message.envelope();
  ASSERT_NE(envelope.tag, kReadyTag)
      << "a message has not met its receive, which was posted before it was sent";
  Transfer& made = this->message(rank, envelope.length);
  ASSERT_EQ(
      at(rank).receive_matched(message, made.buffer.data(), envelope.length, made.as_receive()),
      CallError::kNone);
  with.tag = envelope.tag;
  posted_.push_back({&made, envelope.source, with, posted_.size(), true});
}

void Model::cancel_some() {
  if (below(2) == 0 && !sent_.empty()) {
    Sent& sent = sent_[below(sent_.size())];
    if (sent.transfer->request().active()) at(sent.transfer->rank).cancel(sent.transfer->request());
  } else if (!posted_.empty()) {
    Posted& posted = posted_[below(posted_.size())];
    if (posted.transfer->request().active() && !posted.stays)
      at(posted.transfer->rank).cancel(posted.transfer->request());
  }
}

// Cancels all receives without a message, then receives everything that is left.
void Model::drain_all() {
  job->settle();
  for (Posted& posted : posted_) {
    if (posted.transfer->request().active() && !ended(*posted.transfer))
      at(posted.transfer->rank).cancel(posted.transfer->request());
  }
  for (int round = 0; round < 100; ++round) {
    job->settle();
    bool found = false;
    for (std::size_t rank = 0; rank < GetParam().processes; ++rank) {
      for (std::uint32_t context = 0; context < 2; ++context) {
        for (const std::int32_t tag : {kAnyTag, -1}) {
          while (true) {
            bool there = false;
            mpi::MessageResult envelope;
            ASSERT_EQ(at(rank).iprobe({kAnySource, context, tag}, there, envelope),
                      CallError::kNone);
            if (!there) break;
            found = true;
            With with{.tag = tag, .context = context};
            posted_.push_back({&receive(rank, kAnySource, envelope.length, with), kAnySource, with,
                               posted_.size()});
          }
        }
      }
    }
    if (!found) break;
  }
  job->settle();
  for (Sent& sent : sent_) {
    EXPECT_TRUE(!sent.transfer->request().active() || ended(*sent.transfer))
        << "a send to " << sent.to << " has not ended";
  }
  for (Posted& posted : posted_) {
    EXPECT_TRUE(!posted.transfer->request().active() || ended(*posted.transfer))
        << "a receive has not ended";
  }
}

void Model::check_pair(const Sent& sent, const Posted& posted) {
  EXPECT_TRUE(admits(posted, sent));
  EXPECT_TRUE(same(*sent.transfer, *posted.transfer));
}

// Each message that was not cancelled was received exactly once, whole or as far as there was room,
// by a receive that admits it. Messages are identified by pair, context and order: the receives
// that got messages of one sender, in one context and with one tag, got them in the order in which
// they were posted and sent.
void Model::check() {
  // from, to, context, tag
  using Stream = std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::int32_t>;
  std::map<Stream, std::vector<Sent*>> streams;
  std::map<Stream, std::vector<Posted*>> got;
  for (Sent& sent : sent_) {
    if (!sent.transfer->result().cancelled)
      streams[{sent.from, sent.to, sent.with.context, sent.with.tag}].push_back(&sent);
  }
  for (Posted& posted : posted_) {
    const mpi::MessageResult& result = posted.transfer->result();
    if (result.cancelled) continue;
    got[{result.source, static_cast<std::int32_t>(posted.transfer->rank), posted.with.context,
         result.tag}]
        .push_back(&posted);
  }
  std::size_t received = 0;
  int truncated = 0;
  int longer = 0;
  for (auto& [stream, messages] : streams) {
    std::vector<Posted*>& receives = got[stream];
    ASSERT_EQ(receives.size(), messages.size());
    received += receives.size();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      check_pair(*messages[i], *receives[i]);
      if (receives[i]->transfer->result().failure == RequestFailure::kTruncated) ++truncated;
      if (messages[i]->transfer->buffer.size() > kMiddle) ++longer;
    }
  }
  std::size_t all = 0;
  for (auto& [stream, receives] : got) all += receives.size();
  EXPECT_EQ(all, received) << "receives got messages that nobody sent";
  EXPECT_GT(truncated, 0);
  EXPECT_GT(longer, 5);
  // For one sender in one context, whatever the tags: a receive for a later message that also
  // admits an earlier one was posted after the earlier one was received.
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>,
           std::vector<std::pair<Sent*, Posted*>>>
      pairs;
  for (auto& [stream, messages] : streams) {
    const auto [from, to, context, tag] = stream;
    for (std::size_t i = 0; i < messages.size(); ++i)
      pairs[{from, to, context}].emplace_back(messages[i], got[stream][i]);
  }
  for (auto& [pair, met] : pairs) {
    std::ranges::sort(met, {}, [](const auto& one) { return one.first->number; });
    for (std::size_t i = 0; i < met.size(); ++i) {
      for (std::size_t j = i + 1; j < met.size(); ++j) {
        if (!admits(*met[j].second, *met[i].first)) continue;
        EXPECT_GT(met[j].second->number, met[i].second->number)
            << "a later message has overtaken an earlier one";
      }
    }
  }
}

TEST_P(Model, RandomProgramsKeepTheRulesOfMatching) {
  for (int step = 0; step < kSteps && !HasFailure(); ++step) {
    switch (below(11)) {
      case 0:
      case 1:
      case 2:
      case 3: send_some(); break;
      case 4:
      case 5:
      case 6: receive_some(); break;
      case 7: probe_some(); break;
      case 8: cancel_some(); break;
      case 9: send_ready(); break;
      default: job->run(std::chrono::microseconds(below(300))); break;
    }
  }
  if (HasFailure()) return;
  drain_all();
  check();
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    static constexpr std::uint64_t kMemory[] = {0, 16'000, 40'000, 1 << 20};
    all.push_back({2 + seed % 4, kMemory[seed % 4], seed});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Programs, Model, ::testing::ValuesIn(shapes()), [](const auto& shape) {
  return "Seed" + std::to_string(shape.param.seed);
});

}  // namespace
}  // namespace lintel::testing
