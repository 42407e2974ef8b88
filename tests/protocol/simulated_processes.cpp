#include "tests/protocol/simulated_processes.h"

#include <algorithm>

namespace lintel::testing {
namespace {

constexpr Nanoseconds kStep = std::chrono::milliseconds(1);
constexpr Nanoseconds kEndlessly = std::chrono::hours(1);

}  // namespace

SimulatedProcesses::SimulatedProcesses(const ProcessesOptions& options)
    : network_(options.network),
      sessions_(options.processes),
      alive_(options.processes, true),
      lingers_(options.linger > Nanoseconds(0)) {
  for (std::size_t rank = 0; rank < options.processes; ++rank) clocks_.push_back({this, rank});
  const auto virtual_clock = [](const void* context) {
    const Clock& clock = *static_cast<const Clock*>(context);
    return clock.processes->ask_clock(clock.rank);
  };
  // A process that sleeps would sleep in real time.
  const Nanoseconds spin = lingers_ ? kEndlessly : Nanoseconds(0);
  for (std::size_t rank = 0; rank < options.processes; ++rank) {
    transport::SessionOptions session = options.session;
    session.incarnation = rank + 1;
    portals::ProcessOptions process{
        .endpoint = options.endpoint,
        .spin = spin,
        .linger = options.linger,
        .user = UserId(rank < options.users.size() ? options.users[rank] : 1000),
        .job = JobId(7),
        .progress_thread = false};
    // The same in each run of the test, as all that the network does.
    process.endpoint.random_seed = rank + 1;
    auto factory = [this, rank, session](
                       Pid, std::string&) -> Result<std::unique_ptr<transport::Transport>> {
      auto opened = std::make_unique<transport::Session>(network_.join(name(rank)), session);
      sessions_[rank] = opened.get();
      return std::unique_ptr<transport::Transport>(std::move(opened));
    };
    processes_.push_back(std::make_unique<portals::Process>(
        process, factory, options.real_time ? nullptr : +virtual_clock, &clocks_[rank]));
  }
  if (!processes_.empty()) as(0);
}

SimulatedProcesses::~SimulatedProcesses() { close(); }

void SimulatedProcesses::close() {
  scoped_.reset();
  others_.clear();
  for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
    alive_[rank] = false;
    if (lingers_) drive_by_clock(rank);
    processes_[rank].reset();
  }
  processes_.clear();
}

void SimulatedProcesses::as(std::size_t rank) {
  scoped_.reset();
  scoped_.emplace(*processes_[rank]);
}

std::size_t SimulatedProcesses::poll(std::size_t rank) {
  portals::Process& process = *processes_[rank];
  const MutexLock lock(process.lock());
  return process.progress().advance();
}

bool SimulatedProcesses::sleeps(std::size_t rank) {
  if (rank == clock_driver_) return false;
  portals::Process& process = *processes_[rank];
  const MutexLock lock(process.lock());
  return process.progress().may_sleep();
}

TimePoint SimulatedProcesses::ask_clock(std::size_t rank) {
  if (rank == clock_driver_) {
    clock_driver_ = kNobody;  // the others ask for the time too
    if (!network_.advance_to_next()) network_.run_until(network_.now() + kStep);
    poll_all(rank);
    clock_driver_ = rank;
  }
  return network_.now();
}

std::size_t SimulatedProcesses::poll_all(std::size_t but) {
  std::size_t happened = 0;
  for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
    if (alive_[rank] && rank != but && !sleeps(rank)) happened += poll(rank);
  }
  for (const auto& other : others_) happened += other();
  return happened;
}

void SimulatedProcesses::settle(Nanoseconds limit) {
  const TimePoint end = network_.now() + limit;
  do {
    // Polls until a round does nothing. An answer may be held back until the next round, and a
    // process sends to itself without delay.
    while (poll_all() > 0) {
    }
    poll_all();
  } while (network_.now() < end && network_.advance_to_next());
}

void SimulatedProcesses::run(Nanoseconds duration) {
  const TimePoint end = network_.now() + duration;
  while (network_.now() < end) {
    network_.run_until(std::min(end, network_.now() + kStep));
    settle(Nanoseconds(0));
  }
}

void SimulatedProcesses::kill(std::size_t rank, transport::Death death) {
  network_.kill(name(rank), death);
  alive_[rank] = false;
}

}  // namespace lintel::testing
