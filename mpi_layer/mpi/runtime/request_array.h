#pragma once
// RequestArray: the requests of one call of the program, found by their handles.
//
// Lives for one call. An entry that is MPI_REQUEST_NULL counts as a request that is not pending, as
// does a persistent request that is not started.

#include <cstddef>
#include <optional>
#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/request_object.h"

namespace lintel::mpi {

class RequestArray {
 public:
  // Finds the requests of `count` handles, which report() changes. Errors: MPI_ERR_COUNT;
  // MPI_ERR_ARG: null pointer; MPI_ERR_REQUEST: invalid handle. Sets `*concerned` to the
  // communicator of the first request.
  int take(int count, MPI_Request* handles, CommunicatorRef* concerned);

  std::size_t size() const { return objects_.size(); }
  bool is_pending(std::size_t index) const {
    return objects_[index] && objects_[index]->is_pending();
  }
  bool any_pending() const;

  // After these functions, complete requests are `finished`, and report() may be called for them.
  void wait_all();
  bool test_all();
  // The index of a complete request; nothing: none is complete. wait_any() blocks while requests
  // are pending and none is complete.
  std::optional<std::size_t> wait_any();
  std::optional<std::size_t> test_any();
  // The indices of all complete requests; at least one if it blocks. REQUIRES: a request is
  // pending.
  std::vector<std::size_t> some(bool blocks);

  // Reports a request that is finished or not pending to the program: sets the status, and ends the
  // handle unless the request is persistent. Returns the error of the request; then `*concerned` is
  // its communicator.
  int report(std::size_t index, MPI_Status* status, CommunicatorRef* concerned);
  // The status of a finished request, which stays finished.
  MPI_Status status(std::size_t index) const;

  // Starts all in order, up to the first that may not be started. MPI_ERR_REQUEST: that one and
  // those behind it were not started.
  int start(CommunicatorRef* concerned);
  int cancel(std::size_t index);

 private:
  void finish(std::size_t index);
  std::optional<std::size_t> first_finished() const;

  MPI_Request* handles_ = nullptr;
  std::vector<RequestRef> objects_;         // null for MPI_REQUEST_NULL
  std::vector<MessageRequest*> transfers_;  // of the messenger; null also for finished ones
};

}  // namespace lintel::mpi
