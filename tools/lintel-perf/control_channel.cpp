#include "control_channel.h"

#include <algorithm>
#include <string_view>

#include "interface.h"

namespace lintel::perf {
namespace {

constexpr ptl_match_bits_t kControlBits = 0x434f4e54524f4cULL;

}  // namespace

ControlChannel::ControlChannel(ptl_handle_ni_t ni) : ni_(ni) {
  check_call(PtlEQAlloc(ni, 8 * kInboxSlots, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
  for (std::size_t i = 0; i < kInboxSlots; ++i) {
    inbox_.push_back(std::make_unique<Slot>());
    post(*inbox_.back());
  }
}

ControlChannel::~ControlChannel() {
  const auto end = after(std::chrono::seconds(1));
  for (auto& slot : inbox_) {
    while (PtlMEUnlink(slot->me) == PTL_ME_IN_USE && Clock::now() < end) PtlProgress(ni_, 1);
  }
  for (auto& message : abandoned_) {
    // The network may read it until the process ends.
    if (PtlMDUnlink(message->md) == PTL_MD_IN_USE) static_cast<void>(message.release());
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

void ControlChannel::send(ptl_process_id_t to, const nlohmann::json& body, Seconds limit) {
  const std::string failure = try_send(to, body, limit);
  if (failure.empty()) return;
  throw PeerLost(
      fmt::format("{} took no message within {:.1f} s: {}", to_string(to), limit.count(), failure));
}

std::string ControlChannel::try_send(ptl_process_id_t to, const nlohmann::json& body,
                                     Seconds limit) {
  auto message = std::make_unique<Outgoing>();
  message->text = body.dump();
  if (message->text.size() > kMaxMessageBytes) {
    message->text.resize(kMaxMessageBytes);  // not with what the tool sends; the peer would skip it
  }
  ptl_md_t md{};
  md.start = message->text.data();
  md.length = message->text.size();
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq_;
  check_call(PtlMDBind(ni_, md, PTL_RETAIN, &message->md), "PtlMDBind");
  current_ = message.get();
  const int code = PtlPut(message->md, PTL_ACK_REQ, to, kControlPortal, 0, kControlBits, 0, 0);
  if (code != PTL_OK) message->failure = PtlErrorStr(static_cast<unsigned>(code));
  const auto end = after(limit);
  while (message->failure.empty() && !(message->sent && message->acked)) {
    if (!pump(end) && Clock::now() >= end) message->failure = "no acknowledgement";
  }
  current_ = nullptr;
  std::string failure = message->failure;
  if (PtlMDUnlink(message->md) == PTL_MD_IN_USE) abandoned_.push_back(std::move(message));
  return failure;
}

std::optional<ControlMessage> ControlChannel::receive(Seconds limit) {
  const auto end = after(limit);
  while (arrived_.empty()) {
    if (!pump(end) && Clock::now() >= end) return std::nullopt;
  }
  ControlMessage message = std::move(arrived_.front());
  arrived_.pop_front();
  return message;
}

bool ControlChannel::pump(Clock::time_point end) {
  ptl_event_t event{};
  int which = 0;
  const auto left = static_cast<ptl_time_t>(left_until(end).count());
  const int code = PtlEQPoll(&eq_, 1, left, &event, &which);
  if (code == PTL_EQ_EMPTY) return false;
  if (code != PTL_EQ_DROPPED) check_call(code, "PtlEQPoll");
  on_event(event);
  return true;
}

void ControlChannel::on_event(const ptl_event_t& event) {
  const bool failed = event.ni_fail_type != PTL_NI_OK;
  if (event.type == PTL_EVENT_SEND_END || event.type == PTL_EVENT_ACK) {
    if (current_ == nullptr || event.md_handle != current_->md) return;
    if (failed) current_->failure = PtlNIFailStr(ni_, event.ni_fail_type);
    (event.type == PTL_EVENT_ACK ? current_->acked : current_->sent) = true;
    return;
  }
  if (event.md.user_ptr == nullptr) return;
  Slot& slot = *static_cast<Slot*>(event.md.user_ptr);
  if (event.type == PTL_EVENT_PUT_END && !failed) {
    const std::string_view text(slot.text.data(),
                                std::min<std::size_t>(event.mlength, slot.text.size()));
    auto body = nlohmann::json::parse(text, nullptr, false);
    if (body.is_object()) arrived_.push_back({event.initiator, std::move(body)});
  }
  if (event.type == PTL_EVENT_UNLINK) post(slot);
}

}  // namespace lintel::perf
