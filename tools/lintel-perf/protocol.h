#pragma once
// How the two processes find each other and agree that they fit, and the messages between them:
// JSON objects that all carry "tool", "protocol", "version" and "kind".
//
//   client -> server  hello    {host, cpu, arguments}  who asks, and its command line
//   server -> client  welcome  {host, cpu}             or
//                     refuse   {reason}
//   both              step     {}      has come to the next step of the measurement;
//                                      {size}: of the client, before each size
//   server -> client  failed   {error, code}
//   client -> server  bye      {}
//
// Both derive what is done from the command line, so nothing else has to be exchanged. "tool",
// "protocol", "version", "kind" and "reason" never change their meaning, so that different versions
// can tell each other so.

#include <string>
#include <vector>

#include "control_channel.h"
#include "report.h"

namespace lintel::perf {

class Interface;

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
                                const ProcessDescription& self,
                                const std::vector<std::string>& arguments, Seconds deadline);

struct Guest {
  ptl_process_id_t id;
  ProcessDescription description;
  std::vector<std::string> arguments;
};

// Server: waits for a client and welcomes it. Throws Failure(kUnusable) when the client is of
// another protocol, after telling it so.
Guest await_client(ControlChannel& control, const ProcessDescription& self);

// Server: tells `process` that it serves `client`.
void refuse_client(ControlChannel& control, ptl_process_id_t process, ptl_process_id_t client);

}  // namespace lintel::perf
