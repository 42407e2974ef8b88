// The status of requests, without ending them (MPI 5.0, clause 3.7.6): MPI_Request_get_status for
// one, the other functions for several.
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

// The handles do not change, because no completion is reported.
int take(RequestArray& requests, int count, const MPI_Request* handles,
         CommunicatorRef* concerned) {
  return requests.take(count, const_cast<MPI_Request*>(handles), concerned);
}

void give(const MPI_Status& value, MPI_Status* statuses, std::size_t index) {
  if (statuses != MPI_STATUSES_IGNORE) give_status(value, statuses + index);
}

int status_of_all(int count, const MPI_Request* handles, int* flag, MPI_Status* statuses,
                  CommunicatorRef* concerned) {
  if (flag == nullptr) return MPI_ERR_ARG;
  RequestArray requests;
  if (const int error = take(requests, count, handles, concerned); error != MPI_SUCCESS)
    return error;
  std::vector<bool> pending;
  for (std::size_t i = 0; i < requests.size(); ++i) pending.push_back(requests.is_pending(i));
  *flag = requests.test_all() ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  for (std::size_t i = 0; i < requests.size(); ++i)
    give(pending[i] ? requests.status(i) : empty_status(), statuses, i);
  return MPI_SUCCESS;
}

int status_of_any(int count, const MPI_Request* handles, int* index, int* flag, MPI_Status* status,
                  CommunicatorRef* concerned) {
  if (const int error = check_pointers({index, flag}); error != MPI_SUCCESS) return error;
  RequestArray requests;
  if (const int error = take(requests, count, handles, concerned); error != MPI_SUCCESS)
    return error;
  const bool any_pending = requests.any_pending();
  const std::optional<std::size_t> found = requests.test_any();
  *flag = found || !any_pending ? 1 : 0;
  *index = found ? static_cast<int>(*found) : MPI_UNDEFINED;
  if (*flag != 0) give_status(found ? requests.status(*found) : empty_status(), status);
  return MPI_SUCCESS;
}

int status_of_some(int count, const MPI_Request* handles, int* outcount, int* indices,
                   MPI_Status* statuses, CommunicatorRef* concerned) {
  if (outcount == nullptr || (count > 0 && indices == nullptr)) return MPI_ERR_ARG;
  RequestArray requests;
  if (const int error = take(requests, count, handles, concerned); error != MPI_SUCCESS)
    return error;
  if (!requests.any_pending()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  const std::vector<std::size_t> found = requests.some(false);
  for (std::size_t i = 0; i < found.size(); ++i) {
    indices[i] = static_cast<int>(found[i]);
    give(requests.status(found[i]), statuses, i);
  }
  *outcount = static_cast<int>(found.size());
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag,
                                MPI_Status statuses[]) {
  return runtime_call("MPI_Request_get_status_all", [=](CommunicatorRef* concerned) {
    return status_of_all(count, requests, flag, statuses, concerned);
  });
}
LINTEL_MPI_NAME(MPI_Request_get_status_all);

int PMPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                                MPI_Status* status) {
  return runtime_call("MPI_Request_get_status_any", [=](CommunicatorRef* concerned) {
    return status_of_any(count, requests, index, flag, status, concerned);
  });
}
LINTEL_MPI_NAME(MPI_Request_get_status_any);

int PMPI_Request_get_status_some(int incount, const MPI_Request requests[], int* outcount,
                                 int indices[], MPI_Status statuses[]) {
  return runtime_call("MPI_Request_get_status_some", [=](CommunicatorRef* concerned) {
    return status_of_some(incount, requests, outcount, indices, statuses, concerned);
  });
}
LINTEL_MPI_NAME(MPI_Request_get_status_some);

}  // extern "C"

}  // namespace lintel::mpi
