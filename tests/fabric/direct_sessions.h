#pragma once
// Two processes with sessions over direct transports, both in this one.

#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "tests/fabric/fabric_pair.h"
#include "transport/direct/direct_transport.h"
#include "transport/session/session.h"

namespace lintel::transport {

struct SessionSide {
  Node node;
  PeerId peer;  // the other side
  Session& session() const { return static_cast<Session&>(*node.transport); }
};

// A process on the network, with a session to nobody yet. An empty secret is none.
inline SessionSide open_session(const NetworkOptions& options, std::uint64_t incarnation,
                                std::string_view secret = {}) {
  SessionOptions session;
  session.incarnation = incarnation;
  if (!secret.empty()) {
    session.job_key = std::make_shared<JobKey>();
    session.job_key->give(std::as_bytes(std::span(secret)));
  }
  session.random[0] = static_cast<std::byte>(incarnation);
  SessionSide side;
  side.node.transport = std::make_unique<Session>(open_node(options).transport, session);
  return side;
}

class DirectSessions {
 protected:
  // Both open; a message has gone each way. The timeout is that of a peer that does not answer.
  void open_both(Nanoseconds timeout = std::chrono::seconds(10)) {
    NetworkOptions options = options_for(DirectTransport::kName);
    options.output_timeout = timeout;
    options.interface_address = own_loopback_address();
    for (const std::size_t i : {0U, 1U}) sides[i] = open_session(options, 11 + i, secret);
    for (const std::size_t i : {0U, 1U})
      sides[i].peer = *sides[i].session().resolve(sides[1 - i].session().self());
    if (both_call) {
      // Before either is polled. There is no room yet.
      for (const SessionSide& side : sides)
        ASSERT_FALSE(side.session().reserve(side.peer, message(0).size()));
    }
    send(0, 0);
    if (!both_call) {
      ASSERT_TRUE(until_both([&] { return has_first(1); })) << both();
    }
    send(1, 0);
    ASSERT_TRUE(until_both([&] { return has_first(0) && has_first(1); })) << both();
  }
  bool has_first(std::size_t side) const { return sides[side].node.seen.message_count == 1; }
  // Not that of other tests, which may still call a process that has ended.
  static std::string own_loopback_address() {
    const auto pid = static_cast<unsigned>(::getpid());
    return "127." + std::to_string(1 + (pid >> 16 & 127)) + "." + std::to_string(pid >> 8 & 255) +
           "." + std::to_string(pid & 255);
  }
  // What they have seen and what their sessions say, for a test that fails.
  std::string both() const {
    std::string text;
    for (const SessionSide& side : sides) {
      text += std::to_string(side.node.seen.message_count) + " messages, " +
              std::to_string(side.node.seen.failures.size()) + " failures\n";
      side.session().dump(text);
    }
    return text;
  }
  bool until_both(const std::function<bool()>& done) {
    return until({&sides[0].node, &sides[1].node}, done);
  }
  static std::vector<std::byte> message(std::uint32_t number) { return pattern(20, number); }
  // Both are polled while there is no room.
  void send(std::size_t from, std::uint32_t number) {
    ASSERT_TRUE(until_both([&] { return send_at_once(from, number); }));
  }
  bool send_at_once(std::size_t from, std::uint32_t number) {
    const SessionSide& side = sides[from];
    const std::vector<std::byte> bytes = message(number);
    const MessageBuffer buffer = side.session().reserve(side.peer, bytes.size());
    if (!buffer) return false;
    std::memcpy(buffer.data, bytes.data(), bytes.size());
    const PostStatus status = side.session().commit(side.peer, buffer, bytes.size());
    if (status == PostStatus::kFailed) side.session().abandon(side.peer, buffer);
    return status == PostStatus::kOk;
  }

  std::array<SessionSide, 2> sides;
  // Of the next open_both().
  bool both_call = true;    // at once; else the second sends nothing before it has heard the first
  std::string_view secret;  // of the job
};

}  // namespace lintel::transport
