#pragma once
// The control messages: JSON objects that all carry "tool", "protocol" and "kind".
//
//   client -> server  hello    {version, host, cpu}                 who asks
//   server -> client  welcome  {version, host, cpu}                 or
//                     refuse   {version, reason}
//   client -> server  request  {number, do, ...}                    see target_service.cpp
//   server -> client  reply    {number, ok, ... or error, code}
//   server -> client  notice   {number}                             the request begins now
//   client -> server  bye      {}
//
// "tool", "protocol", "kind", "version" and "reason" never change their meaning, so that different versions can tell each other so.

#include <nlohmann/json.hpp>
#include <string>

namespace lintel::perf {

inline constexpr int kProtocol = 2;
inline constexpr const char* kToolName = "lintel-perf";

// The version of the tool, from the build.
const char* tool_version();

// The number this process puts into its messages; kProtocol unless a test pretends otherwise.
int own_protocol();
void pretend_protocol(int protocol);

// An object with the members that every message has.
nlohmann::json control_message(const char* kind);

// Whether the text came from this tool, of whatever version.
bool is_ours(const nlohmann::json& body);

std::string kind_of(const nlohmann::json& body);
int protocol_of(const nlohmann::json& body);
std::string version_of(const nlohmann::json& body);

// "lintel-perf 0.1.0 (protocol 2)"; with the whole sentence about two that do not fit.
std::string incompatible(const std::string& own_role, const std::string& peer_role, const nlohmann::json& peer);

}  // namespace lintel::perf
