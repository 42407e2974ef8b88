#include "watch.h"

#include <fmt/format.h>

#include <exception>
#include <memory>

#include "peer_probe.h"
#include "portals_call.h"

namespace lintel::perf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kProbeAfter = std::chrono::seconds(1);

}  // namespace

Watch::Watch(ptl_handle_ni_t ni, ptl_process_id_t peer, Operations& operations, std::chrono::duration<double> limit)
    : operations_(operations), thread_([this, ni, peer, limit] {
        try {
          run(ni, peer, limit);
        } catch (const std::exception& error) {
          operations_.stop(error.what());
        }
      }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watch::run(ptl_handle_ni_t ni, ptl_process_id_t peer, std::chrono::duration<double> limit) {
  std::unique_ptr<PeerProbe> probe;  // made only for a peer that has gone silent
  std::uint64_t seen = operations_.seen();
  Clock::time_point since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
    const auto now = Clock::now();
    if (operations_.seen() != seen) {
      seen = operations_.seen();
      since = now;
      continue;
    }
    const auto silent = now - since;
    if (silent < kProbeAfter) continue;
    if (!probe) probe = std::make_unique<PeerProbe>(ni, peer);
    if (!probe->pending()) probe->send();
    if (probe->look() == PeerProbe::Sign::kDead) {
      operations_.stop(fmt::format("the other process, {}, died or cannot be reached any more", to_string(peer)));
      return;
    }
    if (silent > limit) {
      operations_.stop(fmt::format("nothing came from {} for {:.0f} s; expected progress within that time (--deadline)", to_string(peer),
                                   limit.count()));
      return;
    }
  }
}

}  // namespace lintel::perf
