#pragma once
// How the two processes find each other and agree that they fit, and the messages between them:
// JSON objects that all carry "tool", "protocol", "version" and "kind".
//
//   client -> server  hello    {host, cpu, arguments}  who asks, and its command line
//   server -> client  accept   {host, cpu}             or
//                     refuse   {reason}
//   both              step     {}      has come to the next step of the measurement;
//                                      {size}: of the client, before each size
//   server -> client  failed   {error, code}
//   client -> server  end      {}
//
// Both derive what they do from the command line. The members "tool", "protocol", "version", "kind"
// and "reason" and the kinds "hello" and "refuse" are the same in every protocol, so that different
// versions can tell each other so. Protocols 1 and 2 had requests and replies instead of steps.

#include <string>
#include <thread>
#include <vector>

#include "control_channel.h"
#include "report.h"

namespace lintel::perf {

inline constexpr int kProtocol = 3;

// An object with the members that every message has, and others.
inline json control_message(const char* kind, const json& members = json::object()) {
  json message{
      {"tool", kToolName}, {"protocol", kProtocol}, {"version", tool_version()}, {"kind", kind}};
  message.update(members);
  return message;
}

// A member of a message, which may lack it or have it of another type.
template <class Member>
Member member_of(const json& body, const char* name, Member otherwise) {
  try {
    return body.at(name).get<Member>();
  } catch (const json::exception&) {
    return otherwise;
  }
}

// The kind of a message that came from this tool, of whatever version; empty if it did not.
inline std::string kind_of(const json& body) {
  if (member_of<std::string>(body, "tool", "") != kToolName) return "";
  return member_of<std::string>(body, "kind", "");
}

inline bool has_own_protocol(const json& body) {
  return member_of(body, "protocol", 0) == kProtocol;
}

[[noreturn]] inline void refuse_protocol(const char* own_role, const char* peer_role,
                                         const json& peer) {
  refuse(
      "the {} is lintel-perf {} with protocol {}, this {} is lintel-perf {} with protocol {}; "
      "expected the same protocol on both sides",
      peer_role, member_of<std::string>(peer, "version", "unknown"), member_of(peer, "protocol", 0),
      own_role, tool_version(), kProtocol);
}

inline ProcessDescription description_of(const ControlMessage& message) {
  return {member_of<std::string>(message.body, "host", "unknown"), to_string(message.from),
          member_of(message.body, "cpu", -1)};
}

// Client: asks `server` for a connection and waits for its answer; a server that is just starting
// has `deadline` to appear. Returns who it is. Throws PerfFailure(kUnusable) if it cannot be
// reached, does not answer, is busy or is of another protocol.
inline ProcessDescription connect_to_server(ControlChannel& control, ptl_process_id_t server,
                                            const ProcessDescription& self,
                                            const std::vector<std::string>& arguments,
                                            Seconds deadline) {
  static constexpr auto kRetryAfter = std::chrono::milliseconds(200);
  const auto give_up = [&](const std::string& reason) {
    throw PeerLost(
        fmt::format("no lintel-perf server answers at {} within {:g} s ({}); expected "
                    "'lintel-perf --server' running there",
                    to_string(server), deadline.count(), reason));
  };
  const auto end = after(deadline);
  const json request =
      control_message("hello", {{"host", self.host}, {"cpu", self.cpu}, {"arguments", arguments}});
  for (;;) {
    const std::string failure = control.send(server, request, left_until(end));
    if (failure.empty()) break;
    if (left_until(end) <= kRetryAfter) give_up(failure);
    std::this_thread::sleep_for(kRetryAfter);
  }
  for (;;) {
    const auto message = control.receive(left_until(end));
    if (!message) {
      give_up("it took the message but did not reply; it may be busy, or of another version");
    }
    const std::string kind = kind_of(message->body);
    if (kind.empty() || message->from.pid != server.pid) continue;
    if (!has_own_protocol(message->body)) refuse_protocol("client", "server", message->body);
    if (kind == "refuse") {
      refuse("the server at {} refuses: {}; expected a server that is free", to_string(server),
             member_of<std::string>(message->body, "reason", "no reason given"));
    }
    if (kind == "accept") return description_of(*message);
  }
}

struct ClientRequest {
  ptl_process_id_t id;
  ProcessDescription description;
  std::vector<std::string> arguments;
};

// Server: waits for a client and accepts it. Throws PerfFailure(kUnusable) when the client is of
// another protocol, whatever it calls its request, after telling it so.
inline ClientRequest accept_client(ControlChannel& control, const ProcessDescription& self) {
  static constexpr Seconds kLook{3600};
  static constexpr Seconds kReplyLimit{2};
  for (;;) {
    const auto message = control.receive(kLook);
    const std::string kind = message ? kind_of(message->body) : "";
    if (kind.empty() || kind == "refuse") continue;
    const bool fits = has_own_protocol(message->body);
    if (fits && kind != "hello") continue;
    const json answer =
        control_message(fits ? "accept" : "refuse", {{"host", self.host}, {"cpu", self.cpu}});
    const std::string failure = control.send(message->from, answer, kReplyLimit);
    if (!fits) refuse_protocol("server", "client", message->body);
    if (!failure.empty()) continue;  // it has left again
    return {message->from, description_of(*message),
            member_of<std::vector<std::string>>(message->body, "arguments", {})};
  }
}

// Server: tells `process` that it serves `client`.
inline void refuse_client(ControlChannel& control, ptl_process_id_t process,
                          ptl_process_id_t client) {
  const std::string reason = fmt::format("busy with the client {}", to_string(client));
  control.send(process, control_message("refuse", {{"reason", reason}}), Seconds(1));
}

}  // namespace lintel::perf
