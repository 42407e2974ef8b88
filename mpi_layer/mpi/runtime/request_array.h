#pragma once
// RequestArray: the requests that one call of the program is about, found by their handles.
//
// Lives for one call. An entry that is MPI_REQUEST_NULL counts as a request that is not pending, as
// one that is persistent and not started does.

#include <cstddef>
#include <optional>
#include <vector>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/request_object.h"

namespace lintel::mpi {

class RequestArray {
 public:
  // Finds the requests of `count` handles, which tell() changes. Errors: MPI_ERR_COUNT, MPI_ERR_ARG
  // for a null pointer, MPI_ERR_REQUEST for a handle that names none. `*concerned` becomes the
  // communicator of the first there is.
  int take(int count, MPI_Request* handles, CommunicatorRef* concerned);

  std::size_t size() const { return objects_.size(); }
  bool is_pending(std::size_t index) const {
    return objects_[index] && objects_[index]->is_pending();
  }
  bool any_pending() const;

  // After these, those that are complete are `finished`, and wait to be told.
  void wait_all();
  bool test_all();
  // One that is complete; nothing: none is, or none is pending. wait_any() blocks while one is
  // pending.
  std::optional<std::size_t> wait_any();
  std::optional<std::size_t> test_any();
  // All that are complete; at least one if it blocks. REQUIRES: one is pending.
  std::vector<std::size_t> some(bool blocks);

  // Tells the program of one that is finished, or not pending: its status, and the end of its
  // handle unless it is persistent. Returns the request's own error; `*concerned` becomes its
  // communicator then.
  int tell(std::size_t index, MPI_Status* status, CommunicatorRef* concerned);
  // Of one that is finished, which it stays.
  MPI_Status status(std::size_t index) const;

  // Starts all, in order, until one may not be started: MPI_ERR_REQUEST, of which nothing and
  // nobody behind it has started.
  int start(CommunicatorRef* concerned);
  int cancel(std::size_t index);

 private:
  void finish(std::size_t index);
  std::optional<std::size_t> first_finished() const;

  MPI_Request* handles_ = nullptr;
  std::vector<RequestRef> objects_;  // null for MPI_REQUEST_NULL
  std::vector<Request*> transfers_;  // the same for the messenger; null also for one that is
                                     // finished
};

}  // namespace lintel::mpi
