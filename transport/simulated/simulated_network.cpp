#include "transport/simulated/simulated_network.h"

#include <algorithm>

#include "base/assert.h"
#include "transport/simulated/simulated_endpoint.h"
#include "transport/simulated/simulated_transport.h"

namespace lintel::transport {

SimulatedNetwork::SimulatedNetwork(SimulatedOptions options)
    : options_(std::move(options)), random_(options_.seed) {
  LINTEL_ASSERT(options_.shortest_delay <= options_.longest_delay);
}

SimulatedNetwork::~SimulatedNetwork() = default;

std::unique_ptr<SimulatedTransport> SimulatedNetwork::join(ProcessId name) {
  std::shared_ptr<SimulatedEndpoint>& endpoint = endpoints_[name];
  LINTEL_ASSERT(!endpoint || !endpoint->alive);
  endpoint = std::make_shared<SimulatedEndpoint>();
  endpoint->name = name;
  endpoint->first_connection = ++connections_;
  return std::make_unique<SimulatedTransport>(*this, endpoint);
}

void SimulatedNetwork::kill(ProcessId name, Death death) {
  const std::shared_ptr<SimulatedEndpoint> victim = find(name);
  if (!victim || !victim->alive) return;
  victim->end();
  victim->silent = death == Death::kSilent;
  if (death == Death::kSilent) return;
  // In the order of names, because the order of the hash table may differ between runs.
  std::vector<std::shared_ptr<SimulatedEndpoint>> others;
  for (const auto& [_, endpoint] : endpoints_) {
    if (endpoint->alive && endpoint->peer_of.contains(name)) others.push_back(endpoint);
  }
  std::sort(others.begin(), others.end(),
            [](const auto& a, const auto& b) { return a->name < b->name; });
  for (const auto& other : others) {
    at(now_ + random_delay(), [other, name, connection = other->connection_with(name)] {
      if (other->connection_with(name) != connection) return;
      other->report(ReportFailed{
          other->known(name),
          Error(Loss::kPeer, "simulated network", "the connection was reset by the peer")});
    });
  }
}

TimePoint SimulatedNetwork::next_event() const {
  return events_.empty() ? kNever : events_.begin()->first.first;
}

bool SimulatedNetwork::advance_to_next() {
  if (events_.empty()) return false;
  run_until(next_event());
  return true;
}

void SimulatedNetwork::run_until(TimePoint until) {
  while (!events_.empty() && next_event() <= until) {
    now_ = std::max(now_, next_event());
    const auto node = events_.extract(events_.begin());
    node.mapped()();
  }
  now_ = std::max(now_, until);
}

void SimulatedNetwork::run_until(TimePoint until, const std::function<void(TimePoint)>& step) {
  while (next_event() <= until && next_event() != kNever) {
    advance_to_next();
    step(now_);
  }
  run_until(until);
  step(now_);
}

void SimulatedNetwork::at(TimePoint when, Action action) {
  events_.emplace(std::pair{std::max(when, now_), ++serial_}, std::move(action));
}

Nanoseconds SimulatedNetwork::random_delay() {
  const auto range =
      static_cast<std::uint64_t>((options_.longest_delay - options_.shortest_delay).count()) + 1;
  return options_.shortest_delay + Nanoseconds(static_cast<std::int64_t>(random_() % range));
}

TimePoint SimulatedNetwork::random_between(TimePoint from, TimePoint to) {
  const auto range = static_cast<std::uint64_t>((to - from).count()) + 1;
  return from + Nanoseconds(static_cast<std::int64_t>(random_() % range));
}

std::shared_ptr<SimulatedEndpoint> SimulatedNetwork::find(ProcessId name) const {
  const auto it = endpoints_.find(name);
  return it == endpoints_.end() ? nullptr : it->second;
}

std::shared_ptr<SimulatedPair> SimulatedNetwork::pair(ProcessId from, ProcessId to) {
  std::shared_ptr<SimulatedPair>& pair = pairs_[{from, to}];
  if (!pair) pair = std::make_shared<SimulatedPair>();
  return pair;
}

void SimulatedNetwork::renew_pair(ProcessId from, ProcessId to) {
  std::shared_ptr<SimulatedPair>& kept = pairs_[{from, to}];
  const TimePoint last_delivery = kept ? kept->last_delivery : TimePoint{};
  kept = std::make_shared<SimulatedPair>(SimulatedPair{.last_delivery = last_delivery});
}

}  // namespace lintel::transport
