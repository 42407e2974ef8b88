#include "mpi_layer/bootstrap/business_card.h"

#include <arpa/inet.h>

#include <limits>
#include <optional>
#include <utility>

#include "base/quantity.h"
#include "mpi_layer/bootstrap/hexadecimal.h"
#include "mpi_layer/bootstrap/node_name.h"

namespace lintel::mpi {
namespace {

bool is_plain(char c) { return c > ' ' && c < 0x7f && c != '%'; }

std::string escaped(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (is_plain(c)) {
      plain += c;
    } else {
      plain += "%" + to_hexadecimal({&c, 1});
    }
  }
  return plain;
}

// Nothing if `plain` is not a result of escaped(), or is that of the empty text.
std::optional<std::string> unescaped(std::string_view plain) {
  std::string text;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (is_plain(plain[i])) {
      text += plain[i];
      continue;
    }
    const auto byte = from_hexadecimal(plain.substr(i + 1, 2));
    if (plain[i] != '%' || !byte || byte->size() != 1 || is_plain(byte->front()))
      return std::nullopt;
    text += *byte;
    i += 2;
  }
  if (text.empty()) return std::nullopt;
  return text;
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  const auto number = parse_integer(text);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max() ||
      std::to_string(*number) != text)
    return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::optional<ProcessId> id_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  in_addr address{};
  const auto pid = number_of(text.substr(colon + 1));
  if (!pid || ::inet_pton(AF_INET, std::string(text.substr(0, colon)).c_str(), &address) != 1)
    return std::nullopt;
  const ProcessId id{NodeId{ntohl(address.s_addr)}, Pid{*pid}};
  // inet_pton() stops at a zero byte.
  if (text_of(id) != text) return std::nullopt;
  return id;
}

std::optional<JobSecret> secret_of(std::string_view text) {
  const auto bytes = from_hexadecimal(text);
  JobSecret secret;
  if (!bytes || bytes->size() != secret.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < bytes->size(); ++i)
    secret.bytes[i] = static_cast<std::uint8_t>((*bytes)[i]);
  return secret;
}

std::string hexadecimal_of(const JobSecret& secret) {
  std::string bytes;
  for (const std::uint8_t byte : secret.bytes) bytes += static_cast<char>(byte);
  return to_hexadecimal(bytes);
}

// Removes "<name>=<text>" and the following blank from the beginning of `rest`, and converts the
// text by `read`.
template <class Value>
Outcome<Value> take(std::string_view& rest, const std::string& name,
                    std::optional<Value> (*read)(std::string_view)) {
  const std::string_view pair = rest.substr(0, rest.find(' '));
  if (!pair.starts_with(name + "="))
    return Problem{"'" + escaped(pair) + "' stands where " + name + "= was expected"};
  const std::string_view text = pair.substr(name.size() + 1);
  auto value = read(text);
  if (!value) return Problem{"'" + escaped(text) + "' is not what " + name + "= can say"};
  rest.remove_prefix(pair.size());
  // A blank at the end stays in `rest`, so that it is reported as an error.
  if (rest.size() > 1) rest.remove_prefix(1);
  return *std::move(value);
}

}  // namespace

Outcome<BusinessCard> new_card(std::string lintel_version, std::uint32_t wire_version,
                               std::string provider, ProcessId id) {
  Outcome<JobSecret> secret = random_secret();
  if (!secret) return secret.failure();
  return BusinessCard{.lintel_version = std::move(lintel_version),
                      .wire_version = wire_version,
                      .provider = std::move(provider),
                      .id = id,
                      .node = node_name(),
                      .secret_part = *secret};
}

std::string encode(const BusinessCard& card) {
  return "lintel=" + escaped(card.lintel_version) + " wire=" + std::to_string(card.wire_version) +
         " provider=" + escaped(card.provider) + " id=" + text_of(card.id) +
         " node=" + escaped(card.node) + " secret=" + hexadecimal_of(card.secret_part);
}

Outcome<std::string> version_of_card(std::string_view text) {
  return take<std::string>(text, "lintel", unescaped);
}

Outcome<BusinessCard> decode_card(std::string_view text) {
  Outcome<std::string> version = take<std::string>(text, "lintel", unescaped);
  if (!version) return version.failure();
  Outcome<std::uint32_t> wire = take<std::uint32_t>(text, "wire", number_of);
  if (!wire) return wire.failure();
  Outcome<std::string> provider = take<std::string>(text, "provider", unescaped);
  if (!provider) return provider.failure();
  Outcome<ProcessId> id = take<ProcessId>(text, "id", id_of);
  if (!id) return id.failure();
  Outcome<std::string> node = take<std::string>(text, "node", unescaped);
  if (!node) return node.failure();
  Outcome<JobSecret> secret = take<JobSecret>(text, "secret", secret_of);
  if (!secret) return secret.failure();
  if (!text.empty()) return Problem{"'" + escaped(text) + "' follows where the end was expected"};
  return BusinessCard{*version, *wire, *provider, *id, *node, *secret};
}

std::string text_of(ProcessId id) {
  const in_addr address{htonl(id.nid.value)};
  char dotted[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &address, dotted, sizeof dotted);
  return std::string(dotted) + ":" + std::to_string(id.pid.value);
}

}  // namespace lintel::mpi
