// What is reported when the peer does not exist or dies.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "tests/fabric/fabric_pair.h"
#include "transport/contact/send_share.h"

namespace lintel::transport {
namespace {

volatile std::sig_atomic_t told_to_die = 0;

// A process that receives on a fixed pid until it is killed. It is killed while it is outside of
// libfabric and closes nothing. With shm of libfabric 1.17, a process killed inside may hold a lock
// for which all others would wait for ever.
class ReceivingProcess {
 public:
  ReceivingProcess(const std::string& provider, Pid pid) {
    int ready[2];
    if (::pipe(ready) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::close(ready[0]);
      NetworkOptions options = options_for(provider);
      options.pid = pid;
      std::string explanation;
      auto opened = open_network(options, {}, &explanation);
      if (!opened) {
        std::fprintf(stderr, "%s\n", explanation.c_str());
        ::_exit(1);
      }
      Node node;
      node.transport = std::move(opened).value();
      ::signal(SIGUSR1, [](int) { told_to_die = 1; });
      const char byte = 1;
      (void)!::write(ready[1], &byte, 1);
      while (told_to_die == 0) node.poll();
      ::raise(SIGKILL);
    }
    ::close(ready[1]);
    char byte = 0;
    ready_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
  }
  ~ReceivingProcess() { kill(); }
  bool ready() const { return ready_; }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGUSR1);
    ::waitpid(std::exchange(child_, -1), nullptr, 0);
  }

 private:
  pid_t child_ = -1;
  bool ready_ = false;
};

class FabricFailure : public testing::TestWithParam<const char*> {};
LINTEL_FOR_EACH_PROVIDER(FabricFailure);

NetworkOptions impatient(const char* provider) {
  NetworkOptions options = options_for(provider);
  options.connect_timeout = std::chrono::milliseconds(300);
  return options;
}

// Tries to send one message until `done`. An accepted message is not sent again.
template <class Done>
bool keep_sending(Node& node, PeerId to, std::size_t bytes, Done done) {
  return until({&node}, [&] {
    if (const MessageBuffer buffer = node.transport->reserve(to, bytes)) {
      if (node.transport->commit(to, buffer, bytes) != PostStatus::kOk)
        node.transport->abandon(to, buffer);
    }
    return done();
  });
}

TEST_P(FabricFailure, APeerThatNeverExistedIsReportedAfterTheConnectTimeout) {
  Node node = open_node(impatient(GetParam()));
  const PeerId nobody = node.transport->resolve({node.transport->self().nid, Pid(1000)}).value();
  const TimePoint start = monotonic_now();
  ASSERT_TRUE(keep_sending(node, nobody, 8, [&] { return !node.seen.failures.empty(); }));
  EXPECT_GE(monotonic_now() - start, std::chrono::milliseconds(300));
  EXPECT_EQ(node.seen.failures[0].first, nobody);
  EXPECT_EQ(node.seen.failures[0].second.loss(), Loss::kPeer);
}

TEST_P(FabricFailure, APeerThatStartsLateIsReachedWithoutAReport) {
  ReceivingProcess late(GetParam(), Pid(1001));
  late.kill();  // leaves the files that a killed process leaves
  Node node = open_node(options_for(GetParam()));
  const PeerId peer = node.transport->resolve({node.transport->self().nid, Pid(1001)}).value();
  const TimePoint soon = monotonic_now() + std::chrono::milliseconds(200);
  keep_sending(node, peer, 8, [&] { return monotonic_now() > soon; });
  EXPECT_EQ(node.seen.messages_left, 0U);
  ReceivingProcess now(GetParam(), Pid(1001));
  ASSERT_TRUE(now.ready());
  ASSERT_TRUE(keep_sending(node, peer, 8, [&] { return node.seen.messages_left > 0; }));
  EXPECT_TRUE(node.seen.failures.empty());
}

TEST_P(FabricFailure, TheDeathOfAPeerIsReportedAndItsSuccessorIsReached) {
  auto process = std::make_unique<ReceivingProcess>(GetParam(), Pid(1002));
  ASSERT_TRUE(process->ready());
  Node node = open_node(impatient(GetParam()));
  const PeerId peer = node.transport->resolve({node.transport->self().nid, Pid(1002)}).value();
  ASSERT_TRUE(keep_sending(node, peer, 4000, [&] { return node.seen.messages_left > 100; }));

  process->kill();
  ASSERT_TRUE(keep_sending(node, peer, 4000, [&] { return !node.seen.failures.empty(); }));
  EXPECT_EQ(node.seen.failures[0].first, peer);

  process = std::make_unique<ReceivingProcess>(GetParam(), Pid(1002));
  ASSERT_TRUE(process->ready());
  const std::size_t left = node.seen.messages_left;
  ASSERT_TRUE(
      keep_sending(node, peer, 4000, [&] { return node.seen.messages_left > left + 1000; }));
}

TEST_P(FabricFailure, EveryFrameIsFreeAgainAfterManyDeaths) {
  NetworkOptions options = impatient(GetParam());
  Node node = open_node(options);
  const PeerId peer = node.transport->resolve({node.transport->self().nid, Pid(1003)}).value();
  const std::size_t bytes = node.transport->attributes().max_message_bytes;
  for (int death = 0; death < 3; ++death) {
    ReceivingProcess process(GetParam(), Pid(1003));
    ASSERT_TRUE(process.ready());
    node.seen.failures.clear();
    const std::size_t left = node.seen.messages_left;
    ASSERT_TRUE(keep_sending(node, peer, bytes, [&] {
      return node.seen.messages_left > left + 20;
    })) << death;
    process.kill();
    ASSERT_TRUE(keep_sending(node, peer, bytes, [&] { return !node.seen.failures.empty(); }))
        << death;
  }
  std::vector<MessageBuffer> lent;
  ASSERT_TRUE(until({&node}, [&] {
    while (MessageBuffer buffer = node.transport->reserve(peer, bytes))
      lent.push_back(std::move(buffer));
    return lent.size() == SendShare::most(options.send_frames);
  })) << lent.size();
  for (const MessageBuffer& buffer : lent) node.transport->abandon(peer, buffer);
}

TEST_P(FabricFailure, EveryWriteToAPeerThatDiesEnds) {
  auto process = std::make_unique<ReceivingProcess>(GetParam(), Pid(1004));
  ASSERT_TRUE(process->ready());
  Node node = open_node(impatient(GetParam()));
  const PeerId peer = node.transport->resolve({node.transport->self().nid, Pid(1004)}).value();
  ASSERT_TRUE(keep_sending(node, peer, 8, [&] { return node.seen.messages_left > 0; }));
  const std::vector<std::byte> source = pattern(std::size_t{1} << 20, 1);
  const Registration region =
      node.transport
          ->register_memory(peer, {const_cast<std::byte*>(source.data()), source.size()},
                            Access::kWriteSource)
          .value();
  process->kill();
  // A write to unregistered memory of a process that has died.
  std::uint64_t posted = 0;
  for (int i = 0; i < 8; ++i) {
    if (node.transport->post_write(peer, {source.data(), source.size(), region}, {1, 0},
                                   Immediate(1), Context(posted)) == PostStatus::kOk)
      ++posted;
  }
  ASSERT_TRUE(keep_sending(node, peer, 8, [&] {
    return node.seen.write_ends.size() == posted && !node.seen.failures.empty();
  })) << posted;
}

// A process that sends to `pid` once told to, until it is killed.
class SenderProcess {
 public:
  SenderProcess(const std::string& provider, ProcessId to) {
    int start[2];
    if (::pipe(start) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::close(start[1]);
      char byte = 0;
      if (::read(start[0], &byte, 1) != 1) ::_exit(0);
      Node node = open_node(options_for(provider));
      const PeerId peer = node.transport->resolve(to).value();
      for (;;)
        keep_sending(node, peer, node.transport->attributes().max_message_bytes,
                     [] { return false; });
    }
    ::close(start[0]);
    start_ = start[1];
  }
  SenderProcess(SenderProcess&& other) noexcept
      : child_(std::exchange(other.child_, -1)), start_(std::exchange(other.start_, -1)) {}
  ~SenderProcess() { kill(); }
  void start() {
    const char byte = 1;
    (void)!::write(start_, &byte, 1);
  }
  void kill() {
    if (start_ >= 0) ::close(std::exchange(start_, -1));
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(std::exchange(child_, -1), nullptr, 0);
  }

 private:
  pid_t child_ = -1;
  int start_ = -1;
};

// Not through shared memory: see ReceivingProcess.
class FabricFailureOverTcp : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Provider, FabricFailureOverTcp,
                         testing::Values("direct", "net", "tcp;ofi_rxm"), provider_test_name);

TEST_P(FabricFailureOverTcp, TheReceiverStillReceivesAfterSendersDieInTheMiddleOfAMessage) {
  NetworkOptions options = options_for(GetParam());
  options.pid = Pid(1005);
  FabricOptions fabric;
  fabric.receive_buffers = 2;
  // created before anything is open here, so that they inherit no descriptor
  std::vector<SenderProcess> senders;
  for (int i = 0; i < 6; ++i)
    senders.emplace_back(GetParam(), ProcessId{NodeId(0x7f000001U), options.pid});
  Node receiver = open_node(options, fabric);
  Node other = open_node(options_for(GetParam()));
  const PeerId to = other.transport->resolve(receiver.transport->self()).value();
  receiver.seen.keep_messages = false;
  for (std::size_t round = 0; round < senders.size(); ++round) {
    senders[round].start();
    std::size_t before = receiver.seen.message_count;
    ASSERT_TRUE(until({&receiver}, [&] { return receiver.seen.message_count > before + 50; }))
        << round;
    senders[round].kill();
    for (int i = 0; i < 1000; ++i) receiver.poll();
    before = receiver.seen.message_count;
    for (std::uint32_t i = 0; i < 200; ++i)
      ASSERT_TRUE(send(other, to, pattern(4000, i), {&other, &receiver})) << round;
    ASSERT_TRUE(until({&other, &receiver}, [&] {
      return receiver.seen.message_count >= before + 200;
    })) << round;
  }
}

}  // namespace
}  // namespace lintel::transport
