#include "target_service.h"

#include <fmt/format.h>

#include <limits>

#include "absence.h"
#include "failure.h"
#include "portals_call.h"
#include "protocol.h"
#include "session.h"
#include "traffic.h"
#include "watch.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxMessages = 1'000'000'000;

std::uint64_t number(const json& request, const char* name, std::uint64_t max) {
  const auto value = request.at(name).get<std::uint64_t>();
  if (value > max) throw Failure(ExitCode::kUnusable, fmt::format("the client asks for {} {}; expected at most {}", value, name, max));
  return value;
}

Origin origin_of(const json& request) { return number(request, "origin", 1) == 0 ? Origin::kInitiator : Origin::kTarget; }

}  // namespace

TargetService::TargetService(const Interface& network, TimedInterfaces& timed, ControlChannel& control, ptl_process_id_t client,
                             std::chrono::duration<double> deadline)
    : network_(network), timed_(timed), control_(control), client_(control, network.handle(), client, deadline), deadline_(deadline) {}

void TargetService::serve() {
  static constexpr std::chrono::duration<double> kForever{1e9};
  for (;;) {
    const auto message = client_.receive(kForever);
    if (!message || !is_ours(message->body)) continue;
    const bool from_client = client_.is(message->from);
    const std::string kind = kind_of(message->body);
    if (from_client && kind == "bye") return;
    if (from_client && kind == "request") answer(message->body);
    if (!from_client && kind == "hello") {
      json refusal = control_message("refuse");
      refusal["reason"] = fmt::format("busy with the client {}", to_string(client_.id()));
      control_.try_send(message->from, refusal, std::chrono::seconds(1));  // it may have given up already
    }
  }
}

void TargetService::answer(const json& request) {
  json reply;
  try {
    reply = carry_out(request);
    reply["ok"] = true;
  } catch (const PeerLost&) {
    throw;
  } catch (const Failure& failure) {
    reply = {{"ok", false}, {"error", failure.what()}, {"code", static_cast<int>(failure.code())}};
  } catch (const std::exception& error) {
    reply = {{"ok", false}, {"error", fmt::format("cannot carry out the request: {}", error.what())}, {"code", 1}};
  }
  reply["number"] = request.value("number", std::uint64_t{0});
  reply.update(control_message("reply"));
  control_.send(client_.id(), reply, std::chrono::ceil<std::chrono::milliseconds>(deadline_));
}

void TargetService::notice(const json& request) {
  json message = control_message("notice");
  message["number"] = request.at("number");
  control_.send(client_.id(), message, std::chrono::ceil<std::chrono::milliseconds>(deadline_));
}

Side& TargetService::side() {
  if (!side_) throw Failure(ExitCode::kFailed, "a request came before 'prepare'");
  return *side_;
}

Region& TargetService::region(const json& request) {
  const auto what = request.at("what").get<std::string>();
  if (what == "exposed" && side().exposed) return side().exposed->region();
  if (what == "local" && side().local) return side().local->region();
  throw Failure(ExitCode::kFailed, fmt::format("there is no memory '{}' here; expected 'exposed' or 'local' as prepared", what));
}

Region& TargetService::words() {
  if (!side().exposed || side().parameters.size % 8 != 0) throw Failure(ExitCode::kFailed, "sums need exposed memory of 64-bit words");
  return side().exposed->region();
}

void TargetService::watched(std::uint64_t in_flight, const std::function<void()>& traffic) {
  const Watch guard(network_.handle(), client_.id(), *side().operations, deadline_ + time_for(in_flight * side().parameters.size));
  traffic();
}

json TargetService::carry_out(const json& request) {
  const auto what = request.at("do").get<std::string>();
  json reply = json::object();
  if (what == "prepare") {
    side_.reset();
    const auto parameters = request.at("side").get<SideParameters>();
    side_ = std::make_unique<Side>(timed_.of(parameters.api), name_of(client_.id()), parameters);
  } else if (what == "release") {
    side_.reset();
  } else if (what == "fill") {
    region(request).fill(number(request, "id", std::numeric_limits<std::uint64_t>::max()));
  } else if (what == "poison") {
    region(request).poison(number(request, "id", std::numeric_limits<std::uint64_t>::max()));
  } else if (what == "check") {
    region(request).check(number(request, "id", std::numeric_limits<std::uint64_t>::max()));
  } else if (what == "begin_sums") {
    words().fill_sums(0);
  } else if (what == "check_sums") {
    words().check_sums(number(request, "times", kMaxMessages));
  } else if (what == "fill_slots" || what == "check_slots") {
    const auto count = number(request, "count", side().exposed_slots.size());
    const auto first = number(request, "first", kMaxMessages);
    const Origin origin = origin_of(request);
    // Bytes made here leave from local memory where there is some, else the client fetches them.
    const bool leave = what == "fill_slots" && !side().local_slots.empty();
    for (std::uint64_t i = 0; i < count; ++i) {
      Region& slot = leave ? side().local_slots[i]->region() : side().exposed_slots[i]->region();
      const auto id = pattern_id(origin, 0, first + i);
      what == "fill_slots" ? slot.fill(id) : slot.check(id);
    }
  } else if (what == "ping_pong") {
    if (!side().local || !side().exposed) throw Failure(ExitCode::kFailed, "ping_pong needs both kinds of memory");
    const auto messages = number(request, "messages", kMaxMessages);
    watched(1, [&] { pong(side(), messages); });
  } else if (what == "ping_pong_verified") {
    if (!side().local || !side().exposed) throw Failure(ExitCode::kFailed, "ping_pong needs both kinds of memory");
    const auto messages = number(request, "messages", kMaxMessages);
    std::string failure;
    watched(1, [&] { failure = pong_verified(side(), messages, 0); });
    if (!failure.empty()) throw Failure(ExitCode::kFailed, failure);
  } else if (what == "count_puts") {
    const auto messages = number(request, "messages", kMaxMessages);
    watched(1, [&] { count_puts(side(), messages); });
  } else if (what == "send_window") {
    if (!side().local) throw Failure(ExitCode::kFailed, "send_window needs local memory");
    const auto messages = number(request, "messages", kMaxMessages);
    const auto window = number(request, "window", kMaxMessages);
    watched(window, [&] { put_window(side(), messages, window, Completion::kRemote); });
  } else if (what == "send_slots") {
    const auto count = number(request, "count", side().local_slots.size());
    watched(count, [&] { put_slots(side(), count); });
  } else if (what == "be_absent") {
    const auto seconds = request.at("seconds").get<double>();
    const bool computes = request.at("mode").get<std::string>() == "compute";
    if (!(seconds >= 0 && seconds <= 3600))
      throw Failure(ExitCode::kUnusable, "the client asks for an absence that is not between 0 and 3600 s");
    notice(request);
    reply["work"] = computes ? compute_for(seconds) : sleep_for(seconds);
  } else {
    throw Failure(ExitCode::kUnusable, fmt::format("unknown request '{}'", what));
  }
  return reply;
}

}  // namespace lintel::perf
