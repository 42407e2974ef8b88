// Several threads of one process in calls of one messenger, which make progress for each other and
// wake each other.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mpi_layer/p2p/messenger.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {
namespace {

using mpi::CallError;
using mpi::kAnySource;
using mpi::Messenger;
using mpi::RequestFailure;
using mpi::SendMode;

// One process in real time that sends to itself. Its threads sleep when they have nothing to do.
class Threads : public ::testing::Test {
 protected:
  static constexpr int kThreads = 4;

  Threads()
      : processes({.processes = 1,
                   .endpoint = {.eager_limit = 1024, .max_operations = 4096},
                   .real_time = true}) {
    std::string explanation;
    mpi::MessengerOptions options;
    options.unexpected_bytes = 100'000;
    messenger = Messenger::open(processes.process(0), options, explanation);
    EXPECT_EQ(messenger->add_peer(SimulatedProcesses::name(0)), CallError::kNone);
  }
  ~Threads() override { messenger.reset(); }

  template <class Body>
  void run(Body body) {
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number)
      threads.emplace_back([body, number] { body(number); });
    for (std::thread& thread : threads) thread.join();
  }
  void send(std::int32_t tag, std::vector<std::byte>& bytes, SendMode mode = SendMode::kStandard) {
    mpi::SendRequest request;
    ASSERT_EQ(messenger->send({bytes.data(), bytes.size(), 0, 1, tag, mode}, request),
              CallError::kNone);
    messenger->wait(request);
    ASSERT_EQ(request.result().failure, RequestFailure::kNone);
  }
  void receive(std::int32_t tag, std::vector<std::byte>& bytes) {
    mpi::ReceiveRequest request;
    ASSERT_EQ(messenger->receive({bytes.data(), bytes.size(), kAnySource, 1, tag}, request),
              CallError::kNone);
    messenger->wait(request);
    ASSERT_EQ(request.result().failure, RequestFailure::kNone);
  }

  SimulatedProcesses processes;
  std::unique_ptr<Messenger> messenger;
};

// Thread n sends to thread n + 1 and receives from thread n - 1.
TEST_F(Threads, RingOfThreadsPassesMessagesOfAllLengths) {
  run([this](int number) {
    const std::int32_t next = (number + 1) % kThreads;
    for (int round = 0; round < 100; ++round) {
      const std::size_t length = round % 3 == 0 ? 8 : (round % 3 == 1 ? 1024 : 20'000);
      std::vector<std::byte> out(length, static_cast<std::byte>(round));
      std::vector<std::byte> in(length);
      mpi::SendRequest sent;
      ASSERT_EQ(messenger->send({out.data(), length, 0, 1, next, SendMode::kSynchronous}, sent),
                CallError::kNone);
      receive(number, in);
      messenger->wait(sent);
      ASSERT_EQ(in, out);
    }
  });
}

TEST_F(Threads, WaitingThreadIsWokenByWhatAnotherTakesIn) {
  run([this](int number) {
    std::vector<std::byte> bytes(100);
    for (int round = 0; round < 100; ++round) {
      if (number % 2 == 0) {
        receive(number, bytes);
        send(number + 1, bytes);
      } else {
        send(number - 1, bytes);
        receive(number, bytes);
      }
    }
  });
}

TEST_F(Threads, EachMatchedProbeHasItsOwnMessage) {
  std::atomic<int> sum{0};
  run([&](int number) {
    if (number == 0) {
      for (int i = 0; i < 300; ++i) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(i % 2 == 0 ? 4 : 3000), std::byte{1});
        send(7, bytes, SendMode::kBuffered);
      }
      return;
    }
    for (int i = 0; i < 100; ++i) {
      mpi::MatchedMessage message;
      ASSERT_EQ(messenger->mprobe({kAnySource, 1, 7}, message), CallError::kNone);
      std::vector<std::byte> bytes(message.envelope().length);
      mpi::ReceiveRequest request;
      ASSERT_EQ(messenger->receive_matched(message, bytes.data(), bytes.size(), request),
                CallError::kNone);
      messenger->wait(request);
      sum += static_cast<int>(bytes.back());
    }
  });
  EXPECT_EQ(sum, 300);
}

}  // namespace
}  // namespace lintel::testing
