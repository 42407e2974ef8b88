// Completion (MPI 5.0, clauses 3.7.3 to 3.7.6, 3.9): wait, test, start, free.
#include <optional>
#include <vector>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/request_array.h"

namespace lintel::mpi {

namespace {

int wait_one(MPI_Request* request, MPI_Status* status, CommunicatorRef* concerned, bool blocks,
             int* flag) {
  RequestArray requests;
  if (const int error = requests.take(1, request, concerned); error != MPI_SUCCESS) return error;
  if (!requests.is_pending(0)) {
    if (flag != nullptr) *flag = 1;
    give_status(empty_status(), status);
    return MPI_SUCCESS;
  }
  if (blocks) requests.wait_all();
  const bool complete = blocks || requests.test_all();
  if (flag != nullptr) *flag = complete ? 1 : 0;
  return complete ? requests.report(0, status, concerned) : MPI_SUCCESS;
}

// Sets the statuses of all requests. If one of them has an error, each status gets its own
// MPI_ERROR (clause 3.7.5).
int report_all(RequestArray& requests, MPI_Status* statuses, CommunicatorRef* concerned) {
  bool failed = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
    const int error = requests.report(i, status, concerned);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    failed = failed || error != MPI_SUCCESS;
  }
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int wait_all(int count, MPI_Request* array, MPI_Status* statuses, CommunicatorRef* concerned,
             bool blocks, int* flag) {
  RequestArray requests;
  if (const int error = requests.take(count, array, concerned); error != MPI_SUCCESS) return error;
  if (blocks) requests.wait_all();
  const bool complete = blocks || requests.test_all();
  if (flag != nullptr) *flag = complete ? 1 : 0;
  return complete ? report_all(requests, statuses, concerned) : MPI_SUCCESS;
}

int wait_any(int count, MPI_Request* array, int* index, MPI_Status* status,
             CommunicatorRef* concerned, bool blocks, int* flag) {
  if (index == nullptr) return MPI_ERR_ARG;
  RequestArray requests;
  if (const int error = requests.take(count, array, concerned); error != MPI_SUCCESS) return error;
  const std::optional<std::size_t> found = blocks ? requests.wait_any() : requests.test_any();
  if (flag != nullptr) *flag = found || !requests.any_pending() ? 1 : 0;
  if (!found) {
    *index = MPI_UNDEFINED;
    if (!requests.any_pending()) give_status(empty_status(), status);
    return MPI_SUCCESS;
  }
  *index = static_cast<int>(*found);
  return requests.report(*found, status, concerned);
}

int wait_some(int incount, MPI_Request* array, int* outcount, int* indices, MPI_Status* statuses,
              CommunicatorRef* concerned, bool blocks) {
  if (outcount == nullptr || (incount > 0 && indices == nullptr)) return MPI_ERR_ARG;
  RequestArray requests;
  if (const int error = requests.take(incount, array, concerned); error != MPI_SUCCESS)
    return error;
  if (!requests.any_pending()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const std::vector<std::size_t> found = requests.some(blocks);
  bool failed = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
    const int error = requests.report(found[i], status, concerned);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    failed = failed || error != MPI_SUCCESS;
    indices[i] = static_cast<int>(found[i]);
  }
  *outcount = static_cast<int>(found.size());
  return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int start_requests(int count, MPI_Request* array, CommunicatorRef* concerned) {
  RequestArray requests;
  if (const int error = requests.take(count, array, concerned); error != MPI_SUCCESS) return error;
  return requests.start(concerned);
}

}  // namespace

extern "C" {

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return runtime_call("MPI_Wait", [=](CommunicatorRef* concerned) {
    return wait_one(request, status, concerned, true, nullptr);
  });
}
LINTEL_MPI_NAME(MPI_Wait);

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return runtime_call("MPI_Test", [=](CommunicatorRef* concerned) -> int {
    return flag == nullptr ? MPI_ERR_ARG : wait_one(request, status, concerned, false, flag);
  });
}
LINTEL_MPI_NAME(MPI_Test);

int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return runtime_call("MPI_Waitall", [=](CommunicatorRef* concerned) {
    return wait_all(count, requests, statuses, concerned, true, nullptr);
  });
}
LINTEL_MPI_NAME(MPI_Waitall);

int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  return runtime_call("MPI_Testall", [=](CommunicatorRef* concerned) -> int {
    return flag == nullptr ? MPI_ERR_ARG
                           : wait_all(count, requests, statuses, concerned, false, flag);
  });
}
LINTEL_MPI_NAME(MPI_Testall);

int PMPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  return runtime_call("MPI_Waitany", [=](CommunicatorRef* concerned) {
    return wait_any(count, requests, index, status, concerned, true, nullptr);
  });
}
LINTEL_MPI_NAME(MPI_Waitany);

int PMPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  return runtime_call("MPI_Testany", [=](CommunicatorRef* concerned) -> int {
    return flag == nullptr ? MPI_ERR_ARG
                           : wait_any(count, requests, index, status, concerned, false, flag);
  });
}
LINTEL_MPI_NAME(MPI_Testany);

int PMPI_Waitsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                  MPI_Status statuses[]) {
  return runtime_call("MPI_Waitsome", [=](CommunicatorRef* concerned) {
    return wait_some(incount, requests, outcount, indices, statuses, concerned, true);
  });
}
LINTEL_MPI_NAME(MPI_Waitsome);

int PMPI_Testsome(int incount, MPI_Request requests[], int* outcount, int indices[],
                  MPI_Status statuses[]) {
  return runtime_call("MPI_Testsome", [=](CommunicatorRef* concerned) {
    return wait_some(incount, requests, outcount, indices, statuses, concerned, false);
  });
}
LINTEL_MPI_NAME(MPI_Testsome);

int PMPI_Start(MPI_Request* request) {
  return runtime_call("MPI_Start", [=](CommunicatorRef* concerned) {
    return start_requests(1, request, concerned);
  });
}
LINTEL_MPI_NAME(MPI_Start);

int PMPI_Startall(int count, MPI_Request requests[]) {
  return runtime_call("MPI_Startall", [=](CommunicatorRef* concerned) {
    return start_requests(count, requests, concerned);
  });
}
LINTEL_MPI_NAME(MPI_Startall);

int PMPI_Request_free(MPI_Request* request) {
  return runtime_call("MPI_Request_free", [=](CommunicatorRef* concerned) -> int {
    if (request == nullptr) return MPI_ERR_ARG;
    const MPI_Request handle = *request;
    RequestRef object = runtime().requests.find(number_of(handle));
    if (!object) return MPI_ERR_REQUEST;
    *concerned = object->communicator;
    if (object->end) {
      const RequestEnd::Then then = object->end->release();
      if (then == RequestEnd::Then::kRefused) return MPI_ERR_REQUEST;
      *request = MPI_REQUEST_NULL;
      return then == RequestEnd::Then::kOver ? end_freed_request(handle) : MPI_SUCCESS;
    }
    if (!runtime().requests.remove(number_of(handle))) return MPI_ERR_REQUEST;
    *request = MPI_REQUEST_NULL;
    if (object->transfer_active()) runtime().keep_freed(std::move(object));
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Request_free);

int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return runtime_call("MPI_Request_get_status", [&](CommunicatorRef* concerned) -> int {
    if (flag == nullptr) return MPI_ERR_ARG;
    RequestArray requests;
    if (const int error = requests.take(1, &request, concerned); error != MPI_SUCCESS) return error;
    const bool was_pending = requests.is_pending(0);
    *flag = requests.test_all() ? 1 : 0;
    if (*flag != 0) give_status(was_pending ? requests.status(0) : empty_status(), status);
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Request_get_status);

int PMPI_Cancel(MPI_Request* request) {
  return runtime_call("MPI_Cancel", [=](CommunicatorRef* concerned) -> int {
    RequestArray requests;
    if (const int error = requests.take(1, request, concerned); error != MPI_SUCCESS) return error;
    return requests.cancel(0);
  });
}
LINTEL_MPI_NAME(MPI_Cancel);

}  // extern "C"

}  // namespace lintel::mpi
