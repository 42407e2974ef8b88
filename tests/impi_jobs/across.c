/* Point-to-point between all pairs of a world that may consist of several jobs. The world has at
 * least two ranks. If there are several jobs, the first and the last rank are of different ones.
 * What must not have happened yet is checked after a message has gone there and back, so that the
 * test needs no fixed time. */
#include <stddef.h>
#include <string.h>

#include "../mpi_layer/programs/check.h"

enum { MOST = 8 << 20, FIRST = 0, GO = 900, BACK = 901 };
static int last, next_rank, previous_rank;
static unsigned char *out, *in;

static unsigned char byte_of(int from, int number, int i) {
  return (unsigned char)(from * 31 + number * 7 + i + (i >> 8) + (i >> 16));
}

static void fill(int number, int length) {
  for (int i = 0; i < length; ++i) out[i] = byte_of(world_rank, number, i);
}
static void verify(const unsigned char* bytes, int from, int number, int length) {
  for (int i = 0; i < length; ++i) CHECK(bytes[i] == byte_of(from, number, i));
}

static int length_of(const MPI_Status* status) {
  int count = -1;
  CHECK(MPI_Get_count(status, MPI_BYTE, &count) == MPI_SUCCESS);
  return count;
}

/* Returns when everything that the first and the last rank have sent each other has arrived. */
static void there_and_back(void) {
  if (world_rank == FIRST) {
    MPI_Send(NULL, 0, MPI_BYTE, last, GO, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, last, BACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (world_rank == last) {
    MPI_Recv(NULL, 0, MPI_BYTE, FIRST, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, FIRST, BACK, MPI_COMM_WORLD);
  }
}

static void messages_of_all_lengths_go_round(void) {
  static const int lengths[] = {
      0,     1,     2,     7,     8,      128,    1000,    4096,          65407,
      65408, 65535, 65536, 65537, 131072, 200000, 1 << 20, (1 << 20) + 1, MOST};
  MPI_Status status;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    const int length = lengths[i], number = (int)i;
    fill(number, length);
    memset(in, 0, (size_t)length);
    CHECK(MPI_Sendrecv(out, length, MPI_BYTE, next_rank, number, in, MOST, MPI_BYTE, previous_rank,
                       number, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == previous_rank && status.MPI_TAG == number &&
          length_of(&status) == length);
    verify(in, previous_rank, number, length);
    /* The other direction, in place. */
    CHECK(MPI_Sendrecv_replace(in, length, MPI_BYTE, previous_rank, number, next_rank, number,
                               MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(length_of(&status) == length);
    verify(in, world_rank, number, length);
  }
}

/* Each rank sends that many messages to each, short and long ones mixed. They come in the order in
 * which they were sent. */
static void many_messages_keep_their_order(void) {
  enum { MANY = 300, ROOM = 100000 };
  static const int lengths[] = {0, 4, 100, 3000, 8, 70000, 1, 0, 66000, 12};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  MPI_Request* const requests = malloc((size_t)(world_size * MANY) * sizeof *requests);
  CHECK(requests != NULL);
  int under_way = 0;
  fill(0, ROOM);
  for (int i = 0; i < MANY; ++i) {
    for (int to = 0; to < world_size; ++to) {
      if (to != world_rank)
        MPI_Isend(out + i % 100, lengths[(i + to) % LENGTHS], MPI_BYTE, to, 5, MPI_COMM_WORLD,
                  &requests[under_way++]);
    }
  }
  for (int i = 0; i < MANY; ++i) {
    for (int from = 0; from < world_size; ++from) {
      MPI_Status status;
      if (from == world_rank) continue;
      MPI_Recv(in, ROOM, MPI_BYTE, from, 5, MPI_COMM_WORLD, &status);
      const int length = lengths[(i + world_rank) % LENGTHS];
      CHECK(length_of(&status) == length);
      for (int k = 0; k < length; ++k) CHECK(in[k] == byte_of(from, 0, i % 100 + k));
    }
  }
  MPI_Waitall(under_way, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

static void wildcards_find_every_source_and_tag(void) {
  enum { EACH = 20 };
  for (int i = 0; i < EACH && world_rank != FIRST; ++i) {
    const int length = i % 4 == 3 ? 70000 : i;
    fill(i, length);
    MPI_Send(out, length, MPI_BYTE, FIRST, 100 + i, MPI_COMM_WORLD);
  }
  if (world_rank == FIRST) {
    int* const seen = calloc((size_t)world_size, sizeof *seen);
    CHECK(seen != NULL);
    for (int i = 0; i < EACH * (world_size - 1); ++i) {
      MPI_Status status;
      MPI_Recv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      const int number = seen[status.MPI_SOURCE]++;
      CHECK(status.MPI_TAG == 100 + number &&
            length_of(&status) == (number % 4 == 3 ? 70000 : number));
      verify(in, status.MPI_SOURCE, number, length_of(&status));
    }
    for (int from = 1; from < world_size; ++from) CHECK(seen[from] == EACH);
    free(seen);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void probes_see_messages_before_they_are_received(void) {
  static const int lengths[] = {0, 11, 65536, 300000};
  for (int i = 0; i < 4; ++i) {
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    int found = 0;
    if (world_rank == FIRST) {
      MPI_Request requests[3];
      fill(i, lengths[i]);
      for (int copy = 0; copy < 3; ++copy)
        MPI_Isend(out, lengths[i], MPI_BYTE, last, 20 + copy, MPI_COMM_WORLD, &requests[copy]);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    if (world_rank == FIRST) there_and_back(); /* before the next ones */
    if (world_rank != last) continue;
    CHECK(MPI_Probe(MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == FIRST && status.MPI_TAG == 22 && length_of(&status) == lengths[i]);
    CHECK(MPI_Iprobe(FIRST, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status) == MPI_SUCCESS && found &&
          status.MPI_TAG == 20);
    /* A message taken by a matched probe is not available to others. */
    CHECK(MPI_Mprobe(FIRST, 21, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS &&
          message != MPI_MESSAGE_NULL);
    CHECK(length_of(&status) == lengths[i]);
    CHECK(MPI_Iprobe(FIRST, 21, MPI_COMM_WORLD, &found, &status) == MPI_SUCCESS && !found);
    for (int tag = 20; tag <= 22; tag += 2) {
      MPI_Recv(in, MOST, MPI_BYTE, FIRST, tag, MPI_COMM_WORLD, &status);
      verify(in, FIRST, i, lengths[i]);
    }
    CHECK(MPI_Mrecv(in, MOST, MPI_BYTE, &message, &status) == MPI_SUCCESS &&
          length_of(&status) == lengths[i]);
    verify(in, FIRST, i, lengths[i]);
    CHECK(MPI_Improbe(FIRST, 20, MPI_COMM_WORLD, &found, &message, &status) == MPI_SUCCESS &&
          !found);
    there_and_back();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Neither short nor long ones complete before their receive has begun. */
static void synchronous_sends_wait_for_their_receives(void) {
  static const int lengths[] = {0, 8, 65536, 1 << 20};
  for (int i = 0; i < 4; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    int done = -1;
    if (world_rank == FIRST) {
      fill(i, lengths[i]);
      MPI_Issend(out, lengths[i], MPI_BYTE, last, 30, MPI_COMM_WORLD, &request);
    }
    there_and_back();
    if (world_rank == FIRST)
      CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0);
    there_and_back();
    if (world_rank == last) {
      MPI_Recv(in, MOST, MPI_BYTE, FIRST, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify(in, FIRST, i, lengths[i]);
      MPI_Ssend(in, lengths[i], MPI_BYTE, FIRST, 31, MPI_COMM_WORLD);
    } else if (world_rank == FIRST) {
      CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      MPI_Recv(in, MOST, MPI_BYTE, last, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      verify(in, FIRST, i, lengths[i]);
    }
  }
}

static int ends_cancelled(MPI_Request* request) {
  MPI_Status status;
  int cancelled = -1;
  CHECK(MPI_Cancel(request) == MPI_SUCCESS && MPI_Wait(request, &status) == MPI_SUCCESS);
  CHECK(MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS);
  return cancelled;
}

static void receives_can_be_cancelled(void) {
  MPI_Request request;
  const int source = world_rank == FIRST ? last : FIRST;
  for (int any = 0; any <= 1; ++any) {
    MPI_Irecv(in, 100, MPI_BYTE, any ? MPI_ANY_SOURCE : source, 40, MPI_COMM_WORLD, &request);
    CHECK(ends_cancelled(&request));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A cancelled send that has met no receive leaves nothing. A send that has met one is not
 * cancelled. */
static void sends_can_be_cancelled(void) {
  static const int lengths[] = {0, 8, 65536, 1 << 20};
  for (int i = 0; i < 4; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    int found = -1, cancelled = -1;
    if (world_rank == FIRST) {
      fill(i, lengths[i]);
      MPI_Issend(out, lengths[i], MPI_BYTE, last, 50, MPI_COMM_WORLD, &request);
    }
    there_and_back();
    if (world_rank == FIRST) CHECK(ends_cancelled(&request));
    there_and_back();
    if (world_rank == last)
      CHECK(MPI_Iprobe(FIRST, 50, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
            !found);

    /* The receive is posted first. */
    if (world_rank == last) MPI_Irecv(in, MOST, MPI_BYTE, FIRST, 51, MPI_COMM_WORLD, &request);
    there_and_back();
    if (world_rank == FIRST) {
      MPI_Issend(out, lengths[i], MPI_BYTE, last, 51, MPI_COMM_WORLD, &request);
      there_and_back();
      CHECK(!ends_cancelled(&request));
    } else if (world_rank == last) {
      there_and_back();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      verify(in, FIRST, i, lengths[i]);
    }

    /* A standard send may already have left. Then it is received. */
    if (world_rank == FIRST) {
      MPI_Isend(out, lengths[i], MPI_BYTE, last, 52, MPI_COMM_WORLD, &request);
      cancelled = ends_cancelled(&request);
      MPI_Send(&cancelled, 1, MPI_INT, last, 53, MPI_COMM_WORLD);
    } else if (world_rank == last) {
      MPI_Recv(&cancelled, 1, MPI_INT, FIRST, 53, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Iprobe(FIRST, 52, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      CHECK(found == !cancelled);
      if (found) MPI_Recv(in, MOST, MPI_BYTE, FIRST, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void items_keep_their_values_and_numbers(void) {
  struct item {
    char letter;
    double number;
    short few[3];
  };
  int lengths[] = {1, 1, 3}, count = -1;
  MPI_Aint places[] = {offsetof(struct item, letter), offsetof(struct item, number),
                       offsetof(struct item, few)};
  MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, fields, item, column;
  MPI_Type_create_struct(3, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct item), &item);
  MPI_Type_vector(50, 2, 3, MPI_INT, &column);
  MPI_Type_commit(&item);
  MPI_Type_commit(&column);
  enum { ITEMS = 20000 };
  static struct item sent[ITEMS], got[ITEMS];
  static int table[3][150];
  MPI_Status status;
  for (int i = 0; i < ITEMS; ++i)
    sent[i] =
        (struct item){(char)(i % 100), world_rank + i / 3.0, {(short)i, (short)-i, (short)(i * 7)}};
  CHECK(MPI_Sendrecv(sent, ITEMS, item, next_rank, 60, got, ITEMS, item, previous_rank, 60,
                     MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, item, &count) == MPI_SUCCESS && count == ITEMS);
  CHECK(MPI_Get_elements(&status, item, &count) == MPI_SUCCESS && count == 5 * ITEMS);
  for (int i = 0; i < ITEMS; ++i) {
    CHECK(got[i].letter == sent[i].letter && got[i].number == previous_rank + i / 3.0);
    CHECK(memcmp(got[i].few, sent[i].few, sizeof sent[i].few) == 0);
  }

  /* Holes on one side only. */
  int whole[100];
  for (int i = 0; i < 100; ++i) whole[i] = world_rank * 1000 + i;
  memset(table, -1, sizeof table);
  CHECK(MPI_Sendrecv(whole, 100, MPI_INT, next_rank, 61, table, 1, column, previous_rank, 61,
                     MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, column, &count) == MPI_SUCCESS && count == 1);
  for (int i = 0; i < 150; ++i)
    CHECK((&table[0][0])[i] == (i % 3 == 2 ? -1 : previous_rank * 1000 + i / 3 * 2 + i % 3));

  /* A type whose size differs between machines. */
  long numbers[] = {1, -2, 2147483647L, -2147483647L}, back[6] = {0};
  CHECK(MPI_Sendrecv(numbers, 4, MPI_LONG, next_rank, 62, back, 6, MPI_LONG, previous_rank, 62,
                     MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(MPI_Get_count(&status, MPI_LONG, &count) == MPI_SUCCESS && count == 4 &&
        memcmp(numbers, back, sizeof numbers) == 0);
  MPI_Type_free(&fields);
  MPI_Type_free(&item);
  MPI_Type_free(&column);
}

static void what_does_not_fit_is_an_error_of_the_receiver(void) {
  static const int lengths[] = {11, 1 << 20};
  for (int i = 0; i < 2; ++i) {
    if (world_rank == FIRST) {
      fill(i, lengths[i]);
      CHECK(MPI_Send(out, lengths[i], MPI_BYTE, last, 70, MPI_COMM_WORLD) == MPI_SUCCESS);
    } else if (world_rank == last) {
      in[10] = 77;
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      CHECK(MPI_Recv(in, 10, MPI_BYTE, FIRST, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
            MPI_ERR_TRUNCATE);
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
      CHECK(in[10] == 77);
      verify(in, FIRST, i, 10);
    }
  }
}

static void persistent_requests_start_again(void) {
  MPI_Request requests[2];
  MPI_Send_init(out, 70000, MPI_BYTE, next_rank, 80, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 70000, MPI_BYTE, previous_rank, 80, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 5; ++i) {
    fill(i, 70000);
    memset(in, 0, 70000);
    CHECK(MPI_Startall(2, requests) == MPI_SUCCESS &&
          MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    verify(in, previous_rank, i, 70000);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
  begin();
  CHECK(argc == 2 && world_size == atoi(argv[1]) && world_size > 1);
  last = world_size - 1;
  next_rank = (world_rank + 1) % world_size;
  previous_rank = (world_rank + last) % world_size;
  out = malloc(MOST);
  in = malloc(MOST);
  CHECK(out != NULL && in != NULL);
  messages_of_all_lengths_go_round();
  many_messages_keep_their_order();
  wildcards_find_every_source_and_tag();
  probes_see_messages_before_they_are_received();
  synchronous_sends_wait_for_their_receives();
  receives_can_be_cancelled();
  sends_can_be_cancelled();
  items_keep_their_values_and_numbers();
  what_does_not_fit_is_an_error_of_the_receiver();
  persistent_requests_start_again();
  free(out);
  free(in);
  return MPI_Finalize();
}
