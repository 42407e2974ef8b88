/* layouts SHIFT: each way to make a datatype, with SHIFT numbers between the buffer's beginning and
 * the first one, also below 0. Contiguous and with holes, once and several times, from a buffer and
 * from MPI_BOTTOM, by every function that sends and every function that receives. The bytes sent
 * are those of MPI_Pack, and received data lie where MPI_Unpack puts them. Prints a line for each
 * layout with a sum of all that was received. It is the same on any transport. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "layouts.h"

enum { kNumbers = 110000, kMiddle = 100, kWidest = 16, kTag = 5, kAttached = 1 << 24 };

static int next, before;
static int* numbers; /* `base` is among them */
static int* expected;
static int* base;
static char* packed; /* by MPI_Pack */
static char* received;
static uint64_t sum;

/* What a function of MPI is given. */
struct data {
  void* buffer;
  int count;
  MPI_Datatype type;
  int bytes;
  int used; /* of the numbers: none behind is touched. An item of the widest layout takes fewer than
               kWidest */
};

/* Set by run.sh. */
static int over_lintel(void) { return getenv("LINTEL_COUNTERS_FILE") != NULL; }

static void add_to_sum(const void* bytes, size_t length) {
  const unsigned char* byte = bytes;
  for (size_t i = 0; i < length; ++i) sum = (sum ^ byte[i]) * 0x100000001b3u;
}

/* ---- Sends. The receiver receives bytes */

typedef int blocking_send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
typedef int starting_send(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static const struct {
  const char* name;
  blocking_send* blocking;
  starting_send* immediate;
  starting_send* persistent;
} modes[] = {
    {"standard", MPI_Send, MPI_Isend, MPI_Send_init},
    {"synchronous", MPI_Ssend, MPI_Issend, MPI_Ssend_init},
    {"buffered", MPI_Bsend, MPI_Ibsend, MPI_Bsend_init},
    {"ready", MPI_Rsend, MPI_Irsend, MPI_Rsend_init},
};

static void fill(const struct data* data, int turn) {
  int position = 0;
  for (int i = 0; i < data->used; ++i) numbers[i] = i * 7 + turn * 1000003;
  CHECK(MPI_Pack(data->buffer, data->count, data->type, packed, kAttached, &position,
                 MPI_COMM_SELF) == MPI_SUCCESS &&
        position == data->bytes);
}

static MPI_Request take(const struct data* data, size_t mode) {
  MPI_Request request;
  memset(received, 0x5a, (size_t)data->bytes + 1);
  CHECK(MPI_Irecv(received, data->bytes + 1, MPI_BYTE, before, kTag, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  /* a ready send finds it */
  if (modes[mode].blocking == MPI_Rsend) CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  return request;
}

/* All ranks send the same. Variants that all transports support are part of the sum. */
static void check_taken(const struct data* data, MPI_Request* request, int turn,
                        const char* function) {
  MPI_Status status;
  int count = -1;
  CHECK(MPI_Wait(request, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, MPI_BYTE, &count) == MPI_SUCCESS);
  if (count != data->bytes || memcmp(received, packed, (size_t)data->bytes) != 0) {
    fprintf(stderr, "%s: %d bytes, expected the %d of MPI_Pack\n", function, count, data->bytes);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  CHECK(received[data->bytes] == 0x5a);
  if (turn < 4) add_to_sum(received, (size_t)data->bytes);
}

static void send_all_ways(const struct data* data) {
  for (size_t mode = 0; mode < sizeof modes / sizeof modes[0]; ++mode) {
    MPI_Request taken, sent;
    fill(data, 1);
    taken = take(data, mode);
    CHECK(modes[mode].blocking(data->buffer, data->count, data->type, next, kTag, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    check_taken(data, &taken, 1, modes[mode].name);

    fill(data, 2);
    taken = take(data, mode);
    CHECK(modes[mode].immediate(data->buffer, data->count, data->type, next, kTag, MPI_COMM_WORLD,
                                &sent) == MPI_SUCCESS);
    check_taken(data, &taken, 2, modes[mode].name);
    CHECK(MPI_Wait(&sent, MPI_STATUS_IGNORE) == MPI_SUCCESS);

    CHECK(modes[mode].persistent(data->buffer, data->count, data->type, next, kTag, MPI_COMM_WORLD,
                                 &sent) == MPI_SUCCESS);
    /* ob1 sends a second one of those wrong */
    const int turns = modes[mode].persistent == MPI_Bsend_init && !over_lintel() ? 1 : 2;
    for (int turn = 3; turn < 3 + turns; ++turn) {
      fill(data, turn);
      taken = take(data, mode);
      CHECK((turn == 3 ? MPI_Startall(1, &sent) : MPI_Start(&sent)) == MPI_SUCCESS);
      check_taken(data, &taken, turn, modes[mode].name);
      CHECK(MPI_Wait(&sent, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(MPI_Request_free(&sent) == MPI_SUCCESS);
  }
}

/* ---- Receives. The sender sends bytes */

static void give(const struct data* data, int turn, MPI_Request* sent) {
  int position = 0;
  for (int i = 0; i < data->bytes; ++i) packed[i] = (char)(i * 11 + turn);
  for (int i = 0; i < data->used; ++i) numbers[i] = -1;
  CHECK(MPI_Unpack(packed, data->bytes, &position, data->buffer, data->count, data->type,
                   MPI_COMM_SELF) == MPI_SUCCESS);
  memcpy(expected, numbers, (size_t)data->used * sizeof(int));
  for (int i = 0; i < data->used; ++i) numbers[i] = -1;
  CHECK(MPI_Isend(packed, data->bytes, MPI_BYTE, next, kTag, MPI_COMM_WORLD, sent) == MPI_SUCCESS);
}

static void check_given(const struct data* data, MPI_Status* status, MPI_Request* sent) {
  int bytes = -1, items = -1;
  CHECK(MPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes == data->bytes);
  CHECK(MPI_Get_count(status, data->type, &items) == MPI_SUCCESS &&
        (bytes == 0 || items == data->count));
  CHECK(memcmp(numbers, expected, (size_t)data->used * sizeof(int)) == 0);
  CHECK(MPI_Wait(sent, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  add_to_sum(packed, (size_t)data->bytes);
}

static void receive_all_ways(const struct data* data) {
  MPI_Request sent, request;
  MPI_Status status;
  MPI_Message message;
  give(data, 1, &sent);
  CHECK(MPI_Recv(data->buffer, data->count, data->type, before, kTag, MPI_COMM_WORLD, &status) ==
        MPI_SUCCESS);
  check_given(data, &status, &sent);

  give(data, 2, &sent);
  CHECK(MPI_Irecv(data->buffer, data->count, data->type, before, kTag, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
  check_given(data, &status, &sent);

  CHECK(MPI_Recv_init(data->buffer, data->count, data->type, before, kTag, MPI_COMM_WORLD,
                      &request) == MPI_SUCCESS);
  for (int turn = 3; turn < 6; ++turn) {
    give(data, turn, &sent);
    CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS);
    check_given(data, &status, &sent);
  }
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);

  give(data, 6, &sent);
  CHECK(MPI_Mprobe(before, kTag, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
  CHECK(MPI_Mrecv(data->buffer, data->count, data->type, &message, &status) == MPI_SUCCESS &&
        message == MPI_MESSAGE_NULL);
  check_given(data, &status, &sent);

  give(data, 7, &sent);
  CHECK(MPI_Mprobe(before, kTag, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
  CHECK(MPI_Imrecv(data->buffer, data->count, data->type, &message, &request) == MPI_SUCCESS &&
        MPI_Wait(&request, &status) == MPI_SUCCESS);
  check_given(data, &status, &sent);
}

/* ---- How other parts of Open MPI use persistent sends */

/* Each sends to the next rank and receives from the previous one. */
static void alltoallw(const struct data* data) {
  int counts[2][64] = {{0}}, at[64] = {0};
  MPI_Datatype types[2][64];
  CHECK(world_size <= 64);
  for (int rank = 0; rank < world_size; ++rank)
    types[0][rank] = data->type, types[1][rank] = MPI_BYTE;
  counts[0][next] = data->count;
  counts[1][before] = data->bytes;
  fill(data, 9);
  memset(received, 0x5a, (size_t)data->bytes + 1);
  if (data->buffer != MPI_BOTTOM) {
    CHECK(MPI_Alltoallw(data->buffer, counts[0], at, types[0], received, counts[1], at, types[1],
                        MPI_COMM_WORLD) == MPI_SUCCESS);
  } else { /* from there to there */
    MPI_Datatype bytes;
    MPI_Aint place;
    MPI_Get_address(received, &place);
    MPI_Type_create_hindexed(1, &data->bytes, &place, MPI_BYTE, &bytes);
    MPI_Type_commit(&bytes);
    types[1][before] = bytes;
    counts[1][before] = 1;
    CHECK(MPI_Alltoallw(MPI_BOTTOM, counts[0], at, types[0], MPI_BOTTOM, counts[1], at, types[1],
                        MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Type_free(&bytes);
  }
  CHECK(memcmp(received, packed, (size_t)data->bytes) == 0);
  add_to_sum(received, (size_t)data->bytes);
}

static void put(const struct data* data, MPI_Win window, char* memory) {
  fill(data, 10);
  CHECK(MPI_Win_fence(0, window) == MPI_SUCCESS);
  CHECK(MPI_Put(data->buffer, data->count, data->type, next, 0, data->bytes, MPI_BYTE, window) ==
        MPI_SUCCESS);
  CHECK(MPI_Win_fence(0, window) == MPI_SUCCESS);
  CHECK(memcmp(memory, packed, (size_t)data->bytes) == 0);
  add_to_sum(memory, (size_t)data->bytes);
}

/* The request of a buffered send ends before its message has left. Its next start takes the present
 * content of the user's buffer, and uses the memory that was attached in between. */
static void buffered_again_before_it_is_received(int count) {
  enum { kTurns = 4 };
  MPI_Request send;
  MPI_Datatype type = contiguous(3);
  char* attached = NULL;
  int* in = malloc(sizeof(int) * 5 * (size_t)count);
  CHECK(MPI_Bsend_init(base, count, type, next, kTag, MPI_COMM_WORLD, &send) == MPI_SUCCESS);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < kNumbers; ++i) numbers[i] = i + turn * 1000003;
    CHECK(MPI_Start(&send) == MPI_SUCCESS && MPI_Wait(&send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    MPI_Status status;
    int items = -1;
    CHECK(MPI_Recv(in, 5 * count, MPI_INT, before, kTag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(MPI_Get_count(&status, MPI_INT, &items) == MPI_SUCCESS && items == 5 * count);
    for (int i = 0; i < items; ++i) CHECK(in[i] == kMiddle + 3 + i + turn * 1000003);
  }
  int size = 0;
  CHECK(MPI_Buffer_detach(&attached, &size) == MPI_SUCCESS && size == kAttached);
  memset(attached, 0xee, (size_t)size);
  CHECK(MPI_Buffer_attach(attached, size) == MPI_SUCCESS);
  numbers[kMiddle + 3] = 77;
  CHECK(MPI_Start(&send) == MPI_SUCCESS && MPI_Wait(&send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Recv(in, 5 * count, MPI_INT, before, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  CHECK(in[0] == 77 && in[1] == kMiddle + 4 + (kTurns - 1) * 1000003);
  CHECK(MPI_Request_free(&send) == MPI_SUCCESS);
  MPI_Type_free(&type);
  free(in);
}

static void use(const struct data* data, MPI_Win window, char* memory) {
  send_all_ways(data);
  receive_all_ways(data);
  alltoallw(data);
  put(data, window, memory);
}

/* From `base`, and the same from MPI_BOTTOM. */
static void use_layout(MPI_Datatype type, int count, MPI_Win window, char* memory) {
  struct data data = {base, count, type, 0, 2 * kMiddle + count * kWidest};
  const int one = 1;
  MPI_Aint place;
  MPI_Pack_size(count, type, MPI_COMM_SELF, &data.bytes);
  use(&data, window, memory);
  MPI_Get_address(base, &place);
  MPI_Type_create_struct(1, &one, &place, &type, &data.type);
  MPI_Type_commit(&data.type);
  data.buffer = MPI_BOTTOM;
  use(&data, window, memory);
  MPI_Type_free(&data.type);
}

int main(int argc, char** argv) {
  static const int counts[] = {0, 1, 2, 6000};
  MPI_Win window;
  char* memory;
  char* attached = malloc(kAttached);
  begin();
  CHECK(argc == 2);
  const int shift = atoi(argv[1]);
  next = (world_rank + 1) % world_size;
  before = (world_rank + world_size - 1) % world_size;
  numbers = malloc(kNumbers * sizeof(int));
  expected = malloc(kNumbers * sizeof(int));
  packed = malloc(kAttached);
  received = malloc(kAttached);
  base = numbers + kMiddle;
  MPI_Buffer_attach(attached, kAttached);
  CHECK(MPI_Win_allocate(kAttached / 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window) ==
        MPI_SUCCESS);
  for (size_t layout = 0; layout < sizeof layouts / sizeof layouts[0]; ++layout) {
    sum = 0xcbf29ce484222325u;
    for (size_t count = 0; count < sizeof counts / sizeof counts[0]; ++count) {
      MPI_Datatype type = layouts[layout].make(shift);
      use_layout(type, counts[count], window, memory);
      MPI_Type_free(&type);
    }
    if (world_rank == 0)
      printf("layout %s, first number %+d: %016llx\n", layouts[layout].name, shift,
             (unsigned long long)sum);
  }
  CHECK(MPI_Win_free(&window) == MPI_SUCCESS);
  for (int count = 1; over_lintel() && count <= 8000; count *= 20)
    buffered_again_before_it_is_received(count);
  MPI_Buffer_detach(&attached, &(int){0});
  MPI_Finalize();
  free(attached), free(numbers), free(expected), free(packed), free(received);
  return 0;
}
