// Encoding and decoding of one message, as for each put, ack and reply on either side. Times are
// CPU time of one call.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "portals/engine/wire/wire_codec.h"

namespace {

using namespace lintel::portals::wire;

Request example_put(std::uint32_t payload) {
  Request put{};
  put.header = {kMessageVersion, static_cast<std::uint8_t>(MessageKind::kPut),
                kFlagAckWanted | kFlagTracked, 0, payload};
  put.initiator_nid = 0x0A000001;
  put.target_nid = 0x0A000002;
  put.match_bits = 0x0123456789ABCDEFULL;
  put.length = payload;
  put.sender_token = 7;
  return put;
}

void BM_EncodeRequest(benchmark::State& state) {
  Request put = example_put(8);
  std::array<std::byte, sizeof(Request)> bytes{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(put);
    encode(put, bytes.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_EncodeRequest);

void BM_EncodeResponse(benchmark::State& state) {
  Response ack{};
  ack.header = {kMessageVersion, static_cast<std::uint8_t>(MessageKind::kAck), 0, 0, 0};
  std::array<std::byte, sizeof(Response)> bytes{};
  for (auto _ : state) {
    benchmark::DoNotOptimize(ack);
    encode(ack, bytes.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_EncodeResponse);

// The receiver's work for a put before matching: check the whole message, then read its fixed part.
void BM_CheckAndParseRequest(benchmark::State& state) {
  constexpr std::uint32_t kPayload = 8;
  const Request put = example_put(kPayload);
  std::vector<std::byte> bytes(fixed_size(put.header) + kPayload);
  encode(put, bytes.data());
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    if (!parse_header(bytes)) {
      state.SkipWithError("the example put is not accepted");
      break;
    }
    benchmark::DoNotOptimize(parse_request(bytes));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_CheckAndParseRequest);

void BM_ParseRequestOnly(benchmark::State& state) {
  std::array<std::byte, sizeof(Request)> bytes{};
  encode(example_put(0), bytes.data());
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    benchmark::DoNotOptimize(parse_request(bytes));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_ParseRequestOnly);

void BM_CheckAndParseResponse(benchmark::State& state) {
  Response ack{};
  ack.header = {kMessageVersion, static_cast<std::uint8_t>(MessageKind::kAck), 0, 0, 0};
  std::array<std::byte, sizeof(Response)> bytes{};
  encode(ack, bytes.data());
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    if (!parse_header(bytes)) {
      state.SkipWithError("the example ack is not accepted");
      break;
    }
    benchmark::DoNotOptimize(parse_response(bytes));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_CheckAndParseResponse);

// range(0): number of segments.
void BM_CheckAndParseClear(benchmark::State& state) {
  const auto segments = static_cast<std::uint32_t>(state.range(0));
  std::vector<std::byte> bytes(sizeof(Clear) + segments * sizeof(Segment));
  Clear clear{};
  clear.header = {kMessageVersion, static_cast<std::uint8_t>(MessageKind::kClear), 0, 0,
                  static_cast<std::uint32_t>(segments * sizeof(Segment))};
  clear.length = std::uint64_t{segments} * 4096;
  clear.segment_count = segments;
  encode(clear, bytes.data());
  for (std::uint32_t i = 0; i < segments; ++i) {
    encode(Segment{1, 4096ULL * i, 4096}, bytes.data() + sizeof(Clear) + i * sizeof(Segment));
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes.data());
    const auto header = parse_header(bytes);
    if (!header) {
      state.SkipWithError("the example clear is not accepted");
      break;
    }
    benchmark::DoNotOptimize(parse_clear(bytes));
    const auto payload = payload_of(bytes, *header);
    for (std::size_t i = 0; i < segments; ++i) benchmark::DoNotOptimize(parse_segment(payload, i));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_CheckAndParseClear)->Arg(1)->Arg(8);

}  // namespace
