#pragma once
// StatusRegisters: the counts of a network interface that the program can read (clause 3.2.7).
//
// A plain struct, owned by the network interface. Guarded by the process' lock. Every discarded
// message is counted once, under its cause.

#include <array>
#include <cstddef>
#include <cstdint>

namespace lintel::portals {

enum class DropCause : std::uint8_t {
  kPortalIndex,
  kCookie,
  kAccess,
  kNoMatch,
  kStaleHandle,
  kMalformed,
  kDisabled,
  kOperation,
  kInaccessible,
  kCount
};

struct StatusRegisters {
  std::array<std::uint64_t, static_cast<std::size_t>(DropCause::kCount)> drops{};
  std::uint64_t dropped_bytes = 0;
  std::uint64_t received_messages = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_messages = 0;
  std::uint64_t sent_bytes = 0;

  void drop(DropCause cause, std::uint64_t bytes) {
    ++drops[static_cast<std::size_t>(cause)];
    dropped_bytes += bytes;
  }
  std::uint64_t dropped(DropCause cause) const { return drops[static_cast<std::size_t>(cause)]; }
  std::uint64_t dropped_messages() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : drops) sum += count;
    return sum;
  }
  void received(std::uint64_t bytes) {
    ++received_messages;
    received_bytes += bytes;
  }
  void sent(std::uint64_t bytes) {
    ++sent_messages;
    sent_bytes += bytes;
  }
};

}  // namespace lintel::portals
