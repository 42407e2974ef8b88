#include "protocol.h"

#include <thread>

#include "failure.h"
#include "host.h"
#include "interface.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

constexpr const char* kExpected = "expected the same protocol on both sides";
int g_protocol = kProtocol;

// The text came from another process: members may be missing or of another type.
std::string text_of(const json& body, const char* name, const char* otherwise) {
  const auto found = body.find(name);
  return found != body.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

int number_of(const json& body, const char* name, int otherwise) {
  const auto found = body.find(name);
  return found != body.end() && found->is_number_integer() ? found->get<int>() : otherwise;
}

int protocol_of(const json& body) { return number_of(body, "protocol", 0); }

[[noreturn]] void refuse_protocol(const char* own_role, const char* peer_role, const json& peer) {
  refuse(
      "the {} is lintel-perf {} with protocol {}, this {} is lintel-perf {} with protocol {}; {}",
      peer_role, text_of(peer, "version", "unknown"), protocol_of(peer), own_role, tool_version(),
      g_protocol, kExpected);
}

json introduction(const char* kind, const ProcessDescription& self) {
  return control_message(kind, {{"host", self.host}, {"cpu", self.cpu}});
}

// Strings only.
std::vector<std::string> arguments_of(const json& body) {
  std::vector<std::string> arguments;
  for (const json& text : body.value("arguments", json::array())) {
    if (text.is_string()) arguments.push_back(text);
  }
  return arguments;
}

ProcessDescription description_of(const ControlMessage& message) {
  return {text_of(message.body, "host", "unknown"), to_string(message.from),
          number_of(message.body, "cpu", -1)};
}

[[noreturn]] void give_up(ptl_process_id_t server, Seconds deadline, const std::string& reason) {
  throw PeerLost(
      fmt::format("no lintel-perf server answers at {} within {:g} s ({}); expected "
                  "'lintel-perf --server' running there",
                  to_string(server), deadline.count(), reason));
}

}  // namespace

void pretend_protocol(int protocol) { g_protocol = protocol; }

json control_message(const char* kind, const json& members) {
  json message{
      {"tool", kToolName}, {"protocol", g_protocol}, {"version", tool_version()}, {"kind", kind}};
  if (!members.is_null()) message.update(members);
  return message;
}

std::string kind_of(const json& body) {
  return text_of(body, "tool", "") == kToolName ? text_of(body, "kind", "") : "";
}

ProcessDescription describe_self(const Interface& network, int cpu) {
  return {host_name(), to_string(network.id()), cpu};
}

ProcessDescription greet_server(ControlChannel& control, ptl_process_id_t server,
                                const ProcessDescription& self,
                                const std::vector<std::string>& arguments, Seconds deadline) {
  static constexpr auto kRetryAfter = std::chrono::milliseconds(200);
  const auto end = after(deadline);
  json hello = introduction("hello", self);
  hello["arguments"] = arguments;
  for (;;) {
    const std::string failure = control.send(server, hello, left_until(end));
    if (failure.empty()) break;
    if (left_until(end) <= kRetryAfter) give_up(server, deadline, failure);
    std::this_thread::sleep_for(kRetryAfter);
  }
  while (auto message = control.receive(left_until(end))) {
    const json& body = message->body;
    const std::string kind = kind_of(body);
    if (kind.empty() || message->from.pid != server.pid) continue;
    if (protocol_of(body) != g_protocol) refuse_protocol("client", "server", body);
    if (kind == "refuse") {
      refuse("the server at {} refuses: {}; expected a server that is free", to_string(server),
             text_of(body, "reason", "no reason given"));
    }
    if (kind == "welcome") return description_of(*message);
  }
  give_up(server, deadline, "it took the message but did not reply; it may be busy");
}

Guest await_client(ControlChannel& control, const ProcessDescription& self) {
  static constexpr Seconds kLook{3600};
  static constexpr Seconds kReplyLimit{2};
  for (;;) {
    const auto message = control.receive(kLook);
    if (!message || kind_of(message->body) != "hello") continue;
    const bool fits = protocol_of(message->body) == g_protocol;
    const json answer = introduction(fits ? "welcome" : "refuse", self);
    const std::string failure = control.send(message->from, answer, kReplyLimit);
    if (!fits) refuse_protocol("server", "client", message->body);
    if (!failure.empty()) continue;  // it has left again
    return {message->from, description_of(*message), arguments_of(message->body)};
  }
}

void refuse_client(ControlChannel& control, ptl_process_id_t process, ptl_process_id_t client) {
  const std::string reason = fmt::format("busy with the client {}", to_string(client));
  control.send(process, control_message("refuse", {{"reason", reason}}), Seconds(1));
}

}  // namespace lintel::perf
