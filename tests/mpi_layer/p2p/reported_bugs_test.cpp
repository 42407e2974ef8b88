// At least one test for each row of the table of bugs that were reported against other
// implementations, in areas. The numbers are those of the reports.

#include "base/counters.h"
#include "tests/mpi_layer/p2p/p2p_test.h"

namespace lintel::testing {
namespace {

using mpi::MatchedMessage;
using mpi::Messenger;

class ReportedBugs : public P2pTest {
 protected:
  ReportedBugs() { start(); }
  std::uint64_t drops(std::size_t rank) {
    return job->processes().process(rank).counters().drops();
  }
};

// ompi#11306, #11324, #8078, #9626, mpich#5775, #2266
TEST_F(ReportedBugs, CancelOfASendDoesNotBlockAndAWaitAfterItReturns) {
  for (const SendMode mode : {SendMode::kStandard, SendMode::kSynchronous, SendMode::kReady}) {
    for (const std::uint64_t length : {8U, 50'000U}) {
      Transfer* const posted = mode == SendMode::kReady ? &receive(1, 0, length) : nullptr;
      Transfer& sent = send(0, 1, length, {.mode = mode});
      at(0).cancel(sent.request());
      at(0).cancel(sent.request());
      as(0).wait(sent.request());
      if (posted != nullptr) {
        EXPECT_FALSE(sent.result().cancelled);
        job->settle();
        ASSERT_TRUE(ended(*posted));
        EXPECT_TRUE(same(sent, *posted));
      } else if (!sent.result().cancelled) {
        receive(1, 0, length);
      }
      job->settle();
    }
  }
}

// ompi#5476, #5499, #6385, mpich#5980, #6584, #7184
TEST_F(ReportedBugs, CancelOfAReceiveWhoseMessageIsComingDoesNotBlockAndAWaitAfterItReturns) {
  for (const std::uint64_t length : {8U, 50'000U}) {
    int cancelled = 0;
    int received = 0;
    for (int step = 0; step < 80; ++step) {
      MessengerJobOptions options;
      options.network.seed = static_cast<std::uint64_t>(step + 1);
      start(options);
      EXPECT_TRUE(arrived(send(0, 1, 8), receive(1, 0, 8)));
      Transfer& first = receive(1, step % 2 == 0 ? 0 : kAnySource, length);
      Transfer& sent = send(0, 1, length);
      for (int i = 0; i < step; ++i) job->run(2us);
      at(1).cancel(first.request());
      job->settle();
      ASSERT_TRUE(ended(first)) << step;
      if (first.result().cancelled) {
        ++cancelled;
        EXPECT_TRUE(arrived(sent, receive(1, 0, length))) << step;
      } else {
        ++received;
        EXPECT_TRUE(ended(sent)) << step;
        EXPECT_TRUE(same(sent, first)) << step;
      }
    }
    EXPECT_GT(cancelled, 0);
    EXPECT_GT(received, 0);
  }
}

// ompi#1175 (mpich cancelrecv)
TEST_F(ReportedBugs, CancelledReceivesLeaveThoseBesideThemInPlace) {
  std::vector<Transfer*> receives;
  for (const std::int32_t tag : {0, 1, 2, 3, 4})
    receives.push_back(&receive(1, 0, 2000, {.tag = tag}));
  for (const std::size_t tag : {4U, 0U, 2U}) {
    at(1).cancel(receives[tag]->request());
    as(1).wait(receives[tag]->request());
    EXPECT_TRUE(receives[tag]->result().cancelled);
  }
  std::vector<Transfer*> sent;
  for (const std::int32_t tag : {0, 1, 2, 3, 4})
    sent.push_back(&send(0, 1, tag % 2 == 0 ? 2000 : 100, {.tag = tag}));
  for (const std::size_t tag : {3U, 1U}) EXPECT_TRUE(arrived(*sent[tag], *receives[tag])) << tag;
  for (const std::int32_t tag : {0, 2, 4}) {
    EXPECT_TRUE(arrived(*sent[static_cast<std::size_t>(tag)], receive(1, 0, 2000, {.tag = tag})))
        << tag;
  }
  job->close(0);
  job->close(1);
}

// mpich cancelanysrc
TEST_F(ReportedBugs, CancelOfAReceiveFromAnySourceLeavesTheNextOneInPlace) {
  Transfer& first = receive(1, kAnySource, 8);
  Transfer& second = receive(1, kAnySource, 8);
  at(1).cancel(first.request());
  as(1).wait(first.request());
  EXPECT_TRUE(first.result().cancelled);
  EXPECT_TRUE(arrived(send(0, 1, 8), second));
}

// ompi#4533, mpich#2439
TEST_F(ReportedBugs, ProbeAndMprobeOfAMessageToOneself) {
  Transfer& sent = send(0, 0, 5000);
  mpi::MessageResult envelope;
  EXPECT_EQ(as(0).probe({0, 1, kAnyTag}, envelope), CallError::kNone);
  EXPECT_EQ(envelope.tag, 5);
  MatchedMessage message;
  EXPECT_EQ(as(0).mprobe({kAnySource, 1, kAnyTag}, message), CallError::kNone);
  EXPECT_EQ(message.envelope().tag, 5);
  Transfer& received = this->message(0, 5000);
  EXPECT_EQ(at(0).receive_matched(message, received.buffer.data(), 5000, received.as_receive()),
            CallError::kNone);
  EXPECT_FALSE(message);
  EXPECT_TRUE(arrived(sent, received));
}

// mpich#2714
TEST_F(ReportedBugs, MprobeWaitsForAMessageThatIsNotThereYet) {
  Transfer& sent = send(0, 1, 5000);
  MatchedMessage message;
  EXPECT_EQ(at(1).improbe({0, 1, 5}, message), CallError::kNone);
  EXPECT_FALSE(message);
  EXPECT_EQ(message.envelope().failure, RequestFailure::kNone);
  EXPECT_EQ(as(1).mprobe({0, 1, 5}, message), CallError::kNone);
  ASSERT_TRUE(message);
  Transfer& received = this->message(1, 5000);
  EXPECT_EQ(at(1).receive_matched(message, received.buffer.data(), 5000, received.as_receive()),
            CallError::kNone);
  EXPECT_TRUE(arrived(sent, received));
}

// ompi#8012, #8013, #8124, #8138
TEST_F(ReportedBugs, ProbeThatFindsNothingDoesNotBlockOrChangeAnything) {
  bool found = true;
  mpi::MessageResult envelope;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(at(1).iprobe({kAnySource, 1, kAnyTag}, found, envelope), CallError::kNone);
    EXPECT_FALSE(found);
  }
  EXPECT_TRUE(arrived(send(0, 1, 8), receive(1, 0, 8)));
}

// libfabric#8274, mpich#6641
TEST_F(ReportedBugs, TruncationIsAnErrorOfThatRequestOnly) {
  std::vector<std::pair<Transfer*, Transfer*>> pairs;
  for (int i = 0; i < 20; ++i) {
    Transfer& received = receive(1, 0, i % 2 == 0 ? 5000 : 100);
    pairs.emplace_back(&send(0, 1, i % 3 == 0 ? 5000 : 600), &received);
  }
  for (auto& [sent, received] : pairs) EXPECT_TRUE(arrived(*sent, *received));
}

// libfabric#7904
TEST_F(ReportedBugs, AnySourceKeepsTheOrderOfEachSourceAmongMany) {
  start({.processes = 4});
  std::vector<std::vector<Transfer*>> sent(4);
  for (int i = 0; i < 30; ++i) {
    for (std::size_t from = 1; from < 4; ++from)
      sent[from].push_back(&send(from, 0, i % 4 == 0 ? 3000 : 10));
  }
  std::vector<std::size_t> next(4, 0);
  for (int i = 0; i < 90; ++i) {
    Transfer& received = receive(0, kAnySource, 3000, {.tag = kAnyTag});
    job->settle();
    ASSERT_TRUE(ended(received));
    const auto from = static_cast<std::size_t>(received.result().source);
    ASSERT_LT(next[from], 30U);
    Transfer& expected = *sent[from][next[from]++];
    EXPECT_TRUE(ended(expected));
    EXPECT_TRUE(same(expected, received));
  }
}

// mpich huge_anysrc, precv_anysrc
TEST_F(ReportedBugs, HugeMessageFromAnySourceAndPersistentReceives) {
  Transfer& received = message(1, 3'000'000);
  ASSERT_EQ(at(1).init_receive({received.buffer.data(), 3'000'000, kAnySource, 1, kAnyTag},
                               received.as_receive()),
            CallError::kNone);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(at(1).start(received.request()), CallError::kNone);
    EXPECT_TRUE(arrived(send(0, 1, 3'000'000, {.tag = round}), received));
  }
}

// ompi#5446, #12412, #12561
TEST_F(ReportedBugs, BackPressureOfAFloodDoesNotStallReceives) {
  MessengerJobOptions options;
  options.messenger.unexpected_bytes = 20'000;
  options.messenger.unexpected_headers = 128;
  options.messenger.least_headers = 32;
  options.network.max_in_flight = 4;
  start(options);
  Transfer& back = receive(0, 1, 5000);
  for (int i = 0; i < 2000; ++i) send(0, 1, 700);
  EXPECT_TRUE(arrived(send(1, 0, 5000), back));
  Transfer& short_one = receive(0, 1, 8);
  EXPECT_TRUE(arrived(send(1, 0, 8), short_one));
  for (int i = 0; i < 2000; ++i) {
    Transfer& received = receive(1, 0, 700);
    job->settle();
    ASSERT_TRUE(ended(received)) << i;
  }
  EXPECT_EQ(drops(0) + drops(1), 0U);
}

// ompi#8561, #7272, #6091, #12974, moose#20060, ucx#751
TEST_F(ReportedBugs, UnexpectedMessagesDoNotExhaustMemory) {
  MessengerJobOptions options;
  options.processes = 4;
  options.messenger.unexpected_bytes = 60'000;
  start(options);
  std::vector<std::pair<std::size_t, Transfer*>> sent;
  for (int i = 0; i < 300; ++i) {
    for (std::size_t from = 1; from < 4; ++from)
      sent.emplace_back(from, &send(from, 0, 1000, {.tag = i}));
  }
  // Probes that find and leave them do not either.
  for (int i = 0; i < 1000; ++i) {
    bool found = false;
    mpi::MessageResult envelope;
    ASSERT_EQ(at(0).iprobe({kAnySource, 1, i % 300}, found, envelope), CallError::kNone);
    if (i % 100 == 0) job->run(10us);
  }
  job->settle();
  for (auto& [from, transfer] : sent) {
    Transfer& received = receive(0, static_cast<std::int32_t>(from), 1000, {.tag = kAnyTag});
    EXPECT_TRUE(arrived(*transfer, received));
  }
  EXPECT_EQ(drops(0), 0U);
}

// libfabric#11723
TEST_F(ReportedBugs, OrderingHoldsAcrossProtocols) {
  std::vector<Transfer*> sent;
  for (int i = 0; i < 100; ++i) sent.push_back(&send(0, 1, i % 2 == 0 ? 20'000 : 4));
  for (Transfer* transfer : sent) {
    Transfer& received = receive(1, 0, 20'000);
    EXPECT_TRUE(arrived(*transfer, received));
  }
}

// libfabric#6720, ompi#147, #7171, #7118
TEST_F(ReportedBugs, FinalizeLosesNothingAndDoesNotHang) {
  std::vector<Transfer*> received;
  std::vector<Transfer*> sent;
  for (int i = 0; i < 100; ++i) {
    received.push_back(&receive(1, 0, 30'000));
    sent.push_back(&send(0, 1, i % 2 == 0 ? 10 : 30'000, {.mode = SendMode::kBuffered}));
  }
  job->close(0);
  job->settle();
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(ended(*received[i])) << i;
    EXPECT_EQ(received[i]->result().length, sent[i]->buffer.size());
    EXPECT_TRUE(
        std::equal(sent[i]->buffer.begin(), sent[i]->buffer.end(), received[i]->buffer.begin()))
        << i;
  }
  job->close(1);
}

// ompi#4801, #7895
TEST_F(ReportedBugs, ProcessIsNotAddedTwiceNorBeyondTheTable) {
  EXPECT_EQ(at(0).add_peer(SimulatedProcesses::name(1)), CallError::kProcess);
  EXPECT_EQ(at(0).add_peer(SimulatedProcesses::name(2)), CallError::kProcess);
  EXPECT_EQ(at(0).peers(), 2U);
  EXPECT_TRUE(arrived(send(0, 1, 8), receive(1, 0, 8)));
}

}  // namespace
}  // namespace lintel::testing
