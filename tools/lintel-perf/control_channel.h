#pragma once
// Messages between the two processes beside the measured traffic: JSON objects, each one put with
// an ack to the control portal. A text that is no JSON object is skipped.

#include <portals3.h>

#include <array>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "clock.h"
#include "interface.h"

namespace lintel::perf {

using nlohmann::json;

struct ControlMessage {
  ptl_process_id_t from;
  json body;  // an object
};

// Owns its queue and its inbox: a fixed number of buffers, posted again after use. Thread: one.
class ControlChannel : NotCopied {
 public:
  explicit ControlChannel(ptl_handle_ni_t ni) : ni_(ni) {
    check_call(PtlEQAlloc(ni, 8 * kInboxSlots, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
    for (InboxSlot& slot : inbox_) post(slot);
  }
  ~ControlChannel() {
    const auto end = after(std::chrono::seconds(1));
    for (const InboxSlot& slot : inbox_) {
      while (PtlMEUnlink(slot.me) == PTL_ME_IN_USE && Clock::now() < end) PtlProgress(ni_, 1);
    }
    PtlEQFree(eq_);
  }

  // Delivers `body` and waits, up to `limit`, until it lies in the inbox of `to`. Returns why that
  // failed; empty if it did not.
  std::string send(ptl_process_id_t to, const json& body, Seconds limit) {
    // A command line may have bytes that are no UTF-8.
    auto text =
        std::make_unique<std::string>(body.dump(-1, ' ', false, json::error_handler_t::replace));
    if (text->size() > kMaxMessageBytes) {
      return fmt::format("it has {} bytes; expected at most {}", text->size(), kMaxMessageBytes);
    }
    const ptl_md_t md = descriptor(eq_, 0, text->data(), text->size());
    outgoing_ = {};
    check_call(PtlMDBind(ni_, md, PTL_RETAIN, &outgoing_.md), "PtlMDBind");
    const int code = PtlPut(outgoing_.md, PTL_ACK_REQ, to, kControlPortal, 0, kControlBits, 0, 0);
    if (code != PTL_OK) outgoing_.failure = PtlErrorStr(static_cast<unsigned>(code));
    const auto end = after(limit);
    while (outgoing_.failure.empty() && !(outgoing_.sent && outgoing_.acked)) {
      if (!take_event(end)) outgoing_.failure = "no acknowledgement";
    }
    if (PtlMDUnlink(outgoing_.md) == PTL_MD_IN_USE) {
      static_cast<void>(text.release());  // the network may read it until the process ends
    }
    outgoing_.md = PTL_INVALID_HANDLE;
    return outgoing_.failure;
  }

  // The oldest message that has arrived, waiting for up to `limit`.
  std::optional<ControlMessage> receive(Seconds limit) {
    const auto end = after(limit);
    while (arrived_.empty()) {
      if (!take_event(end)) return std::nullopt;
    }
    ControlMessage message = std::move(arrived_.front());
    arrived_.pop_front();
    return message;
  }

 private:
  static constexpr ptl_match_bits_t kControlBits = 0x434f4e54524f4cULL;
  static constexpr std::size_t kMaxMessageBytes = 65536;
  static constexpr std::size_t kInboxSlots = 16;
  struct InboxSlot {
    std::array<char, kMaxMessageBytes> text;
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
  };

  void post(InboxSlot& slot) {
    check_call(PtlMEAttach(ni_, kControlPortal, {PTL_NID_ANY, PTL_PID_ANY}, kControlBits, 0,
                           PTL_UNLINK, PTL_INS_AFTER, &slot.me),
               "PtlMEAttach");
    ptl_md_t md = descriptor(eq_, PTL_MD_OP_PUT, slot.text.data(), slot.text.size());
    md.threshold = 1;
    md.user_ptr = &slot;
    check_call(PtlMDAttach(slot.me, md, PTL_UNLINK, nullptr), "PtlMDAttach");
  }

  // Takes one event, waiting for it until `end`. Returns false if there was none.
  bool take_event(Clock::time_point end) {
    ptl_event_t event{};
    int which = 0;
    int code = PTL_EQ_EMPTY;
    do {
      const auto left = static_cast<ptl_time_t>(left_until(end).count());
      code = PtlEQPoll(&eq_, 1, left, &event, &which);
    } while (code == PTL_EQ_EMPTY && Clock::now() < end);
    if (code == PTL_EQ_EMPTY) return false;
    if (code != PTL_EQ_DROPPED) check_call(code, "PtlEQPoll");
    on_event(event);
    return true;
  }

  void on_event(const ptl_event_t& event) {
    const bool failed = event.ni_fail_type != PTL_NI_OK;
    if (event.type == PTL_EVENT_SEND_END || event.type == PTL_EVENT_ACK) {
      if (event.md_handle != outgoing_.md) return;  // of a message that was given up
      if (failed) outgoing_.failure = PtlNIFailStr(ni_, event.ni_fail_type);
      (event.type == PTL_EVENT_ACK ? outgoing_.acked : outgoing_.sent) = true;
      return;
    }
    if (event.md.user_ptr == nullptr) return;
    InboxSlot& slot = *static_cast<InboxSlot*>(event.md.user_ptr);
    if (event.type == PTL_EVENT_PUT_END && !failed) {
      auto body = json::parse(std::string_view(slot.text.data(), event.mlength), nullptr, false);
      if (body.is_object()) arrived_.push_back({event.initiator, std::move(body)});
    }
    if (event.type == PTL_EVENT_UNLINK) post(slot);
  }

  ptl_handle_ni_t ni_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  std::deque<InboxSlot> inbox_{kInboxSlots};
  std::deque<ControlMessage> arrived_;
  struct {  // what send() waits for
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    bool sent = false;
    bool acked = false;
    std::string failure = {};
  } outgoing_;
};

}  // namespace lintel::perf
