#pragma once
// Fixture for tests of placed messages on real networks.

#include <poll.h>

#include <functional>
#include <utility>
#include <vector>

#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/waiting.h"
#include "transport/direct/direct_transport.h"
#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {

// Two or more transports on a network that supports placed messages. The last `Guard` bytes of a
// Room are never offered as room.
class FabricPlacement : public testing::TestWithParam<const char*> {
 protected:
  static constexpr PlacementKey kKey{7};
  static constexpr std::size_t kLargest = std::size_t{1} << 20;

  struct Came {
    bool placed_message = false;
    PeerId from;
    std::vector<std::byte> message;
    std::vector<std::byte> payload;
    std::uint64_t length = 0;
    const std::byte* place = nullptr;
  };
  // Records messages and placed messages in one sequence.
  class RowRecorder final : public Recorder {
   public:
    std::vector<Came> came;
    std::function<void(const Came&)> when_placed;
    std::function<void()> when_failed_write;

    void on_write_done(Context context, Error error) override {
      Recorder::on_write_done(context, error);
      if (!error.ok() && when_failed_write) when_failed_write();
    }
    void on_message(PeerId from, std::span<const std::byte> message) override {
      heard.push_back(from);
      came.push_back({false, from, {message.begin(), message.end()}, {}});
    }
    void on_placed_message(PeerId from, std::span<const std::byte> message,
                           const PlacedPayload& payload) override {
      heard.push_back(from);
      came.push_back({true,
                      from,
                      {message.begin(), message.end()},
                      {payload.bytes.begin(), payload.bytes.end()},
                      payload.length,
                      payload.bytes.data()});
      if (when_placed) when_placed(came.back());
    }
  };
  struct Side {
    std::unique_ptr<Transport> transport;
    RowRecorder seen;
    std::vector<PeerId> peers;  // that know it; it admits them when they have connected
    void poll() {
      for (const PeerId peer : peers) transport->admit(peer, {});
      poll_and_admit(*transport, seen);
    }
  };
  // Memory followed by guard bytes that must not change.
  class Room {
   public:
    explicit Room(std::size_t bytes) : bytes_(bytes + kGuard, std::byte{0xaa}) {}
    std::span<std::byte> span() { return {bytes_.data(), bytes_.size() - kGuard}; }
    bool untouched() const { return only_guards_from(0); }
    bool guard_untouched() const { return only_guards_from(bytes_.size() - kGuard); }
    bool begun() const { return bytes_[0] != std::byte{0xaa}; }
    bool holds(const std::vector<std::byte>& expected) const {
      return expected.size() == bytes_.size() - kGuard &&
             std::equal(expected.begin(), expected.end(), bytes_.begin()) && guard_untouched();
    }

   private:
    static constexpr std::size_t kGuard = 4096;
    bool only_guards_from(std::size_t begin) const {
      return std::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), bytes_.end(),
                         [](std::byte one) { return one == std::byte{0xaa}; });
    }
    std::vector<std::byte> bytes_;
  };

  void SetUp() override {
    a = open();
    b = open();
    ASSERT_TRUE(a.transport && b.transport);
    b_at_a = at(a, b);
    a_at_b = at(b, a);
    a.transport->enable_placement();
    b.transport->enable_placement();
  }
  static Side open() { return {open_node(options_for(GetParam())).transport, {}, {}}; }
  // How many messages broke off while that side received them.
  static std::size_t failed_receives(const Side& side) {
    if (const auto* direct = dynamic_cast<const DirectTransport*>(side.transport.get()))
      return direct->counters().failed_receives;
    return dynamic_cast<const FabricTransport&>(*side.transport).counters().failed_receives;
  }
  static PeerId at(Side& side, Side& other) {
    other.peers.push_back(other.transport->resolve(side.transport->self()).value());
    return side.transport->resolve(other.transport->self()).value();
  }

  template <class Done>
  static bool until_all(std::initializer_list<Side*> sides, Done done) {
    const TimePoint end = monotonic_now() + kTimeout;
    while (!done()) {
      if (monotonic_now() > end) return false;
      for (Side* side : sides) side->poll();
    }
    return true;
  }
  template <class Done>
  bool until_both(Done done) {
    return until_all({&a, &b}, done);
  }
  // Sends message `number` of the pattern. Polls `polled` while there is no room. Returns false if
  // it was not accepted before the deadline.
  static bool send(Side& from, PeerId to, std::uint32_t number,
                   std::initializer_list<Side*> polled) {
    return send_with(from, to, number, polled, [&](const MessageBuffer& buffer) {
      return from.transport->commit(to, buffer, kMessageBytes);
    });
  }
  static bool send_placed(Side& from, PeerId to, std::uint32_t number,
                          std::span<const std::byte> payload, PlacementKey key,
                          std::initializer_list<Side*> polled) {
    return send_with(from, to, number, polled, [&](const MessageBuffer& buffer) {
      return from.transport->commit_placed(to, buffer, kMessageBytes, payload, key,
                                           Context(number));
    });
  }
  bool send(std::uint32_t number) { return send(a, b_at_a, number, {&a, &b}); }
  bool send_placed(std::uint32_t number, std::span<const std::byte> payload,
                   PlacementKey key = kKey) {
    return send_placed(a, b_at_a, number, payload, key, {&a, &b});
  }
  template <class Commit>
  static bool send_with(Side& from, PeerId to, std::uint32_t number,
                        std::initializer_list<Side*> polled, Commit commit) {
    MessageBuffer buffer;
    if (!until_all(polled, [&] {
          return static_cast<bool>(buffer = from.transport->reserve(to, kMessageBytes));
        }))
      return false;
    const std::vector<std::byte> message = pattern(kMessageBytes, number);
    std::memcpy(buffer.data, message.data(), message.size());
    const bool sent = until_all(polled, [&] { return commit(buffer) == PostStatus::kOk; });
    if (!sent) from.transport->abandon(to, buffer);
    return sent;
  }
  // Sends a message each way, so that the connection exists before the test begins.
  void connect() {
    ASSERT_TRUE(send(0));
    ASSERT_TRUE(send(b, a_at_b, 0, {&a, &b}));
    ASSERT_TRUE(until_both([&] { return b.seen.came.size() == 1 && a.seen.came.size() == 1; }));
    a.seen = {};
    b.seen = {};
  }
  // Whether `came` is the message of that number. The room for a placed message may be larger than
  // its payload.
  static bool is_message(const Came& came, std::uint32_t number) {
    const std::vector<std::byte> expected = pattern(kMessageBytes, number);
    return came.message.size() >= kMessageBytes &&
           std::equal(expected.begin(), expected.end(), came.message.begin());
  }
  // Whether the placed message that A has just sent has left A's transport, whatever B does. On
  // direct its payload stays in use until B has acknowledged it.
  bool has_gone(std::size_t placed_messages) {
    const bool is_direct = std::string(GetParam()) == DirectTransport::kName;
    return until_all({&a}, [&] {
      return (is_direct ? a.seen.messages_left : a.seen.write_ends.size()) >= placed_messages;
    });
  }
  static bool readable(int descriptor, int milliseconds) {
    pollfd waited{descriptor, POLLIN, 0};
    return ::poll(&waited, 1, milliseconds) == 1;
  }
  // Sends placed messages of one byte and the payload from A until no more are accepted. Returns
  // how many were.
  std::uint32_t fill_the_way(std::span<const std::byte> payload, std::uint32_t most) {
    for (std::uint32_t sent = 0; sent < most; ++sent) {
      const MessageBuffer buffer = a.transport->reserve(b_at_a, 1);
      EXPECT_TRUE(buffer);
      if (!buffer) return sent;
      buffer.data[0] = std::byte{1};
      if (a.transport->commit_placed(b_at_a, buffer, 1, payload, kKey, Context(sent)) ==
          PostStatus::kOk)
        continue;
      a.transport->abandon(b_at_a, buffer);
      return sent;
    }
    return most;
  }

  static constexpr std::size_t kMessageBytes = 100;
  static constexpr std::size_t kSizes[] = {
      1,       2, 127, 128, 129, 4096, std::size_t{16} << 10, std::size_t{64} << 10, kLargest - 1,
      kLargest};

  Side a, b;
  PeerId b_at_a, a_at_b;
};

}  // namespace lintel::transport
