#pragma once
// The bytes of the engine's messages. doc/wire_format.md describes them, with an example of each; a
// test checks that both agree.
// Fixed width, network byte order, every struct a multiple of 8 bytes. No logic here: wire_codec.h
// encodes and decodes.

#include <cstddef>
#include <cstdint>

namespace lintel::portals::wire {

inline constexpr std::uint8_t kMessageVersion = 1;

enum class MessageKind : std::uint8_t {
  // The specification's messages.
  kPut = 1,
  kAck = 2,
  kGet = 3,
  kReply = 4,
  kGetPut = 5,
  kAtomic = 6,       // Portals 4: as PUT, but the data are combined with what is there
  kFetchAtomic = 7,  // the same as GETPUT is to PUT
  kSwap = 8,         // a swap of Portals 4, with its operand
  // Messages of Lintel: for large transfers, and to tell the initiator that it may delete the
  // record of a request.
  kClear = 16,    // receiver of data -> source: this memory is registered, write to it
  kWritten = 17,  // source -> receiver: how many writes the transfer has (sent if more than one)
  kDiscard =
      // to the owner of the token: nothing more will come. Its message was dropped, its put gets no
  // ack, or its data will not come
  18,
};

enum Flags : std::uint8_t {
  kFlagAckWanted = 1,  // PUT, ATOMIC: the MD handle of the put is not "none"
  // PUT, REPLY: the message has no data; they are written after a CLEAR. sender_token names the
  // source, which must be notified of a drop like a tracked request
  kFlagAnnounced = 2,
  // every request: the initiator keeps a record, so a drop must be answered with DISCARD
  kFlagTracked = 4,
  // CLEAR: another CLEAR of the same transfer follows when all writes for this one have come
  kFlagMore = 8,
  // GET of Portals 4: the payload is the CLEAR for all that it asks for; the writes for it may be
  // the only reply
  kFlagCleared = 16,
};

// At the start of every message.
struct MessageHeader {
  std::uint8_t version;
  std::uint8_t kind;
  std::uint8_t flags;
  std::uint8_t interface_kind;   // which of the target's network interfaces
  std::uint32_t payload_length;  // bytes of data after the fixed part
};
static_assert(sizeof(MessageHeader) == 8);

// PUT, GET, GETPUT and the atomic requests: tables 4.1 and 4.3, plus header data, MD generation and
// the local return offset. A message ends after the last field that its kind uses: fixed_size() in
// wire_codec.h.
struct Request {
  MessageHeader header;
  std::uint32_t initiator_nid;
  std::uint32_t initiator_pid;
  std::uint32_t user;
  std::uint32_t job;
  std::uint32_t target_nid;
  std::uint32_t target_pid;
  std::uint32_t portal_index;
  std::uint32_t cookie;  // index into the target's access control table
  std::uint64_t match_bits;
  std::uint64_t offset;       // remote offset
  std::uint64_t length;       // requested length in bytes
  std::uint64_t header_data;  // PUT, GETPUT; 0 in GET
  // A PUT without an answer ends here.
  std::uint32_t md_handle;  // put: the put MD or 0xffffffff (no ack); get, getput: the MD for the
                            // reply
  std::uint32_t md_generation;
  std::uint64_t sender_token;  // the initiator's operation, echoed by every answer
  // Every PUT ends here.
  std::uint64_t return_offset;  // the place of the reply in the MD; 0 in ATOMIC
  // GET and GETPUT end here.
  std::uint8_t atomic_operation;  // numbers of Portals 4's operations and datatypes
  std::uint8_t atomic_datatype;
  std::uint8_t reserved[6];
  // ATOMIC and FETCH_ATOMIC end here.
  // SWAP: a value of the datatype, then zeros: the value with which a conditional swap compares, or
  // the mask
  std::uint8_t operand[32];
};
static_assert(sizeof(Request) == 136 && offsetof(Request, atomic_operation) == 96 &&
              offsetof(Request, operand) == 104);
static_assert(offsetof(Request, initiator_nid) == 8 && offsetof(Request, user) == 16 &&
              offsetof(Request, target_nid) == 24);
static_assert(offsetof(Request, portal_index) == 32 && offsetof(Request, cookie) == 36 &&
              offsetof(Request, match_bits) == 40);
static_assert(offsetof(Request, offset) == 48 && offsetof(Request, length) == 56 &&
              offsetof(Request, header_data) == 64);
static_assert(offsetof(Request, md_handle) == 72 && offsetof(Request, md_generation) == 76);
static_assert(offsetof(Request, sender_token) == 80 && offsetof(Request, return_offset) == 88);

// ACK and REPLY: tables 4.2 and 4.4. Initiator and target are those of the request, swapped.
struct Response {
  MessageHeader header;
  std::uint32_t initiator_nid;  // the request's target
  std::uint32_t initiator_pid;
  std::uint32_t user;  // of the responder
  std::uint32_t job;
  std::uint32_t target_nid;  // the request's initiator
  std::uint32_t target_pid;
  std::uint32_t portal_index;  // echo
  std::uint8_t failure;        // Portals 4: why the request was refused (portals::Failure); else 0
  std::uint8_t list;           // Portals 4: which list the entry was in (portals::PortalList); else
                               // 0
  std::uint16_t reserved;
  std::uint64_t match_bits;        // echo
  std::uint64_t offset;            // echo; Portals 4: the offset in the entry
  std::uint64_t requested_length;  // echo
  std::uint64_t manipulated_length;
  std::uint32_t md_handle;      // echo
  std::uint32_t md_generation;  // echo
  std::uint64_t return_offset;  // echo
  std::uint64_t request_token;  // echo of Request.sender_token
  std::uint64_t sender_token;   // REPLY with kFlagAnnounced: names the source for CLEAR; else 0
};
static_assert(sizeof(Response) == 104);
static_assert(offsetof(Response, portal_index) == 32 && offsetof(Response, match_bits) == 40 &&
              offsetof(Response, offset) == 48);
static_assert(offsetof(Response, requested_length) == 56 &&
              offsetof(Response, manipulated_length) == 64);
static_assert(offsetof(Response, md_handle) == 72 && offsetof(Response, return_offset) == 80);
static_assert(offsetof(Response, request_token) == 88 && offsetof(Response, sender_token) == 96);

// CLEAR: followed by `segment_count` Segments (payload_length = their bytes).
struct Clear {
  MessageHeader header;
  std::uint64_t source_token;    // echo of the announcing message's sender_token
  std::uint64_t receiver_token;  // names the receiving transfer in WRITTEN
  std::uint64_t length;          // bytes to write now: the sum of the segments
  // part of every write; the source sets bit 31 if there is more than one write
  std::uint32_t immediate;
  std::uint32_t segment_count;
};
static_assert(sizeof(Clear) == 40);

// in a CLEAR, so that it fits into a message of every network, little memory is pinned at a time,
// and its receiver keeps a bounded number of segments
inline constexpr std::uint32_t kMostSegments = 64;

struct Segment {
  std::uint64_t key;
  std::uint64_t address;
  std::uint64_t length;
};
static_assert(sizeof(Segment) == 24);

struct Written {
  MessageHeader header;
  std::uint64_t receiver_token;  // echo of Clear.receiver_token
  std::uint64_t write_count;     // at least 2
};
static_assert(sizeof(Written) == 24);

struct Discard {
  MessageHeader header;
  // a token of the process that gets this message: its sender_token, or the receiver_token of its
  // CLEAR
  std::uint64_t token;
};
static_assert(sizeof(Discard) == 16);

}  // namespace lintel::portals::wire
