// Generalized requests (MPI 5.0, clause 13.2).
#include <atomic>
#include <memory>
#include <utility>

#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/request_end.h"

namespace lintel::mpi {

namespace {

struct GeneralizedCalls {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* extra_state;
};

class GeneralizedRequest : public RequestEnd {
 public:
  explicit GeneralizedRequest(const GeneralizedCalls& calls) : calls_(calls) {}
  void begin(RequestObject& object) { object_ = &object; }

  MPI_Status status() override {
    MPI_Status status = empty_status();
    const int error = calls_.query(calls_.extra_state, &status);
    status.MPI_ERROR = error;
    return status;
  }
  int close() override { return calls_.free(calls_.extra_state); }
  int cancel() override {
    return calls_.cancel(calls_.extra_state, (steps_.load() & kComplete) != 0 ? 1 : 0);
  }
  Then release() override {
    return steps_.fetch_or(kReleased) == kComplete ? Then::kOver : Then::kGoesOn;
  }
  Then complete() override {
    // Opened before the other step can see this one, because the second of the two steps ends the
    // request, which must not be used afterwards.
    if ((steps_.load() & kComplete) == 0) open_gate(*object_);
    return steps_.fetch_or(kComplete) == kReleased ? Then::kOver : Then::kGoesOn;
  }

 private:
  static constexpr unsigned kComplete = 1;
  static constexpr unsigned kReleased = 2;

  GeneralizedCalls calls_;
  RequestObject* object_ = nullptr;
  std::atomic<unsigned> steps_{0};
};

int start(const GeneralizedCalls& calls, MPI_Request* request) {
  if (calls.query == nullptr || calls.free == nullptr || calls.cancel == nullptr)
    return MPI_ERR_ARG;
  auto end = std::make_unique<GeneralizedRequest>(calls);
  GeneralizedRequest& generalized = *end;
  RequestObject* object = nullptr;
  if (const int error = make_gated_request(runtime().self(), std::move(end), &object, request);
      error != MPI_SUCCESS)
    return error;
  generalized.begin(*object);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                        MPI_Request* request) {
  return runtime_call("MPI_Grequest_start", [=](CommunicatorRef*) {
    return start({query_fn, free_fn, cancel_fn, extra_state}, request);
  });
}
LINTEL_MPI_NAME(MPI_Grequest_start);

int PMPI_Grequest_complete(MPI_Request request) {
  return runtime_call("MPI_Grequest_complete", [=](CommunicatorRef*) -> int {
    const RequestRef object = runtime().requests.find(number_of(request));
    if (!object || !object->end) return MPI_ERR_REQUEST;
    const RequestEnd::Then then = object->end->complete();
    if (then == RequestEnd::Then::kRefused) return MPI_ERR_REQUEST;
    return then == RequestEnd::Then::kOver ? end_freed_request(request) : MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Grequest_complete);

}  // extern "C"

}  // namespace lintel::mpi
