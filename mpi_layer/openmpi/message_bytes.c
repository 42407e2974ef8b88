#include "mpi_layer/openmpi/message_bytes.h"

#include <stdlib.h>

// True if opal_convertor_prepare_for_send() was called. In MPI_Send and MPI_Isend, pml cm does not
// call it for a contiguous layout. Such a convertor has a base, which is the first byte, a length,
// a layout and a count. Its other members are undefined.
static bool is_prepared(const opal_convertor_t* convertor) {
  return (convertor->flags & CONVERTOR_SEND) != 0;
}

static void* first_byte(const opal_convertor_t* convertor) {
  void* first = NULL;
  opal_convertor_get_offset_pointer(convertor, 0, &first);
  return first;
}

int bytes_to_send(opal_convertor_t* convertor, struct message_bytes* bytes) {
  bytes->buffer = NULL;
  bytes->copied = false;
  bytes->length = convertor->local_size;
  if (bytes->length == 0) return OMPI_SUCCESS;
  if (!is_prepared(convertor)) {
    bytes->buffer = convertor->pBaseBuf;
    return OMPI_SUCCESS;
  }
  opal_convertor_get_packed_size(convertor, &bytes->length);
  if (!opal_convertor_need_buffers(convertor)) {
    bytes->buffer = first_byte(convertor);
    return OMPI_SUCCESS;
  }
  struct iovec piece = {.iov_base = malloc(bytes->length), .iov_len = bytes->length};
  if (piece.iov_base == NULL) return OMPI_ERR_OUT_OF_RESOURCE;
  uint32_t pieces = 1;
  opal_convertor_pack(convertor, &piece, &pieces, &bytes->length);
  bytes->buffer = piece.iov_base;
  bytes->copied = true;
  return OMPI_SUCCESS;
}

int bytes_to_receive(opal_convertor_t* convertor, struct message_bytes* bytes) {
  bytes->buffer = NULL;
  bytes->copied = false;
  opal_convertor_get_packed_size(convertor, &bytes->length);
  if (bytes->length == 0) return OMPI_SUCCESS;
  if (!opal_convertor_need_buffers(convertor)) {
    bytes->buffer = first_byte(convertor);
    return OMPI_SUCCESS;
  }
  bytes->buffer = malloc(bytes->length);
  bytes->copied = bytes->buffer != NULL;
  return bytes->copied ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

void unpack_bytes(opal_convertor_t* convertor, void* buffer, size_t length) {
  struct iovec piece = {.iov_base = buffer, .iov_len = length};
  uint32_t pieces = 1;
  opal_convertor_unpack(convertor, &piece, &pieces, &length);
}
