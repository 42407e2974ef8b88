// Buffers for buffered sends, of the process and of communicators (MPI 5.0, clause 3.6).
#include <utility>

#include "mpi_layer/mpi/functions/arguments.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/background_request.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/send_buffer.h"

namespace lintel::mpi {

namespace {

template <class Size>
int detach(SendBuffer& buffer, void* buffer_addr, Size* size) {
  if (const int error = check_pointers({buffer_addr, size}); error != MPI_SUCCESS) return error;
  std::int64_t bytes = 0;
  buffer.detach(runtime().messenger(), static_cast<void**>(buffer_addr), &bytes);
  if constexpr (sizeof(Size) == sizeof(int)) {
    *size = as_int(bytes);
  } else {
    *size = bytes;
  }
  return MPI_SUCCESS;
}

int flush(SendBuffer& buffer) {
  buffer.flush(runtime().messenger());
  return MPI_SUCCESS;
}

int begin_flush(const CommunicatorRef& communicator, SendBuffer& buffer, MPI_Request* request) {
  auto wait = [&buffer, content = buffer.content()] {
    buffer.wait_for(runtime().messenger(), content);
    return MPI_SUCCESS;
  };
  return make_background_request(communicator, std::move(wait), nullptr, request);
}

}  // namespace

extern "C" {

int PMPI_Buffer_attach(void* buffer, int size) {
  return runtime_call("MPI_Buffer_attach",
                      [=](CommunicatorRef*) { return process_send_buffer().attach(buffer, size); });
}
LINTEL_MPI_NAME(MPI_Buffer_attach);

int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return runtime_call("MPI_Buffer_attach_c",
                      [=](CommunicatorRef*) { return process_send_buffer().attach(buffer, size); });
}
LINTEL_MPI_NAME(MPI_Buffer_attach_c);

int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return runtime_call("MPI_Buffer_detach", [=](CommunicatorRef*) {
    return detach(process_send_buffer(), buffer_addr, size);
  });
}
LINTEL_MPI_NAME(MPI_Buffer_detach);

int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return runtime_call("MPI_Buffer_detach_c", [=](CommunicatorRef*) {
    return detach(process_send_buffer(), buffer_addr, size);
  });
}
LINTEL_MPI_NAME(MPI_Buffer_detach_c);

int PMPI_Buffer_flush(void) {
  return runtime_call("MPI_Buffer_flush",
                      [](CommunicatorRef*) { return flush(process_send_buffer()); });
}
LINTEL_MPI_NAME(MPI_Buffer_flush);

int PMPI_Buffer_iflush(MPI_Request* request) {
  return runtime_call("MPI_Buffer_iflush", [=](CommunicatorRef*) {
    return begin_flush(runtime().self(), process_send_buffer(), request);
  });
}
LINTEL_MPI_NAME(MPI_Buffer_iflush);

int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
  return communicator_call("MPI_Comm_attach_buffer", comm,
                           [=](const CommunicatorRef& communicator) {
                             return communicator->send_buffer().attach(buffer, size);
                           });
}
LINTEL_MPI_NAME(MPI_Comm_attach_buffer);

int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  return communicator_call("MPI_Comm_attach_buffer_c", comm,
                           [=](const CommunicatorRef& communicator) {
                             return communicator->send_buffer().attach(buffer, size);
                           });
}
LINTEL_MPI_NAME(MPI_Comm_attach_buffer_c);

int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return communicator_call("MPI_Comm_detach_buffer", comm,
                           [=](const CommunicatorRef& communicator) {
                             return detach(communicator->send_buffer(), buffer_addr, size);
                           });
}
LINTEL_MPI_NAME(MPI_Comm_detach_buffer);

int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return communicator_call("MPI_Comm_detach_buffer_c", comm,
                           [=](const CommunicatorRef& communicator) {
                             return detach(communicator->send_buffer(), buffer_addr, size);
                           });
}
LINTEL_MPI_NAME(MPI_Comm_detach_buffer_c);

int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  return communicator_call("MPI_Comm_flush_buffer", comm, [](const CommunicatorRef& communicator) {
    return flush(communicator->send_buffer());
  });
}
LINTEL_MPI_NAME(MPI_Comm_flush_buffer);

int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return communicator_call("MPI_Comm_iflush_buffer", comm,
                           [=](const CommunicatorRef& communicator) {
                             return begin_flush(communicator, communicator->send_buffer(), request);
                           });
}
LINTEL_MPI_NAME(MPI_Comm_iflush_buffer);

}  // extern "C"

}  // namespace lintel::mpi
