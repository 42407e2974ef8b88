#pragma once
// InboundStream: parses the bytes that arrive from a peer, in parts of any size, into messages,
// writes, placed messages and acknowledgements. It has no socket: it says where the next bytes are
// to go, and is told how many have arrived. If the TCP connection is replaced by another one,
// interrupt() says at which byte the peer goes on.
//
// Short data go to a buffer, and messages are delivered from there without a copy. The payload of a
// write or a placed message goes to its place directly, except for the part that arrived with its
// header.
//
// Owned by a connection of a DirectTransport; guarded by its owner's lock. All input is foreign and
// is checked here or by the sink.
// Invariants: (1) it holds a buffer only while a part of a piece is in it, or it has paused; (2)
// after a malformed piece, or stop(), nothing is delivered.
// Does not: allocate except by its buffers, or decide where writes and placed messages go: its
// sink does.
//
// It has more than 30 members: a function for each kind of piece, and what is known of the payload
// under way, which each byte that arrives may concern.

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/direct/stream_buffers.h"
#include "transport/direct/stream_format.h"
#include "transport/transport.h"

namespace lintel::transport {

enum class Acknowledged : std::uint8_t {
  kUnsent,   // it cannot be: these bytes were never sent
  kNothing,  // nobody waits for it
  // The last operation under way has ended, and its owner is to know before anything else is
  // delivered.
  kLastOperation,
};

// StreamSink: receives what an InboundStream finds. Spans are valid during the call only. The
// stream may be stopped during the call, but not destroyed.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void on_message(std::span<const std::byte> message) = 0;

  // Where `length` bytes for that address go. nullptr: there is no such memory, and the stream is
  // broken.
  virtual std::byte* place_of_write(RemoteMemory where, std::size_t length) = 0;
  virtual void on_write_in_place(Immediate immediate) = 0;

  // Where the payload of a placed message goes; a longer payload is cut. Empty: there is no memory
  // now, and the stream stalls until resume(). nullopt: the peer may not send one, and the stream
  // is broken.
  virtual std::optional<std::span<std::byte>> place_of_payload(PlacementKey key) = 0;
  virtual void on_placed_message(std::span<const std::byte> message,
                                 const PlacedPayload& payload) = 0;

  // The low 32 bits of how many bytes have arrived at the peer. kUnsent: the stream is broken.
  // kLastOperation: it pauses until resume() if anything has arrived behind the acknowledgement.
  virtual Acknowledged on_acknowledgement(std::uint32_t received) = 0;
  // Flags of a piece that has arrived whole.
  virtual void on_acknowledgement_wanted(std::uint16_t flags) = 0;
};

class InboundStream {
 public:
  // The largest placed message.
  static constexpr std::size_t kMaxPlacedMessage = 128;

  struct PieceLimits {
    std::size_t message_bytes = 0;
    std::size_t write_bytes = 0;
    std::size_t placed_bytes = 0;
  };
  // Borrows the buffers, each of which has room for the largest message with its header.
  InboundStream(const PieceLimits& limits, StreamBuffers& buffers);
  InboundStream(const InboundStream&) = delete;
  InboundStream& operator=(const InboundStream&) = delete;
  ~InboundStream() { give_buffer_back(); }

  enum class StreamState : std::uint8_t {
    kReading,
    kStalled,  // a placed message waits for memory
    kPaused,   // what has arrived is delivered after the end of an operation was reported
    kBroken,   // the input was malformed; reason() says why
    kStopped,  // by stop()
  };

  // Up to two places for the next bytes; the second is used only when the first is full. Beyond
  // payloads with their own place, they have room for at most `at_most` bytes. Empty: no memory.
  // REQUIRES: state() == StreamState::kReading.
  std::span<const iovec> room(std::size_t at_most);
  // `bytes` bytes have arrived there. Delivers everything that is complete, up to a pause.
  void arrived(std::size_t bytes, StreamSink& sink);
  // Nothing has arrived there.
  void nothing_came() {
    if (available() == 0) give_buffer_back();
  }
  // After kStalled: asks the sink for the place again. After kPaused: goes on.
  void resume(StreamSink& sink);

  // The write that arrives, if any, does not touch its memory any more: the rest of it is dropped,
  // and on_write_in_place() is not called.
  void cut_write();
  // Delivers nothing more, and touches no memory except the buffer. May be called inside a call of
  // the sink.
  void stop();
  StreamState state() const { return state_; }
  // For resume().
  bool is_waiting() const {
    return state_ == StreamState::kStalled || state_ == StreamState::kPaused;
  }
  const char* reason() const { return reason_; }
  // Bytes of pieces that have arrived and are dealt with; acknowledgements do not count.
  std::uint64_t position() const { return position_; }
  // Nothing more arrives on this TCP connection. Forgets what was not dealt with; the next bytes to
  // arrive are those from position() on. Does not change what stop() has stopped.
  void interrupt();
  // Bytes of the payload under way that have not arrived.
  std::size_t missing_of_payload() const { return to_place_ + to_drop_; }
  // For who leaves the beginning of a piece in the kernel: see leave_beginning().
  bool has_buffer() const { return buffer_ != nullptr; }
  // Bytes of the piece that has begun, as far as its beginning tells. 0: none has, or its payload
  // is under way.
  std::size_t wanted() const { return wanted_; }
  // What has arrived of a piece and is not dealt with is forgotten, because it will arrive again
  // with the rest. Returns its bytes. A stream that waits goes on waiting.
  std::size_t leave_beginning();
  // A piece has begun and is not complete.
  bool has_partial_piece() const { return payload_kind_ != PieceKind::kMessage || begin_ != end_; }

 private:
  std::size_t available() const { return end_ - begin_; }
  const std::byte* next() const { return buffer_.get() + begin_; }
  void parse_pieces(StreamSink& sink);
  bool parse_piece(StreamSink& sink);
  bool begin_message(const PieceHeader& header, StreamSink& sink);
  bool begin_write(const PieceHeader& header, StreamSink& sink);
  bool begin_placed(const PieceHeader& header, StreamSink& sink);
  void begin_payload(PieceKind kind, std::span<std::byte> place, std::size_t length);
  bool continue_payload(StreamSink& sink);
  bool broken(const char* reason);
  void consume(std::size_t bytes);
  void make_room();
  void give_buffer_back();

  PieceLimits limits_;
  StreamBuffers& buffers_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0;   // start of the unread bytes in the buffer
  std::size_t end_ = 0;     // end of the bytes that have arrived there
  std::size_t wanted_ = 0;  // bytes of the piece at begin_, as far as known

  std::uint64_t position_ = 0;
  std::uint16_t flags_ = 0;  // of the payload under way

  // The payload under way.
  PieceKind payload_kind_ = PieceKind::kMessage;  // kMessage: none
  std::byte* place_ = nullptr;                    // of the next byte
  std::size_t to_place_ = 0;
  std::size_t to_drop_ = 0;  // bytes to drop after those
  bool cut_ = false;
  Immediate immediate_;
  std::span<std::byte> landing_;
  std::size_t payload_length_ = 0;
  std::size_t placed_message_bytes_ = 0;
  std::array<std::byte, kMaxPlacedMessage> placed_message_;

  StreamState state_ = StreamState::kReading;
  const char* reason_ = "";
  iovec pieces_[2];
};

}  // namespace lintel::transport
