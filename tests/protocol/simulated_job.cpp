#include "tests/protocol/simulated_job.h"

#include "base/assert.h"

namespace lintel::testing {
namespace {

TimePoint virtual_clock(const void* network) { return static_cast<const transport::SimulatedNetwork*>(network)->now(); }

}  // namespace

SimulatedJob::SimulatedJob(JobOptions options) : network_(options.network), alive_(options.processes, true) {
  for (std::size_t rank = 0; rank < options.processes; ++rank) {
    const ProcessId name{NodeId(id(rank).nid), Pid(id(rank).pid)};
    transport::SessionOptions session = options.session;
    session.incarnation = rank + 1;
    portals::ProcessOptions process{.endpoint = options.endpoint,
                                    .spin = Nanoseconds(0),
                                    .linger = Nanoseconds(0),
                                    .user = UserId(rank < options.users.size() ? options.users[rank] : 1000),
                                    .job = JobId(7),
                                    .progress_thread = false};
    auto factory = [this, name, session](Pid, std::string&) -> Result<std::unique_ptr<transport::Transport>> {
      return std::unique_ptr<transport::Transport>(std::make_unique<transport::Session>(network_.join(name), session));
    };
    processes_.push_back(std::make_unique<portals::Process>(process, factory, options.real_time ? nullptr : virtual_clock, &network_));
    if (!options.open) continue;
    as(rank);
    int interfaces = 0;
    LINTEL_ASSERT(PtlInit(&interfaces) == PTL_OK);
    LINTEL_ASSERT(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, options.limits ? &*options.limits : nullptr, nullptr, &ni_) == PTL_OK);
  }
  if (!processes_.empty()) as(0);
}

SimulatedJob::~SimulatedJob() { close(); }

void SimulatedJob::close() {
  scoped_.reset();
  processes_.clear();
}

void SimulatedJob::as(std::size_t rank) {
  scoped_.reset();
  scoped_.emplace(*processes_[rank]);
}

std::size_t SimulatedJob::poll(std::size_t rank) {
  portals::Process& process = *processes_[rank];
  const MutexLock lock(process.lock());
  return process.progress().advance();
}

std::size_t SimulatedJob::poll_all() {
  std::size_t happened = 0;
  for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
    if (alive_[rank]) happened += poll(rank);
  }
  for (const auto& other : others_) happened += other();
  return happened;
}

void SimulatedJob::settle(Nanoseconds limit) {
  const TimePoint end = network_.now() + limit;
  do {
    // Until a round finds nothing: an answer to what one round delivered may be held back until the next, and what a process sends to itself
    // takes no time.
    while (poll_all() > 0) {
    }
    poll_all();
  } while (network_.now() < end && network_.advance_to_next());
}

void SimulatedJob::run(Nanoseconds duration) {
  const TimePoint end = network_.now() + duration;
  constexpr Nanoseconds kStep = std::chrono::milliseconds(1);
  while (network_.now() < end) {
    network_.run_until(std::min(end, network_.now() + kStep));
    settle(Nanoseconds(0));
  }
}

void SimulatedJob::kill(std::size_t rank, transport::Death death) {
  network_.kill({NodeId(id(rank).nid), Pid(id(rank).pid)}, death);
  alive_[rank] = false;
}

std::vector<ptl_event_t> SimulatedJob::events(ptl_handle_eq_t eq) {
  std::vector<ptl_event_t> all;
  ptl_event_t event;
  while (true) {
    const int code = PtlEQGet(eq, &event);
    if (code != PTL_OK && code != PTL_EQ_DROPPED) return all;
    all.push_back(event);
  }
}

std::uint64_t SimulatedJob::status(ptl_sr_index_t reg) {
  ptl_sr_value_t value = 0;
  LINTEL_ASSERT(PtlNIStatus(ni_, reg, &value) == PTL_OK);
  return value;
}

}  // namespace lintel::testing
