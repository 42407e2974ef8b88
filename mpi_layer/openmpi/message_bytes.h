#pragma once
// Computes where the bytes of a message are, from the convertor that pml cm passes: a contiguous
// layout is used in place, any other through a buffer of the component.
//
// ompi_mtl_datatype_pack() of Open MPI is not used, because it takes the base of the convertor as
// the first byte of every contiguous layout. pml cm adds the true lower bound to that base only in
// MPI_Send and MPI_Isend. Persistent and buffered sends pass the buffer of the user unchanged.

#include "mpi_layer/openmpi/series.h"

// `copied`: `buffer` was allocated with malloc(), and the caller frees it. `buffer` is null if
// there are no bytes, or, in a receive, no memory for a buffer.
struct message_bytes {
  void* buffer;
  size_t length;
  bool copied;
};

// Packs data that are not contiguous. Returns OMPI_SUCCESS, or OMPI_ERR_OUT_OF_RESOURCE, after
// which there is nothing to free.
int bytes_to_send(opal_convertor_t* convertor, struct message_bytes* bytes);
// Where a message is to be received. If `copied`, call unpack_bytes() afterwards. Returns
// OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE.
int bytes_to_receive(opal_convertor_t* convertor, struct message_bytes* bytes);
// Unpacks the first `length` bytes of a received copy to the memory of the convertor.
void unpack_bytes(opal_convertor_t* convertor, void* buffer, size_t length);
