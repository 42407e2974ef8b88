#pragma once
// A transport that records what it is given and has as much room as the test sets.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "portals/engine/wire/wire_codec.h"
#include "transport/transport.h"

namespace lintel::portals {

class RecordingTransport : public transport::Transport {
 public:
  struct Sent {
    transport::PeerId to;
    std::vector<std::byte> bytes;
    wire::MessageKind kind() const { return static_cast<wire::MessageKind>(bytes[1]); }
  };
  struct Posted {
    const std::byte* from;
    std::size_t length;
    transport::RemoteMemory to;
    transport::Immediate immediate;
    transport::Context context;
  };
  struct Expected {
    transport::PeerId from;
    transport::PlacementKey key;
    std::span<std::byte> memory;
  };
  std::size_t message_room = 1000;  // how many more messages may leave
  std::size_t write_room = 1000;
  bool registers = true;
  bool places = true;  // the result of expect_placement()
  std::vector<Sent> sent;
  std::vector<Posted> posted;
  std::size_t registered = 0;  // registrations that still exist
  std::vector<Expected> expected;
  transport::Withdrawal withdrawal = transport::Withdrawal::kNone;
  std::vector<transport::PeerId> withdrawn;  // whose placed messages are expected no more
  int watched = 0;
  std::uint64_t lost = 0;  // messages to whichever peer was lost

  const transport::TransportAttributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return {NodeId(1), Pid(1)}; }
  Result<transport::PeerId> resolve(ProcessId name) override {
    ++resolved;
    return transport::PeerId(name.pid.value);
  }
  ProcessId name_of(transport::PeerId peer) const override { return {NodeId(1), Pid(peer.value)}; }
  transport::MessageBuffer reserve(transport::PeerId, std::size_t bytes) override {
    if (message_room == 0) return {};
    frame_.resize(bytes);
    return {frame_.data(), bytes, 0};
  }
  transport::PostStatus commit(transport::PeerId to, const transport::MessageBuffer&,
                               std::size_t bytes) override {
    --message_room;
    sent.push_back({to, {frame_.begin(), frame_.begin() + static_cast<std::ptrdiff_t>(bytes)}});
    return transport::PostStatus::kOk;
  }
  void abandon(transport::PeerId, const transport::MessageBuffer&) override {}
  std::uint64_t lost_messages(transport::PeerId) const override { return lost; }
  bool expect_placement(transport::PeerId from, transport::PlacementKey key,
                        std::span<std::byte> memory) override {
    expected.push_back({from, key, memory});
    return places;
  }
  transport::Withdrawal withdraw_placement(transport::PeerId from) override {
    withdrawn.push_back(from);
    return withdrawal;
  }
  Result<transport::Registration> register_memory(transport::PeerId, std::span<std::byte> memory,
                                                  transport::Access) override {
    if (!registers) return Error(Loss::kOperation, "test", "");
    ++registered;
    return transport::Registration{
        .id = 1, .key = 7, .base = reinterpret_cast<std::uintptr_t>(memory.data())};
  }
  void deregister_memory(const transport::Registration&) override { --registered; }
  transport::PostStatus post_write(transport::PeerId, const transport::LocalMemory& from,
                                   transport::RemoteMemory to, transport::Immediate immediate,
                                   transport::Context context) override {
    if (write_room == 0) return transport::PostStatus::kWouldBlock;
    --write_room;
    posted.push_back({from.data, from.length, to, immediate, context});
    return transport::PostStatus::kOk;
  }
  void disconnect(transport::PeerId) override {}
  void watch(transport::PeerId, bool on) override { watched += on ? 1 : -1; }
  std::size_t poll(TimePoint, transport::Sink&) override { return 0; }
  TimePoint next_deadline() const override { return kNever; }
  int wait_fd() const override { return -1; }
  bool prepare_wait() override { return true; }

  std::size_t resolved = 0;
  // Returns the kinds of the messages that have left since the last call.
  std::vector<wire::MessageKind> take_kinds() {
    std::vector<wire::MessageKind> kinds;
    for (const Sent& message : sent) kinds.push_back(message.kind());
    sent.clear();
    return kinds;
  }

 private:
  transport::TransportAttributes attributes_{.name = "recording",
                                             .version = {},
                                             .max_message_bytes = 4096,
                                             .max_write_bytes = 64,
                                             .max_placed_bytes = 0,
                                             .max_placed_message = 0,
                                             .knows_source = true,
                                             .independent_reservations = true};
  std::vector<std::byte> frame_;
};

}  // namespace lintel::portals
