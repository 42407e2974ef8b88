/* Features of a complete MPI over Lintel's component: non-blocking collectives beside receives of
 * any tag, intercommunicators, hundreds of communicators, layouts with holes through matched
 * probes, cancelled requests, one-sided communication, a file. Every result is known. */
#include "check.h"

enum { kNumbers = 5000, kCopies = 300 };

/* Their tags are negative, so a receive of any tag does not match them. */
static void collectives_beside_any_tag(void) {
  int* all = malloc(sizeof(int) * (size_t)(world_size * kNumbers));
  int* mine = malloc(sizeof(int) * (size_t)(world_size * kNumbers));
  int sum = 0, token = -1;
  const int next = (world_rank + 1) % world_size,
            before = (world_rank + world_size - 1) % world_size;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  for (int i = 0; i < world_size * kNumbers; ++i) mine[i] = world_rank * 1000000 + i;
  CHECK(MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]) ==
        MPI_SUCCESS);
  CHECK(MPI_Ialltoall(mine, kNumbers, MPI_INT, all, kNumbers, MPI_INT, MPI_COMM_WORLD,
                      &requests[1]) == MPI_SUCCESS);
  CHECK(MPI_Iallreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2]) ==
        MPI_SUCCESS);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Isend(&world_rank, 1, MPI_INT, next, 1 << 30, MPI_COMM_WORLD, &requests[3]) ==
        MPI_SUCCESS);
  CHECK(MPI_Waitall(4, requests, statuses) == MPI_SUCCESS);
  CHECK(token == before && statuses[0].MPI_SOURCE == before && statuses[0].MPI_TAG == 1 << 30);
  CHECK(sum == world_size * (world_size - 1) / 2);
  for (int from = 0; from < world_size; ++from) {
    for (int i = 0; i < kNumbers; ++i)
      CHECK(all[from * kNumbers + i] == from * 1000000 + world_rank * kNumbers + i);
  }
  free(all);
  free(mine);
}

/* Ranks of the other group, which are not those of the world. */
static void intercommunicator(void) {
  if (world_size < 2) return;
  const int side = world_rank % 2;
  MPI_Comm half, across, merged;
  int own = 0, others = 0, got = -1, size = 0;
  MPI_Status status;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, side, -world_rank, &half) == MPI_SUCCESS);
  MPI_Comm_rank(half, &own);
  CHECK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                             side == 0 ? (world_size - 2) / 2 * 2 + 1 : (world_size - 1) / 2 * 2, 9,
                             &across) == MPI_SUCCESS);
  MPI_Comm_remote_size(across, &others);
  for (int rank = 0; rank < others; ++rank) {
    MPI_Request request;
    MPI_Isend(&world_rank, 1, MPI_INT, rank, own, across, &request);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  for (int i = 0; i < others; ++i) {
    CHECK(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, across, &status) == MPI_SUCCESS);
    CHECK(got % 2 != side && status.MPI_TAG == status.MPI_SOURCE);
    /* ranks go backwards */
    CHECK(got == (world_size - 1 - (1 - side)) / 2 * 2 + (1 - side) - 2 * status.MPI_SOURCE);
  }
  CHECK(MPI_Intercomm_merge(across, side, &merged) == MPI_SUCCESS);
  CHECK(MPI_Comm_size(merged, &size) == MPI_SUCCESS && size == world_size);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&across);
  MPI_Comm_free(&half);
}

static void hundreds_of_communicators(void) {
  static MPI_Comm copies[kCopies];
  int received = -1;
  const int next = (world_rank + 1) % world_size,
            before = (world_rank + world_size - 1) % world_size;
  for (int i = 0; i < kCopies; ++i) CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copies[i]) == MPI_SUCCESS);
  for (int i = 0; i < kCopies; ++i) {
    MPI_Request request;
    MPI_Isend(&i, 1, MPI_INT, next, 4, copies[i], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = kCopies - 1; i >= 0; --i) { /* in another order than they came */
    CHECK(MPI_Recv(&received, 1, MPI_INT, before, 4, copies[i], MPI_STATUS_IGNORE) == MPI_SUCCESS &&
          received == i);
    CHECK(MPI_Comm_free(&copies[i]) == MPI_SUCCESS);
  }
}

/* Every third number, in short and long messages, received by a matched probe. */
static void holes(int count) {
  int* out = malloc(sizeof(int) * (size_t)(3 * count));
  int* in = malloc(sizeof(int) * (size_t)(3 * count));
  const int next = (world_rank + 1) % world_size,
            before = (world_rank + world_size - 1) % world_size;
  int got = 0;
  MPI_Datatype thirds;
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  for (int i = 0; i < 3 * count; ++i) out[i] = i, in[i] = -1;
  MPI_Type_vector(count, 1, 3, MPI_INT, &thirds);
  MPI_Type_commit(&thirds);
  CHECK(MPI_Isend(out, 1, thirds, next, 6, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  CHECK(MPI_Mprobe(before, 6, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, MPI_INT, &got) == MPI_SUCCESS && got == count);
  CHECK(MPI_Mrecv(in, 1, thirds, &message, &status) == MPI_SUCCESS && message == MPI_MESSAGE_NULL);
  CHECK(MPI_Get_elements(&status, thirds, &got) == MPI_SUCCESS && got == count &&
        status.MPI_SOURCE == before);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < 3 * count; ++i) CHECK(in[i] == (i % 3 == 0 ? i : -1));
  MPI_Type_free(&thirds);
  free(out);
  free(in);
}

static void cancelled_receive(void) {
  MPI_Request request;
  MPI_Status status;
  int number = 7, flag = 0;
  CHECK(MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request) ==
        MPI_SUCCESS);
  CHECK(MPI_Cancel(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS);
  CHECK(MPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag == 1 && number == 7);
}

/* MPI 5.0, 3.8.1 and 2.9: a rank that only probes makes progress. The message that rank 0 probes
 * for is sent after a barrier in which rank 0 takes part only by its probes. Its sender is the rank
 * that a dissemination among 4 cannot release before rank 0 has sent twice. */
static void probing_makes_progress(int matched) {
  const int sender = world_size > 2 ? 2 : world_size - 1;
  MPI_Request barrier, request = MPI_REQUEST_NULL;
  MPI_Message message;
  int sent = 5, received = 0;
  CHECK(MPI_Ibarrier(MPI_COMM_WORLD, &barrier) == MPI_SUCCESS);
  if (world_rank == sender && sender != 0)
    CHECK(MPI_Wait(&barrier, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  if (world_rank == sender)
    CHECK(MPI_Isend(&sent, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  if (world_rank == 0) {
    for (int found = 0; !found;) {
      if (matched)
        MPI_Improbe(sender, 9, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
      else
        MPI_Iprobe(sender, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
    if (matched)
      MPI_Mrecv(&received, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    else
      MPI_Recv(&received, 1, MPI_INT, sender, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(received == sent);
  }
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Wait(&barrier, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void one_sided(void) {
  int* numbers = NULL;
  MPI_Win window;
  CHECK(MPI_Win_allocate((MPI_Aint)sizeof(int) * world_size, sizeof(int), MPI_INFO_NULL,
                         MPI_COMM_WORLD, &numbers, &window) == MPI_SUCCESS);
  for (int i = 0; i < world_size; ++i) numbers[i] = 0;
  CHECK(MPI_Win_fence(0, window) == MPI_SUCCESS);
  for (int to = 0; to < world_size; ++to) {
    const int value = world_rank + 1;
    CHECK(MPI_Accumulate(&value, 1, MPI_INT, to, world_rank, 1, MPI_INT, MPI_SUM, window) ==
          MPI_SUCCESS);
    CHECK(MPI_Win_fence(0, window) == MPI_SUCCESS);
  }
  for (int i = 0; i < world_size; ++i) CHECK(numbers[i] == i + 1);
  CHECK(MPI_Win_free(&window) == MPI_SUCCESS);
}

/* Rows of ten numbers, one row of each rank in turn. `name` is a file that does not exist. */
static void shared_file(const char* name) {
  enum { kRow = 10, kRows = 20 };
  int own[kRow * kRows];
  int* all = malloc(sizeof own * (size_t)world_size);
  MPI_File file;
  MPI_Datatype rows;
  for (int i = 0; i < kRow * kRows; ++i) own[i] = world_rank * 1000 + i;
  CHECK(MPI_File_open(MPI_COMM_WORLD, name,
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS);
  MPI_Type_vector(kRows, kRow, kRow * world_size, MPI_INT, &rows);
  MPI_Type_commit(&rows);
  CHECK(MPI_File_set_view(file, (MPI_Offset)sizeof(int) * kRow * world_rank, MPI_INT, rows,
                          "native", MPI_INFO_NULL) == MPI_SUCCESS);
  CHECK(MPI_File_write_all(file, own, kRow * kRows, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_File_sync(file) == MPI_SUCCESS && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS &&
        MPI_File_sync(file) == MPI_SUCCESS);
  CHECK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  CHECK(MPI_File_read_at_all(file, 0, all, kRow * kRows * world_size, MPI_INT, MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  for (int i = 0; i < kRow * kRows * world_size; ++i) {
    const int row = i / kRow;
    CHECK(all[i] == row % world_size * 1000 + row / world_size * kRow + i % kRow);
  }
  CHECK(MPI_File_close(&file) == MPI_SUCCESS);
  MPI_Type_free(&rows);
  free(all);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  begin();
  collectives_beside_any_tag();
  intercommunicator();
  hundreds_of_communicators();
  for (int count = 1; count <= 100000; count *= 10) holes(count);
  cancelled_receive();
  for (int matched = 0; matched <= 1; ++matched) probing_makes_progress(matched);
  one_sided();
  shared_file(argv[1]);
  MPI_Finalize();
  return 0;
}
