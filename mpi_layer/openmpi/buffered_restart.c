#include "mpi_layer/openmpi/buffered_restart.h"

// The request of such a send in pml cm of 4.1 and 5.0. Its header is not installed, so
// note_buffered_start() compares the values there with what is known of the send. The part before
// its convertor:
struct before_convertor {
  ompi_communicator_t* comm;
  ompi_datatype_t* datatype;
};
// The end, up to the part of the component:
struct before_own_part {
  const void* address;  // the user's
  // of bytes; pml cm uses it as a number of items when it starts the request again
  size_t count;
  int32_t peer;
  int32_t tag;
  void* packed;
  bool blocking;
  mca_mtl_request_t own;
};

static struct before_convertor* before_convertor(opal_convertor_t* convertor) {
  return (struct before_convertor*)convertor - 1;
}

static struct before_own_part* before_own_part(mca_mtl_request_t* request) {
  return (struct before_own_part*)((char*)request - offsetof(struct before_own_part, own));
}

// Predefined types are objects of the base class.
static bool is_datatype(const ompi_datatype_t* datatype) {
  const opal_class_t* class = datatype->super.super.obj_class;
  return class == &ompi_datatype_t_class || class == &opal_datatype_t_class;
}

static bool is_of_known_form(const struct before_own_part* end,
                             const struct before_convertor* front,
                             const opal_convertor_t* convertor, const ompi_communicator_t* comm,
                             int destination, int tag) {
  return end->peer == destination && end->tag == tag && end->packed == convertor->pBaseBuf &&
         end->count == convertor->local_size && front->comm == comm && front->datatype != NULL &&
         is_datatype(front->datatype) && front->datatype->super.size > 0 &&
         end->count % front->datatype->super.size == 0;
}

bool note_buffered_start(mca_mtl_request_t* request, opal_convertor_t* convertor,
                         const ompi_communicator_t* comm, int destination, int tag) {
  struct before_own_part* end = before_own_part(request);
  const struct before_convertor* front = before_convertor(convertor);
  if (!is_of_known_form(end, front, convertor, comm, destination, tag)) return false;
  end->count /= front->datatype->super.size;
  return true;
}

void restore_buffered_send(mca_mtl_request_t* request, opal_convertor_t* convertor) {
  struct before_own_part* end = before_own_part(request);
  const size_t items = end->count;
  opal_convertor_cleanup(convertor);
  opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                           &before_convertor(convertor)->datatype->super, items,
                                           end->address, 0, convertor);
  end->count = convertor->local_size;
}
