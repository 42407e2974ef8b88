#include "tshark.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace lintel::test {
namespace {

std::string run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run: " + command);
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), got);
  const int status = pclose(pipe);
  if (status != 0)
    throw std::runtime_error("status " + std::to_string(status) + " of: " + command + "\n" +
                             output);
  return output;
}

// Wireshark 4.4 loads no script for root. What makes root another user who still may read all of
// root's files; empty for others, and in a user namespace that has no other user.
const std::string& not_as_root() {
  static const std::string prefix = []() -> std::string {
    const std::string command =
        "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_override "
        "--ambient-caps=+dac_override ";
    if (geteuid() != 0 || std::system((command + "true 2>/dev/null").c_str()) != 0) return "";
    return command;
  }();
  return prefix;
}

// The user's own configuration must not change the result.
std::string tshark(const std::string& capture, const std::string& options) {
  return "WIRESHARK_CONFIG_DIR=/nonexistent " + not_as_root() +
         "tshark -n -X lua_script:" LINTEL_DISSECTORS "/lintel.lua -r '" + capture + "' " + options;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

constexpr char kBetweenFields = '\t';
constexpr char kBetweenValues = '|';

}  // namespace

std::vector<DecodedPacket> decode(const std::string& capture,
                                  const std::vector<std::string>& fields,
                                  const std::string& options) {
  std::string command = tshark(capture, options) +
                        " -Y 'lintel or lintel_direct.greeting or lintel_direct.piece or "
                        "xnet.version or impi' -T fields -E separator=/t "
                        "-E occurrence=a -E 'aggregator=|'";
  for (const std::string& field : fields) command += " -e " + field;
  std::vector<DecodedPacket> packets;
  for (const std::string& line : split(run(command + " 2>/dev/null"), '\n')) {
    const auto columns = split(line, kBetweenFields);
    DecodedPacket& packet = packets.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i)
      packet[fields[i]] =
          i < columns.size() ? split(columns[i], kBetweenValues) : std::vector<std::string>{};
  }
  return packets;
}

std::string decode_verbosely(const std::string& capture, const std::string& options) {
  return run(tshark(capture, options) + " -V 2>&1");
}

}  // namespace lintel::test
