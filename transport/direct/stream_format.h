#pragma once
// The format of a connection between two DirectTransports, which is one TCP connection: a greeting
// each way, then pieces. doc/wire_format.md describes it; a test compares both. Network byte order.
// No logic here.

#include <cstddef>
#include <cstdint>

#include "transport/wire_bytes.h"

namespace lintel::transport {

inline constexpr std::uint32_t kGreetingMagic = 0x4C4E5444;  // "LNTD"
inline constexpr std::uint16_t kStreamVersion = 1;           // of everything here

enum class GreetingKind : std::uint8_t {
  kConnect = 1,  // the connect request: the first bytes on a connection, from the side that made it
  kAccept = 2,   // the answer: accepted; pieces may follow in both directions
  kSimultaneous = 3,  // the answer: the connection of the other direction is kept; this one ends
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
  std::uint64_t incarnation;  // random, chosen when the sender's transport was opened
  std::uint64_t generation;   // of that incarnation: grows with each greeting that it sends
};
static_assert(sizeof(Greeting) == 40);
static_assert(offsetof(Greeting, from_nid) == 8 && offsetof(Greeting, to_nid) == 16 &&
              offsetof(Greeting, incarnation) == 24 && offsetof(Greeting, generation) == 32);

enum class PieceKind : std::uint8_t {
  kMessage = 1,  // the message follows
  kWrite = 2,    // a WriteHeader follows, then the bytes
  kPlaced = 3,   // a PlacedHeader follows, its message, then the payload
};

struct PieceHeader {
  std::uint32_t length;  // of the message, the bytes to write, or the payload
  std::uint8_t kind;
  std::uint8_t message_bytes;  // kPlaced: of its message; else 0
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

struct PlacedHeader {
  std::uint64_t key;
};
static_assert(sizeof(PlacedHeader) == 8);

constexpr Greeting network_order(Greeting g) {
  return {network_order(g.magic),
          network_order(g.version),
          g.kind,
          g.reserved,
          network_order(g.from_nid),
          network_order(g.from_pid),
          network_order(g.to_nid),
          network_order(g.to_pid),
          network_order(g.incarnation),
          network_order(g.generation)};
}
constexpr PieceHeader network_order(PieceHeader p) {
  return {network_order(p.length), p.kind, p.message_bytes, network_order(p.reserved)};
}
constexpr WriteHeader network_order(WriteHeader w) {
  return {network_order(w.key), network_order(w.address), network_order(w.immediate),
          network_order(w.reserved)};
}
constexpr PlacedHeader network_order(PlacedHeader p) { return {network_order(p.key)}; }

}  // namespace lintel::transport
