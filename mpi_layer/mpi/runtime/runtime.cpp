#include "mpi_layer/mpi/runtime/runtime.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "mpi_layer/bootstrap/abort_process.h"
#include "mpi_layer/mpi/runtime/barrier.h"
#include "mpi_layer/mpi/runtime/client_map.h"
#include "mpi_layer/mpi/runtime/data_representation.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

namespace {

// Never destroyed, as the runtime, so references need not be counted.
CommunicatorRef predefined(std::vector<int> ranks, int rank, std::uint32_t number, MPI_Comm handle,
                           const char* name) {
  const bool taken = context_table().take(number);
  LINTEL_ASSERT(taken);
  auto* const communicator =
      new Communicator(std::make_shared<Group>(std::move(ranks)), rank, number,
                       predefined_error_handler(MPI_ERRORS_ARE_FATAL));
  communicator->set_handle(number_of(handle));
  communicator->set_name(name);
  return {CommunicatorRef(), communicator};
}

// Sets the properties of the other clients in a world of several IMPI clients. REQUIRES: the job is
// one of them; nothing was sent yet.
void know_clients(const Job& job) {
  const impi::JobLayout& layout = *job.layout();
  const std::vector<std::uint32_t>& native = job.client().native_clients;
  ClientMap map;
  std::vector<bool> external;
  for (const impi::JobProc& proc : layout.procs) {
    const std::uint32_t client = layout.hosts[proc.host].client;
    map.clients.push_back(static_cast<int>(client));
    map.hosts.push_back(static_cast<int>(proc.host));
    external.push_back(client != job.client().rank &&
                       std::ranges::find(native, client) == native.end());
  }
  map.max_linear = layout.max_linear;
  map.reducing_among_messages.assign(native.begin(), native.end());  // LAM/MPI does both
  set_client_map(std::move(map));
  set_external_processes(std::move(external));
  set_tag_bound(layout.tag_upper_bound);
}

[[noreturn]] void refuse(const std::string& sentence) {
  std::fflush(stdout);
  std::fprintf(stderr, "lintel: MPI_Init: %s\n", sentence.c_str());
  std::exit(EXIT_FAILURE);
}

}  // namespace

Runtime& runtime() {
  static auto* const instance = new Runtime;
  return *instance;
}

int Runtime::start(int thread_level) {
  RuntimeState before = RuntimeState::kBefore;
  if (!state_.compare_exchange_strong(before, RuntimeState::kStarting)) return MPI_ERR_OTHER;
  ::pthread_atfork(nullptr, nullptr, on_fork_in_child);
  Outcome<std::unique_ptr<Job>> job = Job::open();
  if (!job) refuse(job.sentence());
  job_ = std::move(*job);
  if (job_->layout() != nullptr) know_clients(*job_);
  const int rank = static_cast<int>(job_->world().rank);
  std::vector<int> everyone(job_->world().size());
  std::iota(everyone.begin(), everyone.end(), 0);
  world_ =
      predefined(std::move(everyone), rank, ContextTable::kWorld, MPI_COMM_WORLD, "MPI_COMM_WORLD");
  self_ = predefined({rank}, 0, ContextTable::kSelf, MPI_COMM_SELF, "MPI_COMM_SELF");
  local_objects().world_rank = rank;
  thread_level_ = thread_level;
  main_thread_ = std::this_thread::get_id();
  set_error_raiser(raise_local);
  state_.store(RuntimeState::kRunning, std::memory_order_release);
  return MPI_SUCCESS;
}

// Async-signal-safe.
void Runtime::on_fork_in_child() {
  Runtime& state = runtime();
  if (state.state() != RuntimeState::kFinalized) state.state_.store(RuntimeState::kForked);
}

int Runtime::finalize() {
  if (state() != RuntimeState::kRunning) return MPI_ERR_OTHER;
  // Clause 11.2.2: these are deleted first, while MPI still works.
  if (const int error = self_->attributes().remove_all(self_->handle()); error != MPI_SUCCESS)
    return error;
  state_.store(RuntimeState::kEnding, std::memory_order_release);
  // Threads of requests for which the program did not wait, although it must.
  for (int works = works_.load(); works != 0; works = works_.load()) works_.wait(works);
  // For ranks that still send, a rank that has closed would be a lost peer.
  static_cast<void>(barrier(Team(world_)));
  {
    const MutexLock lock(mutex_);
    drop_completed();
  }
  const Outcome<> closed = job_->close();
  if (!closed) std::fprintf(stderr, "lintel: MPI_Finalize: %s\n", closed.sentence().c_str());
  {
    const MutexLock lock(mutex_);
    freed_.clear();
  }
  state_.store(RuntimeState::kFinalized, std::memory_order_release);
  job_.reset();
  return MPI_SUCCESS;
}

void Runtime::abort(int exit_code, const std::string& text, AbortCause cause) {
  // What the parent had in its buffers when it forked is the parent's to write.
  if (state() != RuntimeState::kForked) std::fflush(stdout);
  if (is_running()) job_->abort(exit_code, text, cause);
  std::fprintf(stderr, "lintel: %s\n", text.c_str());
  end_aborted(exit_code);
}

bool Runtime::enter(const CommunicatorRef& communicator) {
  const std::uintptr_t handle = communicators.add(communicator);
  communicator->set_handle(handle);
  return handle != 0;
}

void Runtime::keep_freed(RequestRef request) {
  const MutexLock lock(mutex_);
  freed_.push_back(std::move(request));
  drop_completed();
}

void Runtime::drop_completed() {
  std::erase_if(freed_, [this](const RequestRef& request) {
    if (!messenger().test(request->transfer.request())) return false;
    request->transfer.finish();
    return true;
  });
}

CommunicatorRef find_communicator(MPI_Comm handle) {
  Runtime& state = runtime();
  if (!state.is_running()) return nullptr;
  if (handle == MPI_COMM_WORLD) return state.world();
  if (handle == MPI_COMM_SELF) return state.self();
  return state.communicators.find(number_of(handle));
}

}  // namespace lintel::mpi
