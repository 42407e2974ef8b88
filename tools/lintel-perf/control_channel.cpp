#include "control_channel.h"

#include <algorithm>
#include <string_view>

#include "interface.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

constexpr ptl_match_bits_t kControlBits = 0x434f4e54524f4cULL;

}  // namespace

ControlChannel::ControlChannel(ptl_handle_ni_t ni) : ni_(ni) {
  check_call(PtlEQAlloc(ni, 8 * kInboxSlots, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
  for (std::size_t i = 0; i < kInboxSlots; ++i) {
    post(*inbox_.emplace_back(std::make_unique<Slot>()));
  }
}

ControlChannel::~ControlChannel() {
  const auto end = after(std::chrono::seconds(1));
  for (auto& slot : inbox_) {
    while (PtlMEUnlink(slot->me) == PTL_ME_IN_USE && Clock::now() < end) PtlProgress(ni_, 1);
  }
  PtlEQFree(eq_);
}

void ControlChannel::post(Slot& slot) {
  check_call(PtlMEAttach(ni_, kControlPortal, {PTL_NID_ANY, PTL_PID_ANY}, kControlBits, 0,
                         PTL_UNLINK, PTL_INS_AFTER, &slot.me),
             "PtlMEAttach");
  ptl_md_t md{};
  md.start = slot.text.data();
  md.length = slot.text.size();
  md.threshold = 1;
  md.options = PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE;
  md.user_ptr = &slot;
  md.eq_handle = eq_;
  check_call(PtlMDAttach(slot.me, md, PTL_UNLINK, nullptr), "PtlMDAttach");
}

std::string ControlChannel::send(ptl_process_id_t to, const json& body, Seconds limit) {
  // A command line may have bytes that are no UTF-8.
  auto text =
      std::make_unique<std::string>(body.dump(-1, ' ', false, json::error_handler_t::replace));
  if (text->size() > kMaxMessageBytes) {
    return fmt::format("the message has {} bytes; expected at most {}", text->size(),
                       kMaxMessageBytes);
  }
  ptl_md_t md{};
  md.start = text->data();
  md.length = text->size();
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq_;
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

std::optional<ControlMessage> ControlChannel::receive(Seconds limit) {
  const auto end = after(limit);
  while (arrived_.empty()) {
    if (!take_event(end)) return std::nullopt;
  }
  ControlMessage message = std::move(arrived_.front());
  arrived_.pop_front();
  return message;
}

bool ControlChannel::take_event(Clock::time_point end) {
  for (;;) {
    ptl_event_t event{};
    int which = 0;
    const auto left = static_cast<ptl_time_t>(left_until(end).count());
    const int code = PtlEQPoll(&eq_, 1, left, &event, &which);
    if (code == PTL_EQ_EMPTY) {
      if (Clock::now() >= end) return false;
      continue;
    }
    if (code != PTL_EQ_DROPPED) check_call(code, "PtlEQPoll");
    on_event(event);
    return true;
  }
}

void ControlChannel::on_event(const ptl_event_t& event) {
  const bool failed = event.ni_fail_type != PTL_NI_OK;
  if (event.type == PTL_EVENT_SEND_END || event.type == PTL_EVENT_ACK) {
    if (event.md_handle != outgoing_.md) return;  // of a message that was given up
    if (failed) outgoing_.failure = PtlNIFailStr(ni_, event.ni_fail_type);
    (event.type == PTL_EVENT_ACK ? outgoing_.acked : outgoing_.sent) = true;
    return;
  }
  if (event.md.user_ptr == nullptr) return;
  Slot& slot = *static_cast<Slot*>(event.md.user_ptr);
  if (event.type == PTL_EVENT_PUT_END && !failed) {
    const std::string_view text(slot.text.data(),
                                std::min<std::size_t>(event.mlength, slot.text.size()));
    auto body = json::parse(text, nullptr, false);
    if (body.is_object()) arrived_.push_back({event.initiator, std::move(body)});
  }
  if (event.type == PTL_EVENT_UNLINK) post(slot);
}

}  // namespace lintel::perf
