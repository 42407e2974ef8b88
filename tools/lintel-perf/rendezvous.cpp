#include "rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "failure.h"
#include "host.h"
#include "portals_call.h"
#include "protocol.h"

namespace lintel::perf {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

std::chrono::milliseconds left_until(Clock::time_point end) {
  return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
}

nlohmann::json introduction(const char* kind, const ProcessDescription& self) {
  nlohmann::json message = control_message(kind);
  message["host"] = self.host;
  message["cpu"] = self.cpu;
  return message;
}

// The text came from another process: members may be missing or of another type.
ProcessDescription description_of(const ControlMessage& message) {
  ProcessDescription description;
  const auto host = message.body.find("host");
  const auto cpu = message.body.find("cpu");
  description.host = host != message.body.end() && host->is_string() ? host->get<std::string>() : "unknown";
  description.cpu = cpu != message.body.end() && cpu->is_number_integer() ? cpu->get<int>() : -1;
  description.address = to_string(message.from);
  return description;
}

[[noreturn]] void give_up(ptl_process_id_t server, Seconds deadline, const std::string& reason) {
  throw PeerLost(fmt::format("no lintel-perf server answers at {} within {:g} s ({}); expected 'lintel-perf --server' running there",
                             to_string(server), deadline.count(), reason));
}

void send_hello(ControlChannel& control, ptl_process_id_t server, const nlohmann::json& hello, Clock::time_point end, Seconds deadline) {
  static constexpr auto kRetryAfter = std::chrono::milliseconds(200);
  for (;;) {
    const std::string failure = control.try_send(server, hello, left_until(end));
    if (failure.empty()) return;
    if (left_until(end) <= kRetryAfter) give_up(server, deadline, failure);
    std::this_thread::sleep_for(kRetryAfter);
  }
}

}  // namespace

ProcessDescription describe_self(const Interface& network, int cpu) { return {host_name(), to_string(network.id()), cpu}; }

ProcessDescription greet_server(ControlChannel& control, ptl_process_id_t server, const ProcessDescription& self, Seconds deadline) {
  const auto end = Clock::now() + std::chrono::ceil<std::chrono::milliseconds>(deadline);
  send_hello(control, server, introduction("hello", self), end, deadline);
  while (auto message = control.receive(left_until(end))) {
    const nlohmann::json& body = message->body;
    if (!is_ours(body) || message->from.pid != server.pid) continue;
    if (protocol_of(body) != own_protocol()) throw Failure(ExitCode::kUnusable, incompatible("client", "server", body));
    if (kind_of(body) == "refuse") {
      throw Failure(ExitCode::kUnusable, fmt::format("the server at {} refuses: {}; expected a server that is free", to_string(server),
                                                     body.value("reason", "no reason given")));
    }
    if (kind_of(body) == "welcome") return description_of(*message);
  }
  give_up(server, deadline, "it took the message but did not reply; it may be busy");
}

std::optional<Guest> await_client(ControlChannel& control, const ProcessDescription& self, Seconds limit) {
  const auto end = Clock::now() + std::chrono::ceil<std::chrono::milliseconds>(limit);
  static constexpr auto kReplyLimit = std::chrono::seconds(2);
  while (auto message = control.receive(left_until(end))) {
    if (!is_ours(message->body) || kind_of(message->body) != "hello") continue;
    try {
      if (protocol_of(message->body) == own_protocol()) {
        control.send(message->from, introduction("welcome", self), kReplyLimit);
        return Guest{message->from, description_of(*message)};
      }
      control.send(message->from, introduction("refuse", self), kReplyLimit);
    } catch (const PeerLost&) {
      if (protocol_of(message->body) == own_protocol()) continue;  // it has left again
    }
    throw Failure(ExitCode::kUnusable, incompatible("server", "client", message->body));
  }
  return std::nullopt;
}

}  // namespace lintel::perf
