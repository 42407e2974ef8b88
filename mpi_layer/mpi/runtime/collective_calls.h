#pragma once
// How collective functions run: blocking, or as a request.
//
// A collective function is written once, as a function object `op(communicator, go, arguments...)`.
// It checks the arguments and passes `work(team)` to `go`, which runs it. `work` may be copied. It
// owns what it needs, except the buffers and arrays of the program.

#include <cstdint>

#include "mpi_layer/mpi/runtime/background_request.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

class GoBlocking {
 public:
  explicit GoBlocking(const CommunicatorRef& communicator) : communicator_(communicator) {}

  template <class Work>
  int operator()(Work work) const {
    return work(Team(communicator_));
  }

 private:
  const CommunicatorRef& communicator_;
};

class GoInBackground {
 public:
  // The tag is used up even if the call fails, so that later calls have the same tags as in other
  // ranks.
  GoInBackground(const CommunicatorRef& communicator, MPI_Request* request)
      : communicator_(communicator), request_(request), tag_(communicator->next_tag()) {}

  template <class Work>
  int operator()(Work work) const {
    const auto on_team = [communicator = communicator_, tag = tag_, work] {
      return work(Team(communicator, *communicator->group(), communicator->rank(), tag));
    };
    return make_background_request(communicator_, on_team, nullptr, request_);
  }

 private:
  const CommunicatorRef& communicator_;
  MPI_Request* request_;
  std::int32_t tag_;
};

// Each collective function of MPI calls one of these.
template <class Operation, class... Arguments>
int run(const char* name, MPI_Comm comm, Operation operation, Arguments... arguments) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return operation(communicator, GoBlocking(communicator), arguments...);
  });
}
template <class Operation, class... Arguments>
int start(const char* name, MPI_Comm comm, MPI_Request* request, Operation operation,
          Arguments... arguments) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return operation(communicator, GoInBackground(communicator, request), arguments...);
  });
}

}  // namespace lintel::mpi
