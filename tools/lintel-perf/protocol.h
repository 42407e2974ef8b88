#pragma once
// The control messages: JSON objects that all carry "tool", "protocol" and "kind".
//
//   client -> server  hello    {version, host, cpu}                 who asks
//   server -> client  welcome  {version, host, cpu}                 or
//                     refuse   {version, reason}
//   client -> server  request  {number, do, ...}                    see server.cpp
//   server -> client  reply    {number, ok, ... or error, code}
//   server -> client  notice   {number}                             the request begins now
//   client -> server  bye      {}
//
// "tool", "protocol", "kind", "version" and "reason" never change their meaning, so that different
// versions can tell each other so. And how the two processes find each other and agree that they
// fit.

#include <optional>
#include <string>

#include "control_channel.h"
#include "interface.h"
#include "report.h"

namespace lintel::perf {

inline constexpr int kProtocol = 2;

// Makes this process put another number into its messages: for tests.
void pretend_protocol(int protocol);

// An object with the members that every message has, and others.
nlohmann::json control_message(const char* kind, const nlohmann::json& members = {});

// The kind of a message that came from this tool, of whatever version; empty if it did not.
std::string kind_of(const nlohmann::json& body);

// Who this process is, for the other one.
ProcessDescription describe_self(const Interface& network, int cpu);

// Client: says hello to `server` and waits for its welcome; a server that is just starting has
// `deadline` to appear. Returns who it is. Throws Failure(kUnusable) if it cannot be reached, does
// not answer, is busy or is of another protocol.
ProcessDescription greet_server(ControlChannel& control, ptl_process_id_t server,
                                const ProcessDescription& self, Seconds deadline);

struct Guest {
  ptl_process_id_t id;
  ProcessDescription description;
};

// Server: waits for a client and welcomes it. Throws Failure(kUnusable) when the client is of
// another protocol, after telling it so.
Guest await_client(ControlChannel& control, const ProcessDescription& self);

// Server: tells `process` why it cannot be served now.
void refuse_client(ControlChannel& control, ptl_process_id_t process, const std::string& reason);

}  // namespace lintel::perf
