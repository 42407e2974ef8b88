#pragma once
// RecordingSink: records what a transport reports, in order, as short texts. For a placed message:
// its sender, its message, the payload that fitted, and the payload's length if it was longer.

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/transport.h"

namespace lintel::transport {

class RecordingSink final : public Sink {
 public:
  std::vector<std::string> log;
  std::vector<std::string> messages;
  std::vector<Error> failures;
  std::size_t left = 0;
  // Called for each message and placed message after it is recorded.
  std::function<void(PeerId, std::span<const std::byte>)> answer =
      [](PeerId, std::span<const std::byte>) {};
  std::function<void(PeerId)> on_failure = [](PeerId) {};
  std::vector<const std::byte*> payloads;  // where the payloads were

  std::vector<PeerId> forgotten;
  void on_message(PeerId from, std::span<const std::byte> message) override {
    messages.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
    log.push_back("message " + std::to_string(from.value) + " " + messages.back());
    answer(from, message);
  }
  void on_placed_message(PeerId from, std::span<const std::byte> message,
                         const PlacedPayload& payload) override {
    const auto text = [](std::span<const std::byte> bytes) {
      return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    const bool cut = payload.length != payload.bytes.size();
    log.push_back("placed message " + std::to_string(from.value) + " " + text(message) + " " +
                  text(payload.bytes) + (cut ? " of " + std::to_string(payload.length) : ""));
    payloads.push_back(payload.bytes.data());
    answer(from, message);
  }
  void on_message_left(PeerId to) override {
    ++left;
    log.push_back("left " + std::to_string(to.value));
  }
  void on_write_done(Context context, Error error) override {
    log.push_back("write_done " + std::to_string(context.value) +
                  (error.ok() ? "" : std::string(" ") + error.reason()));
  }
  void on_immediate(PeerId, Immediate immediate) override {
    log.push_back("immediate " + std::to_string(immediate.value));
  }
  void on_peer_forgotten(PeerId peer) override { forgotten.push_back(peer); }
  void on_peer_failed(PeerId peer, Error error) override {
    failures.push_back(error);
    log.push_back("failed " + std::to_string(peer.value) + " " + error.reason());
    on_failure(peer);
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }
};

}  // namespace lintel::transport
