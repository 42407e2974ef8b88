#pragma once
// Messages between the two processes beside the measured traffic: JSON texts, each one put with an
// ack to the control portal.
//
// Owns its queue, its inbox (a fixed number of buffers of kMaxMessageBytes, posted again after use)
// and the buffers of what it sends. Thread: one. What it does not do: interpret messages, or check
// who may send them. A text that is no JSON object is skipped.

#include <portals3.h>

#include <array>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clock.h"

namespace lintel::perf {

struct ControlMessage {
  ptl_process_id_t from;
  nlohmann::json body;  // an object
};

class ControlChannel {
 public:
  static constexpr std::size_t kMaxMessageBytes = 8192;
  static constexpr std::size_t kInboxSlots = 16;

  explicit ControlChannel(ptl_handle_ni_t ni);
  ~ControlChannel();
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;

  // Delivers `body` and waits, up to `limit`, until it lies in the inbox of `to`. Throws PeerLost
  // if that fails.
  void send(ptl_process_id_t to, const nlohmann::json& body, Seconds limit);

  // The same, but returns why it failed; empty if it did not.
  std::string try_send(ptl_process_id_t to, const nlohmann::json& body, Seconds limit);

  // The oldest message that has arrived, waiting for up to `limit`.
  std::optional<ControlMessage> receive(Seconds limit);

 private:
  struct Slot {
    std::array<char, kMaxMessageBytes> text;
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
  };
  struct Outgoing {
    std::string text;
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    bool sent = false;
    bool acked = false;
    std::string failure;
  };

  void post(Slot& slot);
  // Takes one event, waiting until `end`. Returns false if none came.
  bool pump(Clock::time_point end);
  void on_event(const ptl_event_t& event);

  ptl_handle_ni_t ni_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  std::vector<std::unique_ptr<Slot>> inbox_;
  std::deque<ControlMessage> arrived_;
  Outgoing* current_ = nullptr;  // the message that try_send() is waiting for
  // Gave up waiting while the network may still read the text.
  std::vector<std::unique_ptr<Outgoing>> abandoned_;
};

}  // namespace lintel::perf
