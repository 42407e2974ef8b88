#include "mpi_layer/p3rt/group_variables.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "base/assert.h"
#include "base/environment.h"

namespace lintel::p3rt {
namespace {

using mpi::Outcome;
using mpi::Problem;

// Parsed as by strtoul() with base 0, but the whole text and without a sign. All ones mean "any",
// so they are no valid number.
std::optional<std::uint32_t> number_of(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return number;
}

std::optional<NodeId> nid_of(std::string_view text) {
  in_addr address{};
  if (text.find('.') == std::string_view::npos) {
    const auto number = number_of(text);
    return number ? std::optional(NodeId(*number)) : std::nullopt;
  }
  if (::inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return NodeId(ntohl(address.s_addr));
}

std::optional<Pid> pid_of(std::string_view text) {
  const auto number = number_of(text);
  return number ? std::optional(Pid(*number)) : std::nullopt;
}

// Items separated by colons. Several colons in a row count as one; colons at the ends are ignored.
template <class Item>
Outcome<std::vector<Item>> list_of(const std::string& name, const std::optional<std::string>& text,
                                   std::optional<Item> (*read)(std::string_view),
                                   const char* expected) {
  if (!text)
    return Problem{"PTL_MY_RID is set and " + name +
                   " is not; expected PTL_MY_RID, PTL_NIDMAP and PTL_PIDMAP together"};
  std::vector<Item> items;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    if (item.empty()) continue;
    const std::optional<Item> value = read(item);
    if (!value)
      return Problem{name + "=" + *text + ": '" + std::string(item) +
                     "' is not accepted; expected " + expected};
    items.push_back(*value);
  }
  if (items.empty())
    return Problem{name + "=" + *text + " names nobody; expected " + expected +
                   " for each rank, with colons between"};
  return items;
}

}  // namespace

GroupVariables read_group_variables() {
  return {.rank = environment_variable("PTL_MY_RID"),
          .nids = environment_variable("PTL_NIDMAP"),
          .pids = environment_variable("PTL_PIDMAP")};
}

Outcome<ProcessGroup> group_of(const GroupVariables& variables) {
  LINTEL_ASSERT(variables.rank.has_value());
  const auto rank = number_of(*variables.rank);
  if (!rank) return Problem{"PTL_MY_RID=" + *variables.rank + " is not accepted; expected a rank"};
  auto nids =
      list_of<NodeId>("PTL_NIDMAP", variables.nids, nid_of, "an IPv4 address, or its number");
  if (!nids) return nids.failure();
  auto pids = list_of<Pid>("PTL_PIDMAP", variables.pids, pid_of, "a pid");
  if (!pids) return pids.failure();
  if (nids->size() != pids->size()) {
    return Problem{"PTL_NIDMAP has " + std::to_string(nids->size()) +
                   " entries and PTL_PIDMAP has " + std::to_string(pids->size()) +
                   "; expected one for each rank in both"};
  }
  if (*rank >= nids->size()) {
    return Problem{"PTL_MY_RID=" + *variables.rank + " is not below the " +
                   std::to_string(nids->size()) + " entries of PTL_NIDMAP"};
  }
  const auto size = static_cast<std::uint32_t>(nids->size());
  return ProcessGroup{
      .rank = *rank, .size = size, .nids = std::move(*nids), .pids = std::move(*pids)};
}

}  // namespace lintel::p3rt
