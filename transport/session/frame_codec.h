#pragma once
// Converts the structures of a frame to and from the bytes of the wire. Reads only within the given
// span. The caller checks the values.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/session/frame_format.h"
#include "transport/wire_bytes.h"

namespace lintel::transport {

// The same structure with the bytes of every number swapped; unchanged on a big-endian machine.
constexpr FrameHeader network_order(FrameHeader h) {
  return {network_order(h.magic),
          h.version,
          h.kind,
          network_order(h.receiver_slot),
          network_order(h.receiver_epoch),
          network_order(h.sequence),
          network_order(h.acknowledged),
          network_order(h.length)};
}

constexpr Introduction network_order(Introduction i) {
  i.nid = network_order(i.nid);
  i.pid = network_order(i.pid);
  i.incarnation = network_order(i.incarnation);
  i.slot = network_order(i.slot);
  i.epoch = network_order(i.epoch);
  i.echoed_epoch = network_order(i.echoed_epoch);
  return i;
}

constexpr RefuseBody network_order(RefuseBody r) {
  r.echoed_epoch = network_order(r.echoed_epoch);
  return r;
}

constexpr ConfirmBody network_order(ConfirmBody c) { return c; }

constexpr RecordHeader network_order(RecordHeader r) {
  return {network_order(r.length), network_order(r.reserved)};
}

// As decode(), of a structure that may have grown: what the `bytes` lack is 0.
template <class Wire>
Wire decode_as_far(std::span<const std::byte> bytes) {
  std::byte whole[sizeof(Wire)] = {};
  std::memcpy(whole, bytes.data(), bytes.size() < sizeof whole ? bytes.size() : sizeof whole);
  return decode<Wire>(whole);
}

// The bytes that a record with a message of `length` bytes takes in a frame. REQUIRES: length <=
// 0xffffffff.
constexpr std::size_t record_bytes(std::size_t length) {
  return sizeof(RecordHeader) + ((length + kRecordAlignment - 1) & ~(kRecordAlignment - 1));
}

// Reads the records of a kData frame one by one.
//   RecordReader reader(body); while (reader.next(message)) ...; if (reader.malformed()) ...
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> body) : rest_(body) {}

  // False: the end, or malformed bytes.
  bool next(std::span<const std::byte>& message) {
    if (rest_.empty()) return false;
    if (rest_.size() < sizeof(RecordHeader)) return fail();
    const auto record = decode<RecordHeader>(rest_.data());
    const std::size_t room = rest_.size() - sizeof(RecordHeader);
    if (record.length > room || record_bytes(record.length) - sizeof(RecordHeader) > room)
      return fail();
    message = rest_.subspan(sizeof(RecordHeader), record.length);
    rest_ = rest_.subspan(record_bytes(record.length));
    return true;
  }
  bool malformed() const { return malformed_; }

 private:
  bool fail() {
    malformed_ = true;
    return false;
  }
  std::span<const std::byte> rest_;
  bool malformed_ = false;
};

}  // namespace lintel::transport
