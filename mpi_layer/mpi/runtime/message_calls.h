#pragma once
// MPI's functions for messages, whatever the width of their counts: MPI_Send and MPI_Send_c are one
// call of run_send(). `name` is the function's, for errors.

#include "mpi_layer/mpi/runtime/request_starts.h"

namespace lintel::mpi {

// Defined in send_functions.cpp.
int run_send(const char* name, const SendCall& call, MPI_Comm comm);
int run_isend(const char* name, const SendCall& call, MPI_Comm comm, MPI_Request* request);
int run_send_init(const char* name, const SendCall& call, MPI_Comm comm, MPI_Request* request);

// Defined in receive_functions.cpp.
int run_recv(const char* name, const ReceiveCall& call, MPI_Comm comm, MPI_Status* status);
int run_irecv(const char* name, const ReceiveCall& call, MPI_Comm comm, MPI_Request* request);
int run_recv_init(const char* name, const ReceiveCall& call, MPI_Comm comm, MPI_Request* request);

// Defined in probe_functions.cpp. Source and tag of `call` are ignored.
int run_mrecv(const char* name, const ReceiveCall& call, MPI_Message* message, MPI_Status* status);
int run_imrecv(const char* name, const ReceiveCall& call, MPI_Message* message,
               MPI_Request* request);

// Defined in exchange_functions.cpp.
int run_sendrecv(const char* name, const SendCall& out, const ReceiveCall& in, MPI_Comm comm,
                 MPI_Status* status);
int run_sendrecv_replace(const char* name, const SendCall& out, const ReceiveCall& in,
                         MPI_Comm comm, MPI_Status* status);
int run_isendrecv(const char* name, const SendCall& out, const ReceiveCall& in, MPI_Comm comm,
                  MPI_Request* request);
int run_isendrecv_replace(const char* name, const SendCall& out, const ReceiveCall& in,
                          MPI_Comm comm, MPI_Request* request);

}  // namespace lintel::mpi
