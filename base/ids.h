#pragma once
// Identifiers of processes and their attributes: a type for each, so that one cannot be passed for
// another.
//
// Values: they copy and compare, have no behaviour, and hold the number as it is on the wire.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lintel {

// A number with one meaning. `Tag` makes each use a type of its own. There is no arithmetic.
template <class Tag, class Number>
struct Id {
  Number value{};

  constexpr Id() = default;
  constexpr explicit Id(Number number) : value(number) {}
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using NodeId = Id<struct NodeIdTag, std::uint32_t>;  // IPv4 address in host byte order
using Pid = Id<struct PidTag, std::uint32_t>;        // Portals process id; maps to a port, see
                                                     // doc/addressing.md
using UserId = Id<struct UserIdTag, std::uint32_t>;
using JobId = Id<struct JobIdTag, std::uint32_t>;

// The physical name of a process on one network (Portals: ptl_process_id_t).
struct ProcessId {
  NodeId nid;
  Pid pid;
  friend constexpr auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

}  // namespace lintel

template <class Tag, class Number>
struct std::hash<lintel::Id<Tag, Number>> {
  std::size_t operator()(const lintel::Id<Tag, Number>& id) const noexcept {
    return std::hash<Number>{}(id.value);
  }
};

template <>
struct std::hash<lintel::ProcessId> {
  std::size_t operator()(const lintel::ProcessId& id) const noexcept {
    const std::uint64_t joined = (std::uint64_t{id.nid.value} << 32) | id.pid.value;
    return std::hash<std::uint64_t>{}(joined * 0x9E3779B97F4A7C15ULL);
  }
};
