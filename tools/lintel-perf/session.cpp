#include "session.h"

#include <fmt/format.h>

#include <exception>

#include "failure.h"
#include "portals_call.h"
#include "protocol.h"

namespace lintel::perf {

std::chrono::duration<double> time_for(std::uint64_t bytes) {
  static constexpr double kSlowBytesPerSecond = 50e6;
  return std::chrono::duration<double>(static_cast<double>(bytes) / kSlowBytesPerSecond);
}

Session::Session(const Interface& network, TimedInterfaces& timed, ControlChannel& control, ptl_process_id_t peer,
                 std::chrono::duration<double> deadline)
    : network_(network), timed_(timed), control_(control), peer_(control, network.handle(), peer, deadline), deadline_(deadline) {}

std::chrono::milliseconds Session::send_limit() const { return std::chrono::ceil<std::chrono::milliseconds>(deadline_); }

void Session::start(const char* what, nlohmann::json arguments) {
  nlohmann::json message = control_message("request");
  message.update(arguments);
  message["do"] = what;
  message["number"] = ++number_;
  control_.send(peer(), message, send_limit());
}

nlohmann::json Session::await(const char* kind, std::chrono::duration<double> limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::duration<double>(end - std::chrono::steady_clock::now());
    auto message = peer_.receive(left);
    if (!message) throw PeerLost(fmt::format("no reply from {} within {:.0f} s", to_string(peer()), limit.count()));
    const nlohmann::json& body = message->body;
    if (!peer_.is(message->from) || !is_ours(body) || body.value("number", std::uint64_t{0}) != number_) continue;
    // A request that fails before it begins has a reply and no notice.
    if (kind_of(body) == kind || kind_of(body) == "reply") return std::move(message->body);
  }
}

void Session::await_notice() {
  const nlohmann::json body = await("notice", deadline_);
  if (kind_of(body) == "reply") throw Failure(ExitCode::kFailed, body.value("error", "the server did not begin"));
}

nlohmann::json Session::finish(std::chrono::duration<double> allowance) {
  nlohmann::json body = await("reply", deadline_ + allowance);
  if (!body.value("ok", false)) {
    const auto code = body.value("code", 1) == 2 ? ExitCode::kUnusable : ExitCode::kFailed;
    throw Failure(code, fmt::format("at {}: {}", to_string(peer()), body.value("error", "unknown error")));
  }
  return body;
}

nlohmann::json Session::call(const char* what, nlohmann::json arguments, std::chrono::duration<double> allowance) {
  start(what, std::move(arguments));
  return finish(allowance);
}

void Session::bye() {
  control_.try_send(peer(), control_message("bye"), std::chrono::seconds(1));  // if that fails, the server finds out by itself
}

std::unique_ptr<Watch> Session::watch(Operations& operations, std::uint64_t bytes) const {
  return std::make_unique<Watch>(network_.handle(), peer(), operations, deadline_ + time_for(bytes));
}

Pair::Pair(Session& session, const SideParameters& own, const SideParameters& target)
    : session_(session), own_(session.timed(own.api), name_of(session.peer()), own) {
  session_.call("prepare", {{"side", target}}, time_for(target.size * (target.slots + 1)));
}

Pair::~Pair() {
  if (std::uncaught_exceptions() > 0) return;  // the run has failed: the client leaves, and the server releases everything then
  try {
    session_.call("release", nlohmann::json::object());
  } catch (const std::exception&) {  // a server that is gone has released everything
  }
}

void Pair::fill_target(const char* what, std::uint64_t id) {
  session_.call("fill", {{"what", what}, {"id", id}}, time_for(own_.parameters.size));
}

void Pair::poison_target(const char* what, std::uint64_t id) {
  session_.call("poison", {{"what", what}, {"id", id}}, time_for(own_.parameters.size));
}

void Pair::check_target(const char* what, std::uint64_t id) {
  session_.call("check", {{"what", what}, {"id", id}}, time_for(own_.parameters.size));
}

void Pair::begin_target_sums() { session_.call("begin_sums", nlohmann::json::object()); }

void Pair::check_target_sums(std::uint64_t times) { session_.call("check_sums", {{"times", times}}); }

void Pair::fill_target_slots(Origin origin, std::uint64_t first, std::uint64_t count) {
  session_.call("fill_slots", {{"origin", static_cast<int>(origin)}, {"first", first}, {"count", count}},
                time_for(count * own_.parameters.size));
}

void Pair::check_target_slots(Origin origin, std::uint64_t first, std::uint64_t count) {
  session_.call("check_slots", {{"origin", static_cast<int>(origin)}, {"first", first}, {"count", count}},
                time_for(count * own_.parameters.size));
}

}  // namespace lintel::perf
