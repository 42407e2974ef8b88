#include "mpi_layer/mpi/runtime/background_request.h"

#include <atomic>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/quiet_thread.h"
#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/runtime/request_end.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

namespace {

class BackgroundWork : public RequestEnd {
 public:
  BackgroundWork(std::function<int()> work, std::function<int()> finish)
      : work_(std::move(work)), finish_(std::move(finish)) {}
  // The thread has opened the gate and is about to end, or it was never started.
  ~BackgroundWork() override {
    if (thread_.joinable()) thread_.join();
  }

  // False: no thread could be created.
  bool begin(RequestObject& object) {
    try {
      runtime().begin_work();
      thread_ = start_quiet_thread([this, &object] {
        error_ = error_code_of(work_);
        done_ = true;  // before the completion is visible
        open_gate(object);
        runtime().end_work();
      });
    } catch (const std::system_error&) {
      runtime().end_work();
      return false;
    }
    return true;
  }

  MPI_Status status() override {
    if (!told_) {
      thread_.join();
      told_ = error_ != MPI_SUCCESS || !finish_ ? error_ : error_code_of(finish_);
    }
    MPI_Status status = empty_status();
    status.MPI_ERROR = *told_;
    return status;
  }

  // Calls `finish` even if the status was never asked for.
  int close() override {
    static_cast<void>(status());
    return MPI_SUCCESS;
  }

  // Only complete requests may be freed (clause 6.12).
  Then release() override { return done_ ? Then::kOver : Then::kRefused; }

 private:
  std::function<int()> work_;
  std::function<int()> finish_;
  int error_ = MPI_SUCCESS;  // belongs to the thread until that has ended
  std::atomic<bool> done_{false};
  std::optional<int> told_;
  std::thread thread_;
};

}  // namespace

int make_background_request(const CommunicatorRef& communicator, std::function<int()> work,
                            std::function<int()> finish, MPI_Request* request) {
  auto end = std::make_unique<BackgroundWork>(std::move(work), std::move(finish));
  BackgroundWork& background = *end;
  RequestObject* object = nullptr;
  if (const int error = make_gated_request(communicator, std::move(end), &object, request);
      error != MPI_SUCCESS)
    return error;
  if (background.begin(*object)) return MPI_SUCCESS;
  remove_gated_request(request);
  return MPI_ERR_NO_MEM;
}

}  // namespace lintel::mpi
