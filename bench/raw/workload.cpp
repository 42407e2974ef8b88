#include "bench/raw/workload.h"

#include <algorithm>
#include <chrono>

namespace lintel::bench {
namespace {

constexpr std::size_t kSignalBytes = 8;  // credits, and messages that end a run

// The target grants credit for this many messages at a time: often enough to keep the window open,
// rarely enough to cost nothing.
std::uint64_t credit_interval(std::uint32_t window) {
  return std::max<std::uint64_t>(1, window / 2);
}

std::uint32_t elapsed_ns(std::chrono::steady_clock::time_point from,
                         std::chrono::steady_clock::time_point to) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count();
  return static_cast<std::uint32_t>(std::min<std::int64_t>(ns, UINT32_MAX));
}

void await_message(RawEndpoint& endpoint) {
  endpoint.poll_until([&] { return endpoint.take_messages(1) == 1; });
}

void drain(RawEndpoint& endpoint) {
  endpoint.poll_until([&] { return endpoint.under_way() == 0; });
}

// --- pingpong: the receive is posted again after the answer has left, so that it is not on the
// message's path.

void ping(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count,
          std::vector<std::uint32_t>& round_trips_ns) {
  auto before = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    endpoint.send(workload.size_bytes);
    endpoint.post_receives();
    await_message(endpoint);
    const auto now = std::chrono::steady_clock::now();
    round_trips_ns.push_back(elapsed_ns(before, now));
    before = now;
  }
  drain(endpoint);
}

void pong(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    await_message(endpoint);
    endpoint.send(workload.size_bytes);
    endpoint.post_receives();
  }
  drain(endpoint);
}

// --- rate, bw-send: at most `window` messages without credit from the target.

void stream(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count) {
  const std::uint64_t interval = credit_interval(workload.window);
  const std::uint64_t credits_of_run = (count + interval - 1) / interval;
  std::uint64_t credits = 0;
  const auto arrived = [&] {
    credits += endpoint.take_messages(credits_of_run - credits);
    return std::min(count, credits * interval);
  };
  for (std::uint64_t sent = 0; sent < count; ++sent) {
    endpoint.poll_until([&] {
      return sent - arrived() < workload.window && endpoint.under_way() < workload.window;
    });
    endpoint.send(workload.size_bytes);
    endpoint.post_receives();
  }
  endpoint.poll_until([&] { return arrived() == count; });
  endpoint.post_receives();
  drain(endpoint);
}

void absorb(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count) {
  const std::uint64_t interval = credit_interval(workload.window);
  std::uint64_t arrived = 0;
  std::uint64_t credited = 0;
  while (credited < count) {
    endpoint.poll();
    endpoint.post_receives();
    arrived += endpoint.take_messages(count - arrived);
    while (arrived - credited >= interval || (arrived == count && credited < count)) {
      endpoint.send(kSignalBytes);
      credited = std::min(count, credited + interval);
    }
  }
  drain(endpoint);
}

// --- bw-write, bw-read: at most `window` operations without a completion. The last write notifies
// the target. Providers keep the order of writes to one peer, so all have then arrived.

void write_all(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count) {
  for (std::uint64_t written = 0; written < count; ++written) {
    endpoint.poll_until([&] { return endpoint.under_way() < workload.window; });
    if (written + 1 < count) {
      endpoint.write(workload.size_bytes);
    } else {
      endpoint.write_and_notify(workload.size_bytes);
    }
  }
  await_message(endpoint);
  endpoint.post_receives();
  drain(endpoint);
}

void be_written(RawEndpoint& endpoint) {
  endpoint.poll_until([&] { return endpoint.take_notifications(1) == 1; });
  endpoint.send(kSignalBytes);
  drain(endpoint);
}

void read_all(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    endpoint.poll_until([&] { return endpoint.under_way() < workload.window; });
    endpoint.read(workload.size_bytes);
  }
  drain(endpoint);
}

}  // namespace

void initiate(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count,
              std::vector<std::uint32_t>& round_trips_ns) {
  if (count == 0) return;
  switch (workload.mode) {
    case Mode::kPingPong: return ping(endpoint, workload, count, round_trips_ns);
    case Mode::kRate:
    case Mode::kSendBandwidth: return stream(endpoint, workload, count);
    case Mode::kWriteBandwidth: return write_all(endpoint, workload, count);
    case Mode::kReadBandwidth: return read_all(endpoint, workload, count);
  }
}

void serve(RawEndpoint& endpoint, const Workload& workload, std::uint64_t count) {
  if (count == 0) return;
  switch (workload.mode) {
    case Mode::kPingPong: return pong(endpoint, workload, count);
    case Mode::kRate:
    case Mode::kSendBandwidth: return absorb(endpoint, workload, count);
    case Mode::kWriteBandwidth: return be_written(endpoint);
    case Mode::kReadBandwidth: return;  // served by polling until the initiator ends the run
  }
}

std::size_t receives_for(std::uint32_t window) { return std::max<std::size_t>(16, window); }

}  // namespace lintel::bench
