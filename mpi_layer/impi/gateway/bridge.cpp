#include "mpi_layer/impi/gateway/bridge.h"

#include <utility>

#include "mpi_layer/impi/gateway/agent_route.h"
#include "mpi_layer/impi/gateway/member_route.h"

namespace lintel::mpi::impi {

Outcome<std::unique_ptr<Bridge>> Bridge::open(portals::Process& process, Messenger& messenger,
                                              BridgeSetup place, Broken broken) {
  std::unique_ptr<Bridge> bridge(new Bridge(process, messenger));
  const MutexLock lock(process.lock());
  if (const Outcome<> started = bridge->start(std::move(place), std::move(broken)); !started)
    return started.failure();
  return bridge;
}

Outcome<> Bridge::start(BridgeSetup place, Broken broken) {
  PacketRoute::RouteEvents events{[this](const Packet& packet, std::span<const std::byte> data) {
                                    kLock.is_held();
                                    return gateway_->on_packet(packet, data);
                                  },
                                  [this](const Packet& packet) {
                                    kLock.is_held();
                                    return gateway_->place_for(packet);
                                  },
                                  [this] {
                                    kLock.is_held();
                                    gateway_->resume();
                                  },
                                  std::move(broken)};
  if (place.joined) {
    Outcome<std::unique_ptr<AgentRoute>> agent = AgentRoute::open(
        messenger_, place.rank, std::move(*place.joined), place.peer_timeout, std::move(events));
    if (!agent) return agent.failure();
    route_ = std::move(*agent);
  } else {
    route_ = std::make_unique<MemberRoute>(messenger_, place.layout, place.rank, std::move(events));
  }
  gateway_ = std::make_unique<ImpiGateway>(messenger_, place.layout, place.rank, *route_);
  messenger_.outside().set_gateway(gateway_.get());
  process_.attach_work(this);
  attached_ = true;
  return {};
}

void Bridge::detach() {
  const MutexLock lock(process_.lock());
  if (!std::exchange(attached_, false)) return;
  process_.attach_work(nullptr);
  messenger_.outside().set_gateway(nullptr);
}

std::size_t Bridge::poll() {
  std::size_t happened = route_->poll();
  happened += messenger_.handle_events();
  return happened + gateway_->deliver_waiting();
}

template <class Holds>
bool Bridge::wait_until(Holds holds, Nanoseconds timeout) {
  struct AskedCondition final : portals::Condition {
    explicit AskedCondition(Holds asked) : asked_(std::move(asked)) {}
    bool holds() override { return asked_(); }
    Holds asked_;
  };
  AskedCondition condition(std::move(holds));
  return process_.progress().wait_until(condition, process_.now() + timeout);
}

void Bridge::dump(std::string& out) const {
  gateway_->dump(out);
  route_->dump(out);
}

bool Bridge::finish_sending(Nanoseconds timeout) {
  const MutexLock lock(process_.lock());
  const bool left = wait_until(
      [this] {
        kLock.is_held();
        return gateway_->idle() && route_->drained();
      },
      timeout);
  route_->expect_end();
  return left;
}

bool Bridge::finish(Nanoseconds timeout) {
  const MutexLock lock(process_.lock());
  route_->finish();
  const bool finished = wait_until(
      [this] {
        kLock.is_held();
        return route_->finished();
      },
      timeout);
  if (finished) route_->send_final_fini();
  return finished;
}

}  // namespace lintel::mpi::impi
