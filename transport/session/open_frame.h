#pragma once
// OpenFrame: the frame to one peer in which messages wait for each other: a reservation of the
// lower transport, with complete records and room for the next one.
//
// A part of a PeerSession. Borrows the memory of the reservation from begin() to reset(). Thread:
// its owner's lock.
// Invariant: what is before bytes() is a frame header and complete records, except that seal()
// writes the header.
// Does not: send, or give the reservation back to the lower transport.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "transport/session/frame_codec.h"
#include "transport/session/frame_format.h"
#include "transport/transport.h"

namespace lintel::transport {

class OpenFrame {
 public:
  bool is_open() const { return buffer_.data != nullptr; }
  std::uint32_t bytes() const { return bytes_; }  // filled, header included; while is_open()
  std::uint32_t messages() const { return messages_; }
  const MessageBuffer& buffer() const { return buffer_; }

  // REQUIRES: the lower transport has lent the buffer.
  void begin(MessageBuffer buffer) {
    buffer_ = std::move(buffer);
    clear();
  }
  // The lower transport has the buffer again.
  void reset() {
    buffer_ = {};
    messages_ = 0;
  }
  // Drops the messages. The frame stays open.
  void clear() {
    bytes_ = sizeof(FrameHeader);
    messages_ = 0;
  }

  // `limit`: the most bytes of a frame.
  bool has_room(std::size_t message_bytes, std::size_t limit) const {
    return record_bytes(message_bytes) <= limit - bytes_;
  }
  // Where the next message is built. REQUIRES: is_open().
  MessageBuffer next_message(std::size_t limit) const {
    const std::size_t begin = bytes_ + sizeof(RecordHeader);
    return {buffer_.data + begin, limit - begin, 0};
  }
  // Ends the record of the message that was built in next_message(), which has `message_bytes`
  // bytes.
  void close_record(std::size_t message_bytes) {
    std::byte* const record = buffer_.data + bytes_;
    encode(record, RecordHeader{static_cast<std::uint32_t>(message_bytes), 0});
    const std::size_t whole = record_bytes(message_bytes);
    if (const std::size_t padding = whole - sizeof(RecordHeader) - message_bytes; padding != 0)
      std::memset(record + (whole - padding), 0, padding);
    bytes_ += static_cast<std::uint32_t>(whole);
    ++messages_;
  }
  // Writes the header of a kData frame. Takes the receiver's numbers, the sequence and the
  // acknowledgement from `numbers`. The frame may be sealed again.
  void seal(const FrameHeader& numbers) {
    encode(buffer_.data,
           FrameHeader{kFrameMagic, kFrameVersion, static_cast<std::uint8_t>(FrameKind::kData),
                       numbers.receiver_slot, numbers.receiver_epoch, numbers.sequence,
                       numbers.acknowledged,
                       bytes_ - static_cast<std::uint32_t>(sizeof(FrameHeader))});
  }

 private:
  MessageBuffer buffer_;
  std::uint32_t bytes_ = 0;
  std::uint32_t messages_ = 0;
};

}  // namespace lintel::transport
