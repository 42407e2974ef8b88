#pragma once
// The format of what two DirectTransports send each other: a stream of pieces each way, over one
// TCP connection after another. Each TCP connection begins with greetings, which begin the streams
// or resume them. doc/wire_format.md describes it; a test compares both. Network byte order. No
// logic here.

#include <cstddef>
#include <cstdint>

#include "transport/wire_bytes.h"

namespace lintel::transport {

inline constexpr std::uint32_t kGreetingMagic = 0x4C4E5444;  // "LNTD"
// Of everything here. Version 1 could not resume, so this process uses it with nobody.
inline constexpr std::uint16_t kStreamVersion = 2;

enum class GreetingKind : std::uint8_t {
  kConnect = 1,  // the connect request: the first bytes on a connection, from the side that made it
  kAccept = 2,   // the answer: accepted; pieces may follow in both directions
  kSimultaneous = 3,  // the answer: the connection of the other direction is kept; this one ends
  // Of a connection that takes the place of a lost one. A Resumption follows each of them, but not
  // the last.
  kResume = 4,     // the request
  kChallenge = 5,  // its answer
  kProof = 6,      // the requester proves that it is the peer, and says what has arrived there
  kResumed = 7,    // likewise the other side; pieces follow in both directions
  kNoStream = 8,   // the answer to kResume: there is no stream to be resumed
};
constexpr bool has_resumption(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(GreetingKind::kResume) &&
         kind <= static_cast<std::uint8_t>(GreetingKind::kResumed);
}

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

// Follows a greeting.
struct Resumption {
  std::uint64_t received;  // kProof, kResumed: all bytes of pieces before this one have arrived
  std::byte nonce[16];     // kResume, kChallenge: random
  std::byte proof[32];     // kProof, kResumed: resumption_proof.h
};
static_assert(sizeof(Resumption) == 56 && offsetof(Resumption, nonce) == 8 &&
              offsetof(Resumption, proof) == 24);

enum class PieceKind : std::uint8_t {
  kMessage = 1,  // the message follows
  kWrite = 2,    // a WriteHeader follows, then the bytes
  kPlaced = 3,   // a PlacedHeader follows, its message, then the payload
  // Nothing follows. It does not count as a part of the stream, and is not sent again.
  kAcknowledge = 4,
};

// PieceHeader::flags: when the sender wants to know that the piece has arrived. It needs to know
// before it reuses what it has kept of the piece.
enum PieceFlags : std::uint16_t {
  kAcknowledgeWhenIdle = 1,  // before the receiver waits for more
  kAcknowledgeSoon = 2,      // half of what the sender may keep is in use
};

struct PieceHeader {
  // Of the message, the bytes to write, or the payload. kAcknowledge: the low 32 bits of the bytes
  // of the stream that have arrived.
  std::uint32_t length;
  std::uint8_t kind;
  std::uint8_t message_bytes;  // kPlaced: of its message; else 0
  std::uint16_t flags;         // PieceFlags; kAcknowledge: 0
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
constexpr Resumption network_order(Resumption r) {
  r.received = network_order(r.received);
  return r;
}
constexpr PieceHeader network_order(PieceHeader p) {
  return {network_order(p.length), p.kind, p.message_bytes, network_order(p.flags)};
}
constexpr WriteHeader network_order(WriteHeader w) {
  return {network_order(w.key), network_order(w.address), network_order(w.immediate),
          network_order(w.reserved)};
}
constexpr PlacedHeader network_order(PlacedHeader p) { return {network_order(p.key)}; }

}  // namespace lintel::transport
