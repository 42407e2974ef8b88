// Start and end of MPI, threads, abort (MPI 5.0, clauses 11.2 to 11.6).
#include <string>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

int begin(int required, int* provided) {
  // Every level is provided, because the messenger always takes its lock.
  if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
      required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE)
    return MPI_ERR_ARG;
  if (const int error = runtime().start(required); error != MPI_SUCCESS) return error;
  if (provided != nullptr) *provided = required;
  return MPI_SUCCESS;
}

int flag_of(bool holds, int* flag) {
  if (flag == nullptr) return MPI_ERR_ARG;
  *flag = holds ? 1 : 0;
  return MPI_SUCCESS;
}

int raise_if(int error, const char* function) {
  return error == MPI_SUCCESS ? error : raise_on(nullptr, error, function);
}

}  // namespace

extern "C" {

int PMPI_Init(int* /*argc*/, char*** /*argv*/) {
  return raise_if(begin(MPI_THREAD_SINGLE, nullptr), "MPI_Init");
}
LINTEL_MPI_NAME(MPI_Init);

int PMPI_Init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) {
  return raise_if(provided == nullptr ? MPI_ERR_ARG : begin(required, provided), "MPI_Init_thread");
}
LINTEL_MPI_NAME(MPI_Init_thread);

int PMPI_Query_thread(int* provided) {
  return runtime_call("MPI_Query_thread", [=](CommunicatorRef*) -> int {
    if (provided == nullptr) return MPI_ERR_ARG;
    *provided = runtime().thread_level();
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Query_thread);

int PMPI_Is_thread_main(int* flag) {
  return runtime_call("MPI_Is_thread_main", [=](CommunicatorRef*) {
    return flag_of(std::this_thread::get_id() == runtime().main_thread(), flag);
  });
}
LINTEL_MPI_NAME(MPI_Is_thread_main);

int PMPI_Initialized(int* flag) {
  return flag_of(runtime().state() >= Runtime::RuntimeState::kRunning, flag);
}
LINTEL_MPI_NAME(MPI_Initialized);

// Also in a child of fork(), so that what runs at its end does not call MPI_Finalize.
int PMPI_Finalized(int* flag) {
  return flag_of(runtime().state() >= Runtime::RuntimeState::kFinalized, flag);
}
LINTEL_MPI_NAME(MPI_Finalized);

int PMPI_Finalize(void) { return raise_if(runtime().finalize(), "MPI_Finalize"); }
LINTEL_MPI_NAME(MPI_Finalize);

int PMPI_Abort(MPI_Comm comm, int errorcode) {
  const CommunicatorRef communicator = find_communicator(comm);
  const std::string name = communicator ? communicator->name() : "";
  runtime().abort(errorcode, name.empty() ? "MPI_Abort" : "MPI_Abort on " + name);
}
LINTEL_MPI_NAME(MPI_Abort);

}  // extern "C"

}  // namespace lintel::mpi
