#include "live_peer.h"

#include <fmt/format.h>

#include <algorithm>

#include "failure.h"
#include "portals_call.h"

namespace lintel::perf {
namespace {

constexpr std::chrono::milliseconds kSilence{1000};
constexpr std::chrono::milliseconds kTick{250};

}  // namespace

LivePeer::LivePeer(ControlChannel& control, ptl_handle_ni_t ni, ptl_process_id_t peer, std::chrono::duration<double> deadline)
    : control_(control), ni_(ni), peer_(peer), deadline_(deadline) {}

void LivePeer::look_for_life() {
  const auto now = Clock::now();
  if (now - last_sign_ < kSilence) return;
  if (!probe_) probe_ = std::make_unique<PeerProbe>(ni_, peer_);
  if (!probe_->pending()) {
    probe_->send();
    probed_at_ = now;
  }
  const auto sign = probe_->look();
  if (sign == PeerProbe::Sign::kAlive) {
    last_sign_ = now;
  } else if (sign == PeerProbe::Sign::kDead || now - probed_at_ > deadline_) {
    throw PeerLost(fmt::format("the other process, {}, died or cannot be reached any more", to_string(peer_)));
  }
}

std::optional<ControlMessage> LivePeer::receive(std::chrono::duration<double> limit) {
  const auto start = Clock::now();
  for (;;) {
    look_for_life();
    const std::chrono::duration<double> left = limit - (Clock::now() - start);
    const auto tick = std::clamp<std::chrono::duration<double>>(left, std::chrono::seconds(0), kTick);
    auto message = control_.receive(std::chrono::ceil<std::chrono::milliseconds>(tick));
    if (message) {
      if (is(message->from)) last_sign_ = Clock::now();
      return message;
    }
    if (left.count() <= 0) return std::nullopt;
  }
}

}  // namespace lintel::perf
