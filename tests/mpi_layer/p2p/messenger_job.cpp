#include "tests/mpi_layer/p2p/messenger_job.h"

#include <string>

#include "base/assert.h"

namespace lintel::testing {

MessengerJob::MessengerJob(const MessengerJobOptions& options)
    : processes_({.processes = options.processes,
                  .network = options.network,
                  .endpoint = options.endpoint,
                  .session = options.session,
                  .linger = std::chrono::seconds(2)}),
      computing_(options.processes, false) {
  mpi::MessengerOptions messenger = options.messenger;
  messenger.most_processes = static_cast<std::uint32_t>(options.processes);
  std::string explanation;
  for (std::size_t rank = 0; rank < options.processes; ++rank) {
    if (rank + 1 == options.processes)
      messenger.unexpected_bytes = options.different_bytes.value_or(messenger.unexpected_bytes);
    messengers_.push_back(mpi::Messenger::open(processes_.process(rank), messenger, explanation));
    LINTEL_ASSERT(messengers_.back() != nullptr);
  }
  for (auto& opened : messengers_) {
    for (std::size_t rank = 0; rank < options.processes; ++rank) {
      LINTEL_ASSERT(opened->add_peer(SimulatedProcesses::name(rank)) == mpi::CallError::kNone);
    }
  }
  processes_.poll_also([this] { return progress(); });
}

MessengerJob::~MessengerJob() {
  for (std::size_t rank = 0; rank < messengers_.size(); ++rank) close(rank);
  processes_.close();
}

std::size_t MessengerJob::progress() {
  std::size_t happened = 0;
  for (std::size_t rank = 0; rank < messengers_.size(); ++rank) {
    if (rank != driver_ && !computing_[rank]) happened += messengers_[rank]->progress();
  }
  return happened;
}

mpi::Messenger& MessengerJob::as(std::size_t rank) {
  driver_ = rank;
  processes_.drive_by_clock(rank);
  return at(rank);
}

void MessengerJob::kill(std::size_t rank, transport::Death death) {
  processes_.kill(rank, death);
  computing_[rank] = true;
}

void MessengerJob::close(std::size_t rank) {
  as(rank).close();
  computing_[rank] = true;
}

}  // namespace lintel::testing
