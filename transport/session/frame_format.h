#pragma once
// The format of a session frame, which is one message of the lower transport and holds zero or more
// engine messages to one peer. doc/wire_format.md describes it; a test compares both. Network byte
// order. No logic here.

#include <cstddef>
#include <cstdint>

namespace lintel::transport {

inline constexpr std::uint16_t kFrameMagic = 0x4C54;  // "LT"
// Version of everything below. Version 1 had no proofs, so this process uses it with nobody.
inline constexpr std::uint8_t kFrameVersion = 2;
// Oldest version that this process understands.
inline constexpr std::uint8_t kOldestFrameVersion = 2;

enum class FrameKind : std::uint8_t {
  kHello = 1,    // opens a session: names the sender, its slot and its epoch
  kWelcome = 2,  // accepts a hello
  kRefuse = 3,   // refuses a hello, with the reason
  kData = 4,     // carries engine messages; has a sequence number of its own
  kAck = 5,      // carries the cumulative acknowledgement only; no sequence number of its own
  kPing = 6,     // asks for a kAck at once; no sequence number of its own
  kGoodbye = 7,  // the sender closes its endpoint; no sequence number of its own
  kConfirm = 8,  // the proof of who has sent a hello, after the welcome
};

enum class RefuseReason : std::uint8_t {
  kVersion = 1,
  kProvider = 2,
  kSecretMissing = 3,  // the refuser has a job secret, the hello shows none
  kSecretUnknown = 4,  // the hello shows a job secret, the refuser has none
  kOtherSecret = 5,    // the hello is not proved by the job secret of the refuser
};

// At the start of every frame.
struct FrameHeader {
  std::uint16_t magic;
  std::uint8_t version;
  std::uint8_t kind;
  // The receiver's number for this session, from its hello or welcome; 0 in a hello.
  std::uint32_t receiver_slot;
  // The receiver's epoch of this session, which tells frames of an earlier session; 0 in a hello.
  std::uint32_t receiver_epoch;
  std::uint32_t sequence;      // kData: of this frame; other kinds: of the last kData frame sent
  std::uint32_t acknowledged;  // all frames up to this one have arrived
  std::uint32_t length;        // bytes that follow this header
};
static_assert(sizeof(FrameHeader) == 24);
static_assert(offsetof(FrameHeader, receiver_slot) == 4 &&
              offsetof(FrameHeader, receiver_epoch) == 8);
static_assert(offsetof(FrameHeader, sequence) == 12 && offsetof(FrameHeader, acknowledged) == 16 &&
              offsetof(FrameHeader, length) == 20);

// Introduction::flags
inline constexpr std::uint8_t kProvedBySecret = 1;   // by the job's secret
inline constexpr std::uint8_t kProvedByContact = 2;  // by the key of the first contact

// Follows the header in kHello and kWelcome.
struct Introduction {
  std::uint32_t nid;
  std::uint32_t pid;
  // Random, chosen when the endpoint is opened: a restarted process has another one.
  std::uint64_t incarnation;
  std::uint32_t slot;           // receiver_slot that the other side is to use
  std::uint32_t epoch;          // receiver_epoch that the other side is to use
  std::uint32_t echoed_epoch;   // kWelcome: epoch of the hello that this answers; kHello: 0
  std::uint8_t oldest_version;  // the sender understands oldest_version ... FrameHeader.version
  std::uint8_t flags;           // which key has made `proof`; 0: none that others do not know
  std::uint8_t reserved[2];
  // Name and version of TransportAttributes, "net 117.0", zero-padded; both sides must have the
  // same name.
  char provider[32];
  // Here version 1 ended.
  std::byte nonce[16];  // random, another one for each epoch of the sender
  std::byte proof[32];  // session_proof.h
};
static_assert(sizeof(Introduction) == 112);
inline constexpr std::size_t kFirstIntroductionBytes = offsetof(Introduction, nonce);
static_assert(kFirstIntroductionBytes == 64);
// What the proofs cover.
inline constexpr std::size_t kProvedBytes = offsetof(Introduction, proof);
static_assert(offsetof(Introduction, incarnation) == 8 && offsetof(Introduction, slot) == 16 &&
              offsetof(Introduction, epoch) == 20);
static_assert(offsetof(Introduction, echoed_epoch) == 24 &&
              offsetof(Introduction, oldest_version) == 28 && offsetof(Introduction, flags) == 29 &&
              offsetof(Introduction, provider) == 32);

// Follows the header in kRefuse.
struct RefuseBody {
  std::uint32_t echoed_epoch;   // epoch of the hello that this answers
  std::uint8_t reason;          // RefuseReason
  std::uint8_t oldest_version;  // the sender understands oldest_version ... FrameHeader.version
  std::uint8_t reserved[2];
  char provider[32];  // the sender's
  // Here version 1 ended.
  std::byte echoed_nonce[16];  // of the hello that this answers
};
static_assert(sizeof(RefuseBody) == 56);
inline constexpr std::size_t kFirstRefuseBytes = offsetof(RefuseBody, echoed_nonce);
static_assert(kFirstRefuseBytes == 40);

// Follows the header in kConfirm.
struct ConfirmBody {
  std::byte proof[32];
};
static_assert(sizeof(ConfirmBody) == 32);

// Begins each engine message of a kData frame. `length` bytes follow, then zero bytes up to a
// multiple of 8 from the start of the frame.
struct RecordHeader {
  std::uint32_t length;
  std::uint32_t reserved;
};
static_assert(sizeof(RecordHeader) == 8);
inline constexpr std::size_t kRecordAlignment = 8;

}  // namespace lintel::transport
