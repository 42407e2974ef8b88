#include "protocol.h"

#include <fmt/format.h>

namespace lintel::perf {
namespace {

int g_protocol = kProtocol;

std::string text_member(const nlohmann::json& body, const char* name) {
  const auto found = body.find(name);
  return found != body.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

const char* tool_version() { return LINTEL_PERF_VERSION; }

int own_protocol() { return g_protocol; }
void pretend_protocol(int protocol) { g_protocol = protocol; }

nlohmann::json control_message(const char* kind) {
  return {{"tool", kToolName}, {"protocol", g_protocol}, {"version", tool_version()}, {"kind", kind}};
}

bool is_ours(const nlohmann::json& body) { return text_member(body, "tool") == kToolName; }

std::string kind_of(const nlohmann::json& body) { return text_member(body, "kind"); }

int protocol_of(const nlohmann::json& body) {
  const auto found = body.find("protocol");
  return found != body.end() && found->is_number_integer() ? found->get<int>() : 0;
}

std::string version_of(const nlohmann::json& body) {
  const std::string version = text_member(body, "version");
  return version.empty() ? "unknown" : version;
}

std::string incompatible(const std::string& own_role, const std::string& peer_role, const nlohmann::json& peer) {
  return fmt::format(
      "the {} is lintel-perf {} with protocol {}, this {} is lintel-perf {} with protocol {}; expected the same protocol on both sides",
      peer_role, version_of(peer), protocol_of(peer), own_role, tool_version(), own_protocol());
}

}  // namespace lintel::perf
