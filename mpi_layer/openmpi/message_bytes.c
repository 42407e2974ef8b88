#include "mpi_layer/openmpi/message_bytes.h"

#include <stdlib.h>

// opal_convertor_prepare_for_send() sets it. pml cm prepares nothing for a contiguous layout in
// MPI_Send and MPI_Isend: of such a convertor the base, which is the first byte, the length, the
// layout and the count are set, and nothing else may be looked at.
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
