#pragma once
// Messages between the two processes beside the measured traffic: JSON objects, each one put with
// an ack to the control portal. A text that is no JSON object is skipped.
//
// Owns its queue and its inbox: a fixed number of buffers, posted again after use. Thread: one.

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
  static constexpr std::size_t kMaxMessageBytes = 65536;
  static constexpr std::size_t kInboxSlots = 16;

  explicit ControlChannel(ptl_handle_ni_t ni);
  ~ControlChannel();
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;

  // Delivers `body` and waits, up to `limit`, until it lies in the inbox of `to`. Returns why that
  // failed; empty if it did not.
  std::string send(ptl_process_id_t to, const nlohmann::json& body, Seconds limit);

  // The oldest message that has arrived, waiting for up to `limit`.
  std::optional<ControlMessage> receive(Seconds limit);

 private:
  struct Slot {
    std::array<char, kMaxMessageBytes> text;
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
  };
  // What send() waits for.
  struct Outgoing {
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    bool sent = false;
    bool acked = false;
    std::string failure;
  };

  void post(Slot& slot);
  // Takes one event, waiting for it until `end`. Returns false after that.
  bool take_event(Clock::time_point end);
  void on_event(const ptl_event_t& event);

  ptl_handle_ni_t ni_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  std::vector<std::unique_ptr<Slot>> inbox_;
  std::deque<ControlMessage> arrived_;
  Outgoing outgoing_;
};

}  // namespace lintel::perf
