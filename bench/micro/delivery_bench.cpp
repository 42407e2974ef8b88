// One whole delivery of a put at its target: parse, access control, match, copy, event; without a network. And the event queue alone.

#include <benchmark/benchmark.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "portals/engine/endpoint.h"
#include "portals/engine/wire_codec.h"

namespace {

using namespace lintel;
using namespace lintel::portals;

// Takes everything and sends nothing: what is measured is the engine.
class NullTransport final : public transport::Transport {
 public:
  NullTransport() {
    attributes_.name = "null";
    attributes_.max_message_bytes = 65536;
    attributes_.max_write_bytes = 1U << 30;
    attributes_.knows_source = true;
  }
  const transport::Attributes& attributes() const override { return attributes_; }
  ProcessId self() const override { return {NodeId(1), Pid(1)}; }
  Result<transport::PeerId> resolve(ProcessId) override { return transport::PeerId(0); }
  ProcessId name_of(transport::PeerId) const override { return {NodeId(2), Pid(2)}; }
  transport::MessageBuffer reserve(transport::PeerId, std::size_t) override { return {frame_.data(), frame_.size(), 0}; }
  transport::PostStatus commit(transport::PeerId, const transport::MessageBuffer&, std::size_t) override {
    return transport::PostStatus::kOk;
  }
  void abandon(transport::PeerId, const transport::MessageBuffer&) override {}
  Result<transport::Region> register_memory(transport::PeerId, std::span<std::byte>, transport::Access) override {
    return transport::Region{};
  }
  void deregister_memory(const transport::Region&) override {}
  transport::PostStatus post_write(transport::PeerId, const transport::LocalMemory&, transport::RemoteMemory, transport::Immediate,
                                   transport::Context) override {
    return transport::PostStatus::kOk;
  }
  void watch(transport::PeerId, bool) override {}
  std::size_t poll(TimePoint, transport::Sink&) override { return 0; }
  TimePoint next_deadline() const override { return kNever; }
  int wait_fd() const override { return -1; }
  bool prepare_wait() override { return true; }

 private:
  transport::Attributes attributes_;
  std::array<std::byte, 65536> frame_{};
};

std::vector<std::byte> put_message(std::uint64_t match_bits, std::size_t length) {
  wire::Request request{};
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kPut), 0, 0, static_cast<std::uint32_t>(length)};
  request.initiator_nid = request.initiator_pid = 2;
  request.target_nid = request.target_pid = 1;
  request.user = 1000;
  request.portal_index = 4;
  request.match_bits = match_bits;
  request.length = length;
  request.md_handle = wire::kNoDescriptor;
  std::vector<std::byte> bytes(wire::fixed_size(request.header) + length);
  wire::encode(request, bytes.data());
  return bytes;
}

// An 8-byte put meets the last of `depth` entries; PUT_END is logged and taken.
void put_delivery(benchmark::State& state) {
  const auto depth = static_cast<std::uint64_t>(state.range(0));
  Counters counters;
  Endpoint endpoint(std::make_unique<NullTransport>(), {}, counters);
  {
    Attention attention;
    NetworkInterface interface(0, {{NodeId(1), Pid(1)}, UserId(1000), JobId(0)}, {}, counters, attention);
    endpoint.attach(interface);
    SlotId queue;
    if (interface.allocate_queue(64, nullptr, queue) != Status::kOk) state.SkipWithError("no queue");
    std::uint64_t word = 0;
    for (std::uint64_t bits = 0; bits < depth; ++bits) {
      SlotId entry;
      SlotId descriptor;
      DescriptorRules rules;
      rules.described = {&word, sizeof word, kUnlimited, option::kPut | option::kManageRemote | option::kStartDisable, 0, nullptr, queue};
      rules.region = MemoryRegion(&word, sizeof word);
      if (interface.attach_entry(4, {{NodeId(2), Pid(2)}, bits, 0}, false, ListEnd::kTail, entry) != Status::kOk ||
          interface.attach_descriptor(entry, rules, false, descriptor) != Status::kOk) {
        state.SkipWithError("no entry");
      }
    }
    const std::vector<std::byte> message = put_message(depth - 1, sizeof word);
    Event event;
    for (auto _ : state) {
      endpoint.on_message(transport::PeerId(0), message);
      if (interface.queue(queue)->take(event) != EventQueue::Taken::kEvent) state.SkipWithError("the put was not delivered");
      benchmark::DoNotOptimize(word);
    }
    endpoint.detach(interface);
  }
}
BENCHMARK(put_delivery)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);

void event_deposit_and_take(benchmark::State& state) {
  EventQueue queue(1024, nullptr);
  Event event;
  for (auto _ : state) {
    queue.deposit(event);
    benchmark::DoNotOptimize(queue.take(event));
  }
}
BENCHMARK(event_deposit_and_take);

}  // namespace
