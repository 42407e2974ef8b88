#include "conversation.h"

#include <algorithm>
#include <exception>

#include "protocol.h"

namespace lintel::perf {

using nlohmann::json;

Seconds time_for(std::uint64_t bytes) {
  static constexpr double kSlowBytesPerSecond = 50e6;
  return Seconds(static_cast<double>(bytes) / kSlowBytesPerSecond);
}

void OtherProcess::look_for_life() {
  static constexpr auto kSilence = std::chrono::seconds(1);
  const auto now = Clock::now();
  if (now - last_sign_ < kSilence) return;
  if (!probe_) probe_.emplace(network_.handle(), id_);
  const auto sign = probe_->look();
  if (sign == PeerProbe::Sign::kAlive) {
    last_sign_ = now;
  } else if (sign == PeerProbe::Sign::kDead || now - probe_->sent_at() > deadline_) {
    throw PeerLost(death_of(id_));
  }
}

std::optional<ControlMessage> OtherProcess::receive(Seconds limit) {
  static constexpr Seconds kTick{0.25};
  const auto end = after(limit);
  for (;;) {
    look_for_life();
    auto message = control_.receive(std::min<Seconds>(left_until(end), kTick));
    if (message) {
      if (is(message->from)) last_sign_ = Clock::now();
      return message;
    }
    if (Clock::now() >= end) return std::nullopt;
  }
}

void Conversation::start(const char* what, json arguments) {
  arguments["do"] = what;
  arguments["number"] = ++number_;
  peer_.send(control_message("request", arguments));
}

json Conversation::await(const char* kind, Seconds limit) {
  const auto end = after(limit);
  for (;;) {
    auto message = peer_.receive(left_until(end));
    if (!message) {
      throw PeerLost(
          fmt::format("no reply from {} within {:.0f} s", to_string(peer_.id()), limit.count()));
    }
    const json& body = message->body;
    const std::string got = kind_of(body);
    if (!peer_.is(message->from) || got.empty()) continue;
    if (body.value("number", std::uint64_t{0}) != number_) continue;
    // A request that fails before it begins has a reply and no notice.
    if (got == kind || got == "reply") return std::move(message->body);
  }
}

void Conversation::await_notice() {
  const json body = await("notice", peer_.deadline());
  if (kind_of(body) == "reply") fail("{}", body.value("error", "the server did not begin"));
}

void Conversation::finish(Seconds allowance) {
  const json body = await("reply", peer_.deadline() + allowance);
  if (body.value("ok", false)) return;
  throw Failure(
      body.value("code", 1) == 2 ? ExitCode::kUnusable : ExitCode::kFailed,
      fmt::format("at {}: {}", to_string(peer_.id()), body.value("error", "unknown error")));
}

void Conversation::call(const char* what, json arguments, Seconds allowance) {
  start(what, std::move(arguments));
  finish(allowance);
}

void Conversation::bye() {
  // If that fails, the server finds out by itself.
  control_.try_send(peer_.id(), control_message("bye"), Seconds(1));
}

Pair::Pair(Conversation& conversation, const SideParameters& own, const SideParameters& target)
    : conversation_(conversation),
      own_(conversation.network().timed(own.api), name_of(conversation.peer().id()), own) {
  conversation_.call("prepare", {{"side", target}}, time_for(target.size * (target.slots + 1)));
}

Pair::~Pair() {
  // If the run has failed the client leaves, and the server releases everything then.
  if (std::uncaught_exceptions() > 0) return;
  try {
    conversation_.call("release", json::object());
  } catch (const std::exception&) {  // a server that is gone has released everything
  }
}

void Pair::at_target(const char* request, const char* what, std::uint64_t id) {
  conversation_.call(request, {{"what", what}, {"id", id}}, time_for(own_.parameters.size));
}

void Pair::sums_at_target(const char* request, std::uint64_t times) {
  conversation_.call(request, {{"times", times}});
}

void Pair::slots_at_target(const char* request, Origin origin, std::uint64_t first,
                           std::uint64_t count) {
  conversation_.call(request,
                     {{"origin", static_cast<int>(origin)}, {"first", first}, {"count", count}},
                     time_for(count * own_.parameters.size));
}

}  // namespace lintel::perf
