#pragma once
// Two transports on a real network in one process, and what they report. Time is real: every wait
// ends with its condition or at a deadline, and nothing sleeps for a fixed time.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "transport/network/network.h"

namespace lintel::transport {

inline constexpr Nanoseconds kTimeout = std::chrono::seconds(20);

// Records everything that a transport reports.
class Recorder : public Sink {
 public:
  struct WriteEnd {
    Context context;
    Error error;
  };
  std::vector<std::vector<std::byte>> messages;
  std::vector<std::vector<std::byte>> placed;  // payloads
  std::vector<Immediate> immediates;
  std::vector<WriteEnd> write_ends;
  std::vector<std::pair<PeerId, Error>> failures;
  std::vector<PeerId> contested;
  std::vector<PeerId> heard;  // since the last poll
  std::size_t messages_left = 0;
  bool keep_messages = true;
  std::size_t message_count = 0;
  std::function<void(Immediate)> when_immediate;
  std::function<void()> when_message;
  std::function<void()> when_placed_comes;

  void on_message(PeerId from, std::span<const std::byte> message) override {
    heard.push_back(from);
    ++message_count;
    if (keep_messages) messages.emplace_back(message.begin(), message.end());
    if (when_message) when_message();
  }
  void on_placed_message(PeerId, std::span<const std::byte>,
                         const PlacedPayload& payload) override {
    placed.emplace_back(payload.bytes.begin(), payload.bytes.end());
    if (when_placed_comes) when_placed_comes();
  }
  void on_message_left(PeerId) override { ++messages_left; }
  void on_write_done(Context context, Error error) override {
    write_ends.push_back({context, error});
  }
  void on_contested(PeerId peer) override { contested.push_back(peer); }
  void on_immediate(PeerId, Immediate immediate) override {
    immediates.push_back(immediate);
    if (when_immediate) when_immediate(immediate);
  }
  void on_peer_failed(PeerId peer, Error error) override { failures.emplace_back(peer, error); }
};

// As a session does, admits each peer that is heard. The key is the same at all nodes, and none by
// default: then connections are not resumed.
template <class Seen>
void poll_and_admit(Transport& transport, Seen& seen, const ResumptionKey& key = {}) {
  seen.heard.clear();
  transport.poll(monotonic_now(), seen);
  for (const PeerId peer : seen.heard) {
    if (peer != kNoPeer) transport.admit(peer, key);
  }
}

// One process on the network: a transport with its recorder.
struct Node {
  std::unique_ptr<Transport> transport;
  Recorder seen;
  ResumptionKey key{};
  std::function<void()> when_no_memory;  // if set, poll() calls it in place of a throw
  void poll() {
    try {
      poll_and_admit(*transport, seen, key);
    } catch (const std::bad_alloc&) {
      if (!when_no_memory) throw;
      when_no_memory();
    }
  }
};

inline Node open_node(const NetworkOptions& options, const FabricOptions& fabric = {}) {
  Node node;
  std::string explanation;
  auto opened = open_network(options, fabric, &explanation);
  // A connection of another program may have the port of the name that is asked for, for a while.
  const TimePoint end = monotonic_now() + kTimeout;
  while (!opened && explanation.find("in use") != std::string::npos && monotonic_now() < end)
    opened = open_network(options, fabric, &explanation);
  EXPECT_TRUE(opened.ok()) << explanation;
  if (opened) node.transport = std::move(opened).value();
  return node;
}

inline NetworkOptions options_for(const std::string& provider) {
  NetworkOptions options;
  options.name = provider;
  return options;
}

// Bytes that depend on their position and on `seed`.
inline std::vector<std::byte> pattern(std::size_t bytes, std::uint32_t seed) {
  std::vector<std::byte> made(bytes);
  std::uint64_t state = seed;
  // By words: tests are not optimised, and a loop over bytes would take most of their time.
  for (std::size_t at = 0; at < bytes; at += sizeof(state)) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::memcpy(made.data() + at, &state, std::min(sizeof(state), bytes - at));
  }
  return made;
}

// Polls all nodes until `done`, or until the timeout has passed. Returns done().
template <class Done>
bool until(std::initializer_list<Node*> nodes, Done done, Nanoseconds timeout = kTimeout) {
  const TimePoint end = monotonic_now() + timeout;
  while (!done()) {
    if (monotonic_now() > end) return false;
    for (Node* node : nodes) node->poll();
  }
  return true;
}

// Sends one message, polling all nodes while there is no room. False: not accepted in time.
inline bool send(Node& from, PeerId to, std::span<const std::byte> message,
                 std::initializer_list<Node*> nodes) {
  MessageBuffer buffer;
  if (!until(nodes, [&] {
        return static_cast<bool>(buffer = from.transport->reserve(to, message.size()));
      }))
    return false;
  if (!message.empty()) std::memcpy(buffer.data, message.data(), message.size());
  const bool sent = until(
      nodes, [&] { return from.transport->commit(to, buffer, message.size()) == PostStatus::kOk; });
  if (!sent) from.transport->abandon(to, buffer);
  return sent;
}

inline bool write(Node& from, PeerId to, std::span<const std::byte> bytes, RemoteMemory where,
                  Immediate immediate, Context context, std::initializer_list<Node*> nodes) {
  const Result<Registration> source = from.transport->register_memory(
      to, {const_cast<std::byte*>(bytes.data()), bytes.size()}, Access::kWriteSource);
  if (!source) return false;
  return until(nodes, [&] {
    return from.transport->post_write(to, {bytes.data(), bytes.size(), source.value()}, where,
                                      immediate, context) == PostStatus::kOk;
  });
}

// Reduces the kernel's buffers of all sockets, so that a long placed message stops in the middle
// while its sender is not polled.
inline void narrow_all_sockets() {
  constexpr int kDescriptors = 1024;  // more than any test opens
  constexpr int kBytes = 32 * 1024;
  // setsockopt fails without effect on what is no socket
  for (int fd = 0; fd < kDescriptors; ++fd) {
    for (const int side : {SO_SNDBUF, SO_RCVBUF})
      (void)::setsockopt(fd, SOL_SOCKET, side, &kBytes, sizeof kBytes);
  }
}

class TwoNodes {
 protected:
  void open_both(const NetworkOptions& options, const FabricOptions& fabric = {}) {
    a.transport.reset();
    b.transport.reset();
    a = open_node(options, fabric);
    b = open_node(options, fabric);
    ASSERT_TRUE(a.transport && b.transport);
    b_at_a = a.transport->resolve(b.transport->self()).value();
    a_at_b = b.transport->resolve(a.transport->self()).value();
  }
  template <class Done>
  bool until_both(Done done, Nanoseconds timeout = kTimeout) {
    return until({&a, &b}, done, timeout);
  }
  // Sends a message each way, so that the connection exists before the test begins.
  void connect() {
    ASSERT_TRUE(send(a, b_at_a, pattern(8, 1), {&a, &b}));
    ASSERT_TRUE(until_both([&] { return b.seen.message_count == 1 && a.seen.messages_left == 1; }));
    ASSERT_TRUE(send(b, a_at_b, pattern(8, 1), {&a, &b}));
    ASSERT_TRUE(until_both([&] { return a.seen.message_count == 1 && b.seen.messages_left == 1; }));
    a.seen = Recorder();
    b.seen = Recorder();
  }

  // Sends one more message each way.
  void one_more_each_way(std::uint32_t number) {
    const std::size_t at_a = a.seen.message_count;
    const std::size_t at_b = b.seen.message_count;
    ASSERT_TRUE(send(a, b_at_a, pattern(8, number), {&a, &b}));
    ASSERT_TRUE(send(b, a_at_b, pattern(8, number), {&a, &b}));
    ASSERT_TRUE(until_both(
        [&] { return a.seen.message_count == at_a + 1 && b.seen.message_count == at_b + 1; }));
  }

  Node a, b;
  PeerId b_at_a, a_at_b;
};

class FabricPair : public TwoNodes, public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { open_both(options_for(GetParam())); }
};

inline std::string provider_test_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == ';') c = '_';
  }
  return name;
}

#define LINTEL_FOR_EACH_LIBFABRIC_PROVIDER(suite)                                           \
  INSTANTIATE_TEST_SUITE_P(Provider, suite, ::testing::Values("net", "tcp;ofi_rxm", "shm"), \
                           provider_test_name)
#define LINTEL_FOR_EACH_PROVIDER(suite)                                              \
  INSTANTIATE_TEST_SUITE_P(Provider, suite,                                          \
                           ::testing::Values("direct", "net", "tcp;ofi_rxm", "shm"), \
                           provider_test_name)

}  // namespace lintel::transport
