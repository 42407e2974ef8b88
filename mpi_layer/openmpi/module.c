// The functions that Open MPI's pml cm calls. They convert its communicators, ranks and datatypes
// to processes, contexts and bytes.

#include <stdatomic.h>
#include <stdio.h>

#include "mpi_layer/openmpi/buffered_restart.h"
#include "mpi_layer/openmpi/message_bytes.h"
#include "mpi_layer/openmpi/messages.h"
#include "mpi_layer/openmpi/mtl_lintel.h"

// One operation. It is the end of a request of pml cm, or, in a blocking send, a local variable.
struct operation {
  mca_mtl_request_t super;
  struct lintel_transfer transfer;
  ompi_communicator_t* comm;  // of a receive
  // Of a receive: unpacks `bytes` if they are a copy. Of a send: to be restored by
  // restore_buffered_send(), or null.
  opal_convertor_t* convertor;
  struct message_bytes bytes;
  int32_t peer;           // the requested one
  atomic_bool* blocking;  // of a blocking send: set when it has ended
  int error;              // likewise
};

// ---- Processes and communicators

// All ranks were added, so messages may be sent.
static bool job_is_complete = false;

static int32_t number_of(const ompi_proc_t* proc) { return (int32_t)proc->super.proc_name.vpid; }

// The process of a rank of the communicator.
static int32_t peer_of(ompi_communicator_t* comm, int rank) {
  return number_of(ompi_comm_peer_lookup(comm, rank));
}

// Writes a message if not. The processes of another job have the same numbers.
static bool is_of_this_job(const ompi_proc_t* proc) {
  if (proc->super.proc_name.jobid == ompi_proc_local()->super.proc_name.jobid) return true;
  lintel_say(
      "processes of another job cannot be met: MPI_Comm_spawn, MPI_Comm_connect and their like are "
      "not supported");
  return false;
}

// The ranks of a communicator by process, from its lowest process to its highest. A communicator
// whose ranks are those of the world has no table.
struct rank_table {
  int32_t first;
  int32_t ranks[];
};

static int rank_of(const ompi_communicator_t* comm, int32_t number) {
  const struct rank_table* table = (const struct rank_table*)comm->c_pml_comm;
  return table == NULL ? number : table->ranks[number - table->first];
}

static int add_comm(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm) {
  (void)mtl;
  const int size = ompi_group_size(comm->c_remote_group);
  int32_t first = INT32_MAX;
  int32_t last = -1;
  bool as_world = true;
  comm->c_pml_comm = NULL;
  for (int rank = 0; rank < size; ++rank) {
    if (!is_of_this_job(ompi_comm_peer_lookup(comm, rank)))
      return OMPI_ERR_NOT_SUPPORTED;  // 5.0 did not call add_procs() for it
    const int32_t number = peer_of(comm, rank);
    if (number < first) first = number;
    if (number > last) last = number;
    as_world = as_world && number == rank;
  }
  if (as_world) return OMPI_SUCCESS;
  struct rank_table* table =
      malloc(sizeof(*table) + (size_t)(last - first + 1) * sizeof(table->ranks[0]));
  if (table == NULL) return OMPI_ERR_OUT_OF_RESOURCE;
  table->first = first;
  for (int rank = 0; rank < size; ++rank) table->ranks[peer_of(comm, rank) - first] = rank;
  comm->c_pml_comm = (struct mca_pml_comm_t*)table;
  return OMPI_SUCCESS;
}

static int del_comm(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm) {
  (void)mtl;
  free(comm->c_pml_comm);
  comm->c_pml_comm = NULL;
  return OMPI_SUCCESS;
}

// ---- The end of an operation

static void say_lost(int32_t number) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&said)) return;
  char sentence[160] = "a process of this job is lost: it has ended, or does not answer";
  if (number >= 0)
    snprintf(sentence, sizeof(sentence),
             "rank %d of MPI_COMM_WORLD is lost: it has ended, or does not answer", (int)number);
  lintel_say(sentence);
}

static int error_of(enum lintel_ending ending, int32_t number) {
  switch (ending) {
    case LINTEL_WELL: return MPI_SUCCESS;
    case LINTEL_TRUNCATED: return MPI_ERR_TRUNCATE;
    case LINTEL_PEER_LOST: say_lost(number); return MPI_ERR_OTHER;
    default: return MPI_ERR_INTERN;
  }
}

static void end_receive(struct operation* operation, const struct lintel_result* result,
                        ompi_status_public_t* status) {
  const struct message_bytes* bytes = &operation->bytes;
  const size_t received = result->length < bytes->length ? result->length : bytes->length;
  const bool arrived =
      !result->cancelled && (result->ending == LINTEL_WELL || result->ending == LINTEL_TRUNCATED);
  if (arrived) {
    status->MPI_SOURCE = rank_of(operation->comm, result->source);
    status->MPI_TAG = result->tag;
    status->_ucount = received;
  } else if (result->cancelled) {
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    status->_ucount = 0;
  }
  if (!bytes->copied) return;
  if (arrived && received > 0) unpack_bytes(operation->convertor, bytes->buffer, received);
  free(bytes->buffer);
}

static void end_send(struct operation* operation) {
  if (operation->bytes.copied) free(operation->bytes.buffer);
  if (operation->convertor != NULL) restore_buffered_send(&operation->super, operation->convertor);
}

static void end(struct operation* operation) {
  const struct lintel_result result = lintel_result_of(&operation->transfer);
  const int error = error_of(result.ending, operation->peer);
  if (operation->comm == NULL) end_send(operation);
  if (operation->blocking != NULL) {
    operation->error = error;
    atomic_store_explicit(operation->blocking, true, memory_order_release);  // its last use
    return;
  }
  ompi_status_public_t* status = &operation->super.ompi_req->req_status;
  if (operation->comm != NULL) end_receive(operation, &result, status);
  status->MPI_ERROR = error;
  if (result.cancelled) status->_cancelled = true;
  operation->super.completion_callback(&operation->super);
}

static int progress(void) {
  enum { kMost = 16 };
  struct lintel_transfer* ended[kMost];
  const size_t count = lintel_progress(ended, kMost, opal_progress_yield_when_idle);
  for (size_t i = 0; i < count; ++i)
    end((struct operation*)((char*)ended[i] - offsetof(struct operation, transfer)));
  return (int)count;
}

// ---- Job

static int meet_all(void) {
  const opal_process_name_t self = ompi_proc_local()->super.proc_name;
  const uint32_t ranks = (uint32_t)ompi_proc_world_size();
  char** cards = calloc(ranks, sizeof(*cards));
  if (cards == NULL) return OMPI_ERR_OUT_OF_RESOURCE;
  int rc = OMPI_SUCCESS;
  for (uint32_t rank = 0; rank < ranks && rc == OMPI_SUCCESS; ++rank) {
    opal_process_name_t name = self;
    name.vpid = rank;
    size_t length = 0;
    OPAL_MODEX_RECV(rc, &mca_mtl_lintel_component.mtl_version, &name, (uint8_t**)&cards[rank],
                    &length);
    if (rc == OMPI_SUCCESS && (length == 0 || cards[rank][length - 1] != '\0'))
      rc = OMPI_ERR_BAD_PARAM;
    if (rc != OMPI_SUCCESS) {
      char sentence[160];
      snprintf(sentence, sizeof(sentence),
               "rank %u has not said where its component lintel listens; expected it to be used by "
               "all ranks of a job",
               rank);
      lintel_say(sentence);
    }
  }
  if (rc == OMPI_SUCCESS) {
    const char* problem = lintel_add_ranks(self.vpid, (const char* const*)cards, ranks);
    if (problem != NULL) {
      lintel_say(problem);
      rc = OMPI_ERR_UNREACH;
    }
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) free(cards[rank]);
  free(cards);
  return rc;
}

// Called first with the processes of the world, and later with any of them, or with processes of
// another job.
static int add_procs(struct mca_mtl_base_module_t* mtl, size_t count, ompi_proc_t** procs) {
  (void)mtl;
  for (size_t i = 0; i < count; ++i) {
    if (!is_of_this_job(procs[i])) return OMPI_ERR_NOT_SUPPORTED;
  }
  if (job_is_complete) return OMPI_SUCCESS;
  const int rc = meet_all();
  if (rc != OMPI_SUCCESS) return rc;
  job_is_complete = true;
  return opal_progress_register(progress);
}

static int del_procs(struct mca_mtl_base_module_t* mtl, size_t count, ompi_proc_t** procs) {
  (void)mtl, (void)count, (void)procs;
  return OMPI_SUCCESS;
}

static int finalize(struct mca_mtl_base_module_t* mtl) {
  (void)mtl;
  if (job_is_complete) opal_progress_unregister(progress);
  job_is_complete = false;
  lintel_close();
  return OMPI_SUCCESS;
}

// ---- Sends

// Packs the data and starts the send. `*left`: it is already complete and will not be reported;
// end_send() was called. After a failure nothing is under way.
static int begin_send(struct operation* operation, ompi_communicator_t* comm, int destination,
                      int tag, opal_convertor_t* convertor, mca_pml_base_send_mode_t mode,
                      bool* left) {
  operation->comm = NULL;
  operation->peer = peer_of(comm, destination);
  const int rc = bytes_to_send(convertor, &operation->bytes);
  if (rc != OMPI_SUCCESS) return rc;
  const enum lintel_start start = lintel_send(
      &operation->transfer, operation->bytes.buffer, operation->bytes.length, operation->peer,
      series_context(comm), tag, mode == MCA_PML_BASE_SEND_SYNCHRONOUS);
  *left = start == LINTEL_LEFT;
  if (start != LINTEL_BEGUN) end_send(operation);
  return start == LINTEL_REFUSED ? OMPI_ERR_BAD_PARAM : OMPI_SUCCESS;
}

static int isend(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm, int destination,
                 int tag, opal_convertor_t* convertor, mca_pml_base_send_mode_t mode, bool blocking,
                 mca_mtl_request_t* request) {
  (void)mtl, (void)blocking;
  struct operation* operation = (struct operation*)request;
  operation->blocking = NULL;
  const bool restarts = mode == MCA_PML_BASE_SEND_BUFFERED && request->ompi_req->req_persistent;
  operation->convertor = restarts && note_buffered_start(request, convertor, comm, destination, tag)
                             ? convertor
                             : NULL;
  bool left = false;
  const int rc = begin_send(operation, comm, destination, tag, convertor, mode, &left);
  if (rc != OMPI_SUCCESS || !left) return rc;
  request->ompi_req->req_status.MPI_ERROR = MPI_SUCCESS;
  request->completion_callback(request);
  return OMPI_SUCCESS;
}

static int send_blocking(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm,
                         int destination, int tag, opal_convertor_t* convertor,
                         mca_pml_base_send_mode_t mode) {
  (void)mtl;
  struct operation operation;
  atomic_bool ended = false;
  operation.blocking = &ended;
  operation.convertor = NULL;
  bool left = false;
  const int rc = begin_send(&operation, comm, destination, tag, convertor, mode, &left);
  if (rc != OMPI_SUCCESS || left) return rc;
  while (!atomic_load_explicit(&ended, memory_order_acquire)) opal_progress();
  return operation.error;
}

// ---- Receives

static int32_t source_of(ompi_communicator_t* comm, int source) {
  return source == MPI_ANY_SOURCE ? LINTEL_ANY_SOURCE : peer_of(comm, source);
}

static int32_t tag_of(int tag) { return tag == MPI_ANY_TAG ? LINTEL_ANY_TAG : tag; }

static int prepare_receive(struct operation* operation, ompi_communicator_t* comm, int source,
                           opal_convertor_t* convertor) {
  operation->blocking = NULL;
  operation->comm = comm;
  operation->peer = source_of(comm, source);
  operation->convertor = convertor;
  return bytes_to_receive(convertor, &operation->bytes);
}

static int begun(struct operation* operation, bool accepted) {
  if (accepted) return OMPI_SUCCESS;
  if (operation->bytes.copied) free(operation->bytes.buffer);
  return OMPI_ERR_BAD_PARAM;
}

static int irecv(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm, int source, int tag,
                 opal_convertor_t* convertor, mca_mtl_request_t* request) {
  (void)mtl;
  struct operation* operation = (struct operation*)request;
  const int rc = prepare_receive(operation, comm, source, convertor);
  if (rc != OMPI_SUCCESS) return rc;
  return begun(operation, lintel_receive(&operation->transfer, operation->bytes.buffer,
                                         operation->bytes.length, operation->peer,
                                         series_context(comm), tag_of(tag)));
}

static int cancel(struct mca_mtl_base_module_t* mtl, mca_mtl_request_t* request, int flag) {
  (void)mtl, (void)flag;
  lintel_cancel(&((struct operation*)request)->transfer);
  // Reports the decision before returning, because programs test at once.
  while (progress() > 0) {
  }
  return OMPI_SUCCESS;
}

// ---- Probes

// Probes must not set MPI_ERROR.
static void fill_status(ompi_status_public_t* status, const ompi_communicator_t* comm,
                        const struct lintel_result* result) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = rank_of(comm, result->source);
  status->MPI_TAG = result->tag;
  status->_ucount = result->length;
  status->_cancelled = false;
}

static int iprobe(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm, int source, int tag,
                  int* flag, ompi_status_public_t* status) {
  (void)mtl;
  struct lintel_result result;
  *flag = lintel_probe(source_of(comm, source), series_context(comm), tag_of(tag), &result);
  if (!*flag) {
    // A program may call nothing else. So everything in Open MPI makes progress here, and if
    // nothing happens, Open MPI yields as the user has configured.
    opal_progress();
    *flag = lintel_probe(source_of(comm, source), series_context(comm), tag_of(tag), &result);
  }
  if (*flag) fill_status(status, comm, &result);
  return *flag ? OMPI_SUCCESS : error_of(result.ending, result.source);
}

static int improbe(struct mca_mtl_base_module_t* mtl, ompi_communicator_t* comm, int source,
                   int tag, int* matched, ompi_message_t** message, ompi_status_public_t* status) {
  (void)mtl;
  struct lintel_result result;
  *matched = 0;
  *message = ompi_message_alloc();  // first, because a taken message cannot be put back
  if (*message == NULL) return OMPI_ERR_OUT_OF_RESOURCE;
  struct lintel_message* taken =
      lintel_take(source_of(comm, source), series_context(comm), tag_of(tag), &result);
  if (taken == NULL) {
    opal_progress();  // as in iprobe()
    taken = lintel_take(source_of(comm, source), series_context(comm), tag_of(tag), &result);
  }
  if (taken == NULL) {
    ompi_message_return(*message);
    *message = MPI_MESSAGE_NULL;
    return error_of(result.ending, result.source);
  }
  *matched = 1;
  fill_status(status, comm, &result);
  (*message)->comm = comm;
  (*message)->req_ptr = taken;
  (*message)->peer = rank_of(comm, result.source);
  (*message)->count = result.length;
  return OMPI_SUCCESS;
}

static int imrecv(struct mca_mtl_base_module_t* mtl, opal_convertor_t* convertor,
                  ompi_message_t** message, mca_mtl_request_t* request) {
  (void)mtl;
  struct operation* operation = (struct operation*)request;
  const int rc = prepare_receive(operation, (*message)->comm, (*message)->peer, convertor);
  if (rc != OMPI_SUCCESS) return rc;
  struct lintel_message* taken = (*message)->req_ptr;
  ompi_message_return(*message);
  *message = MPI_MESSAGE_NULL;
  return begun(operation, lintel_receive_taken(&operation->transfer, taken, operation->bytes.buffer,
                                               operation->bytes.length));
}

mca_mtl_base_module_t lintel_module = {
    .mtl_max_contextid = LINTEL_MAX_CONTEXT,
    .mtl_max_tag = LINTEL_MAX_TAG,
    .mtl_request_size = sizeof(struct operation) - sizeof(mca_mtl_request_t),
    .mtl_flags = MCA_MTL_BASE_FLAG_REQUIRE_WORLD,
    .mtl_add_procs = add_procs,
    .mtl_del_procs = del_procs,
    .mtl_finalize = finalize,
    .mtl_send = send_blocking,
    .mtl_isend = isend,
    .mtl_irecv = irecv,
    .mtl_iprobe = iprobe,
    .mtl_imrecv = imrecv,
    .mtl_improbe = improbe,
    .mtl_cancel = cancel,
    .mtl_add_comm = add_comm,
    .mtl_del_comm = del_comm,
};
