#pragma once
// TwoSessions: two processes, each a Session over a FakeTransport. The test passes on what they
// send, or keeps it, or changes it.

#include <cstring>
#include <memory>
#include <string_view>

#include "tests/unit/transport/fake_transport.h"
#include "tests/unit/transport/recording_sink.h"
#include "transport/session/session.h"

namespace lintel::transport {

struct TwoSessions {
  struct Side {
    FakeTransport* fake = nullptr;
    std::unique_ptr<Session> session;
    RecordingSink sink;
    PeerId peer;        // the other side, in `session`
    PeerId lower_peer;  // and in `fake`
  };

  // `secret`: of the job that both belong to; empty: none.
  explicit TwoSessions(std::string_view secret = {}, const SessionOptions& options = {}) {
    const ProcessId names[] = {{NodeId{0x7f000001}, Pid{100}}, {NodeId{0x7f000001}, Pid{200}}};
    for (const std::size_t i : {0U, 1U}) {
      SessionOptions own = options;
      own.incarnation = 11 + i;
      own.random[0] = static_cast<std::byte>(i);
      if (!secret.empty()) {
        own.job_key = std::make_shared<JobKey>();
        own.job_key->give(std::as_bytes(std::span(secret)));
      }
      auto lower = std::make_unique<FakeTransport>(names[i]);
      sides[i].fake = lower.get();
      sides[i].session = std::make_unique<Session>(std::move(lower), own);
      sides[i].peer = *sides[i].session->resolve(names[1 - i]);
      sides[i].lower_peer = *sides[i].fake->resolve(names[1 - i]);
    }
  }

  PostStatus send(std::size_t from, std::string_view message) {
    const Side& side = sides[from];
    const MessageBuffer buffer = side.session->reserve(side.peer, message.size());
    if (!buffer) return PostStatus::kWouldBlock;
    std::memcpy(buffer.data, message.data(), message.size());
    return side.session->commit(side.peer, buffer, message.size());
  }
  // Passes on what side `from` has sent. False: nothing.
  bool pass_on(std::size_t from) {
    Side& to = sides[1 - from];
    std::deque<FakeTransport::Sent> frames;
    frames.swap(sides[from].fake->sent);
    for (FakeTransport::Sent& one : frames) {
      sides[from].fake->left(one.to);
      to.fake->arrives(std::move(one.frame), to.lower_peer);
    }
    to.session->poll(now, to.sink);
    return !frames.empty();
  }
  // Passes everything on until both are quiet.
  void settle() {
    bool moved = true;
    while (moved) {
      moved = pass_on(0);
      moved = pass_on(1) || moved;
    }
  }
  PeerState state(std::size_t i) const { return sides[i].session->state_of(sides[i].peer); }

  Side sides[2];
  TimePoint now{1'000'000'000};
};

}  // namespace lintel::transport
