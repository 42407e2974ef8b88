#pragma once
// Where the bytes of a message lie, worked out from the convertor that pml cm passes: a contiguous
// layout in its place, any other in a buffer of the component.
//
// Not Open MPI's ompi_mtl_datatype_pack(): it takes the convertor's base for the first byte of
// every contiguous layout. pml cm adds the true lower bound to that base in MPI_Send and MPI_Isend;
// persistent and buffered sends bring the user's buffer as it is.

#include "mpi_layer/openmpi/series.h"

// `*copied`: `*buffer` is of malloc(), and the caller's to free. Null when there are no bytes, or,
// of a receive, no memory for a buffer.
struct message_bytes {
  void* buffer;
  size_t length;
  bool copied;
};

// Packs what does not lie in one piece. OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE, which leaves
// nothing to free.
int bytes_to_send(opal_convertor_t* convertor, struct message_bytes* bytes);
// Where a message is to come; what is `copied` is for unpack_bytes() afterwards. OMPI_SUCCESS or
// OMPI_ERR_OUT_OF_RESOURCE.
int bytes_to_receive(opal_convertor_t* convertor, struct message_bytes* bytes);
// The first `length` of bytes that were received into a copy go to where the convertor says.
void unpack_bytes(opal_convertor_t* convertor, void* buffer, size_t length);
