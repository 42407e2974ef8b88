#pragma once
// The bytes of a connection between two DirectTransports, which is one TCP connection: a greeting each way, then pieces. doc/wire_format.md describes them; a
// test holds both together. Network byte order. No logic here.

#include <cstddef>
#include <cstdint>

#include "transport/wire_bytes.h"

namespace lintel::transport {

inline constexpr std::uint32_t kGreetingMagic = 0x4C4E5444;  // "LNTD"
inline constexpr std::uint16_t kStreamVersion = 1;           // of everything here

enum class GreetingKind : std::uint8_t {
  kCall = 1,     // first on a connection, from the side that has made it
  kTaken = 2,    // the answer: pieces may follow in both directions
  kCrossed = 3,  // the answer: a connection the other way is, or is about to be, the one; this one ends
};

struct Greeting {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint8_t kind;
  std::uint8_t reserved;
  std::uint32_t from_nid;
  std::uint32_t from_pid;
  std::uint32_t to_nid;
  std::uint32_t to_pid;
  std::uint64_t life;    // drawn at random when the sender's transport was opened
  std::uint64_t moment;  // of that life; grows with each greeting that it says
};
static_assert(sizeof(Greeting) == 40);
static_assert(offsetof(Greeting, from_nid) == 8 && offsetof(Greeting, to_nid) == 16 && offsetof(Greeting, life) == 24 &&
              offsetof(Greeting, moment) == 32);

enum class PieceKind : std::uint8_t {
  kMessage = 1,  // the message follows
  kWrite = 2,    // a WriteHeader follows, then the bytes
  kParcel = 3,   // a ParcelHeader follows, its message, then the payload
};

struct PieceHeader {
  std::uint32_t length;  // of the message, the bytes to write, or the payload
  std::uint8_t kind;
  std::uint8_t message_bytes;  // kParcel: of its message; else 0
  std::uint16_t reserved;
};
static_assert(sizeof(PieceHeader) == 8);

struct WriteHeader {
  std::uint64_t key;
  std::uint64_t address;
  std::uint32_t immediate;
  std::uint32_t reserved;
};
static_assert(sizeof(WriteHeader) == 24);

struct ParcelHeader {
  std::uint64_t key;
};
static_assert(sizeof(ParcelHeader) == 8);

constexpr Greeting network_order(Greeting g) {
  return {network_order(g.magic),
          network_order(g.version),
          g.kind,
          g.reserved,
          network_order(g.from_nid),
          network_order(g.from_pid),
          network_order(g.to_nid),
          network_order(g.to_pid),
          network_order(g.life),
          network_order(g.moment)};
}
constexpr PieceHeader network_order(PieceHeader p) { return {network_order(p.length), p.kind, p.message_bytes, network_order(p.reserved)}; }
constexpr WriteHeader network_order(WriteHeader w) {
  return {network_order(w.key), network_order(w.address), network_order(w.immediate), network_order(w.reserved)};
}
constexpr ParcelHeader network_order(ParcelHeader p) { return {network_order(p.key)}; }

}  // namespace lintel::transport
