#pragma once
// Runtime: the state between MPI_Init and MPI_Finalize: the job, the two predefined communicators,
// and the tables of the handles that need them.
//
// One per process, made at first use and never destroyed, because threads may ask for its state
// until the end of the process. Any thread, except: one thread calls start() and finalize(), once,
// and some members exist only between them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/objects/handle_table.h"
#include "mpi_layer/mpi/runtime/communicator.h"
#include "mpi_layer/mpi/runtime/job.h"
#include "mpi_layer/mpi/runtime/request_object.h"

namespace lintel::mpi {

class Runtime {
 public:
  enum class RuntimeState {
    kBefore,
    kStarting,
    kRunning,
    kEnding,
    kFinalized,
    kForked,  // a child of fork(), which is no process of the job
  };

  RuntimeState state() const { return state_.load(std::memory_order_acquire); }
  bool is_running() const {
    return state() == RuntimeState::kRunning || state() == RuntimeState::kEnding;
  }

  // Collective over the job; blocks. If the job cannot be started, it ends the process with one
  // sentence and exit code 1. MPI_ERR_OTHER: it was called before.
  int start(int thread_level);
  // Collective over the job; blocks. MPI_ERR_OTHER: not running. Other errors: a delete function of
  // MPI_COMM_SELF's attributes returned them, and nothing has changed.
  int finalize();
  [[noreturn]] void abort(int exit_code, const std::string& text,
                          AbortCause cause = AbortCause::kOwn);

  // REQUIRES of all below: is_running().
  Job& job() { return *job_; }
  Messenger& messenger() { return job_->messenger(); }
  const CommunicatorRef& world() const { return world_; }
  const CommunicatorRef& self() const { return self_; }
  int thread_level() const { return thread_level_; }
  std::thread::id main_thread() const { return main_thread_; }

  // Gives a communicator its handle. False if the table is full.
  bool enter(const CommunicatorRef& communicator);

  // Keeps an active request that the program has freed until it is complete.
  void keep_freed(RequestRef request) LINTEL_EXCLUDES(mutex_);

  // Counts threads of the library that use the messenger. finalize() waits until all of them have
  // ended.
  void begin_work() { works_.fetch_add(1); }
  void end_work() {
    works_.fetch_sub(1);
    works_.notify_all();
  }

  HandleTable<Communicator> communicators{ObjectKind::kCommunicator};
  HandleTable<RequestObject> requests{ObjectKind::kRequest};
  HandleTable<MessageObject> messages{ObjectKind::kMessage};
  HandleTable<const ErrorHandler> error_handlers{ObjectKind::kErrorHandler};

 private:
  void drop_completed() LINTEL_REQUIRES(mutex_);
  static void on_fork_in_child();

  std::atomic<RuntimeState> state_{RuntimeState::kBefore};
  std::unique_ptr<Job> job_;
  CommunicatorRef world_;
  CommunicatorRef self_;
  int thread_level_ = MPI_THREAD_SINGLE;
  std::thread::id main_thread_;
  std::atomic<int> works_{0};
  Mutex mutex_;
  std::vector<RequestRef> freed_ LINTEL_GUARDED_BY(mutex_);
};

Runtime& runtime();

// Null for MPI_COMM_NULL and invalid handles, and while the runtime is not running.
CommunicatorRef find_communicator(MPI_Comm handle);

}  // namespace lintel::mpi
