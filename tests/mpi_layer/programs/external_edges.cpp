// Data between processes of different jobs: messages that end inside an item or are too long,
// numbers that do not fit, cancelled sends; MPI_Pack; the bound of tags.
#include "external_items.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"

namespace {

// ---- Error cases. Tags: of the test and the sender.

// Six elements come: an item and the first element of the next.
void part_of_an_item() {
  for (const int sender : {kRemote, kLocal}) {
    for (const int source : {sender, kAny}) {
      if (world_rank == sender) {
        const int lengths[] = {1, 1};
        const MPI_Aint places[] = {0, static_cast<MPI_Aint>(sizeof(Mixed))};
        MPI_Datatype type, types[2] = {mixed_type(), MPI_CHAR};
        MPI_Type_create_struct(2, lengths, places, types, &type);
        MPI_Type_commit(&type);
        const Mixed out[2] = {{'a', -1, {2, 3}, 4.5}, {'b', 0, {0, 0}, 0}};
        MPI_Send(out, 1, type, 0, 100 + sender, MPI_COMM_WORLD);
        MPI_Type_free(&type);
      }
      if (world_rank != 0) continue;
      Mixed in[3] = {};
      in[1].number = 99;
      MPI_Status status;
      int count = 0, elements = 0;
      CHECK(MPI_Probe(source, 100 + sender, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
      MPI_Get_count(&status, mixed_type(), &count);
      MPI_Get_elements(&status, mixed_type(), &elements);
      CHECK(count == MPI_UNDEFINED && elements == 6);
      CHECK(MPI_Recv(in, 3, mixed_type(), source, 100 + sender, MPI_COMM_WORLD, &status) ==
            MPI_SUCCESS);
      MPI_Get_count(&status, mixed_type(), &count);
      MPI_Get_elements(&status, mixed_type(), &elements);
      CHECK(count == MPI_UNDEFINED && elements == 6);
      CHECK(in[0].letter == 'a' && in[0].number == -1 && in[0].pair[1] == 3 &&
            in[0].fraction == 4.5);
      CHECK(in[1].letter == 'b' && in[1].number == 99);
    }
  }
}

// The bytes of a message may fit although its items do not: 5 longs of four bytes into 3 of eight.
void truncated_messages() {
  for (const int sender : {kRemote, kLocal}) {
    for (const int source : {sender, kAny}) {
      for (const int sent : {4, 5, 10}) {
        const long out[] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10};
        for (int way = 0; way < 3; ++way) {
          if (world_rank == sender) MPI_Send(out, sent, MPI_LONG, 0, 200 + sender, MPI_COMM_WORLD);
          if (world_rank != 0) continue;
          long in[4] = {0, 0, 0, 99};
          MPI_Status status;
          MPI_Request request;
          MPI_Message message;
          switch (way) {
            case 0:
              CHECK(MPI_Recv(in, 3, MPI_LONG, source, 200 + sender, MPI_COMM_WORLD, &status) ==
                    MPI_ERR_TRUNCATE);
              break;
            case 1:
              MPI_Irecv(in, 3, MPI_LONG, source, 200 + sender, MPI_COMM_WORLD, &request);
              CHECK(MPI_Wait(&request, &status) == MPI_ERR_TRUNCATE);
              break;
            default:
              MPI_Mprobe(source, 200 + sender, MPI_COMM_WORLD, &message, &status);
              CHECK(MPI_Mrecv(in, 3, MPI_LONG, &message, &status) == MPI_ERR_TRUNCATE);
          }
          int count = -1;
          MPI_Get_count(&status, MPI_LONG, &count);
          CHECK(count == sent && status.MPI_SOURCE == sender);
          CHECK(in[0] == 1 && in[1] == -2 && in[2] == 3 && in[3] == 99);
        }
      }
    }
  }
}

void numbers_that_do_not_fit() {
  long number = 1L << 40;
  if (world_rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char attached[1000];
    void* memory;
    int size;
    CHECK(MPI_Send(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD) == MPI_ERR_CONVERSION);
    CHECK(MPI_Isend(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD, &request) ==
              MPI_ERR_CONVERSION &&
          request == MPI_REQUEST_NULL);
    MPI_Buffer_attach(attached, sizeof attached);
    CHECK(MPI_Bsend(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD) == MPI_ERR_CONVERSION);
    MPI_Buffer_detach(&memory, &size);
    long in = 5;
    CHECK(MPI_Sendrecv(&number, 1, MPI_LONG, kRemote, 1, &in, 1, MPI_LONG, kRemote, 99,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_ERR_CONVERSION);
    CHECK(in == 5);
    CHECK(MPI_Send_init(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(MPI_Start(&request) == MPI_ERR_CONVERSION);
    number = 7;
    CHECK(MPI_Start(&request) == MPI_SUCCESS &&
          MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Request_free(&request);
    number = 1L << 40;
    CHECK(MPI_Send(&number, 1, MPI_LONG, kLocal, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
  }
  if (world_rank == kLocal || world_rank == kRemote) {
    CHECK(MPI_Recv(&number, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(number == (world_rank == kLocal ? 1L << 40 : 7));
  }
}

void cancelled_receives() {
  if (world_rank != 0) return;
  for (const int source : {kRemote, kAny}) {
    const ItemKind& kind = kinds()[2];
    Bytes memory = items_of(kind, 2, 5);
    const Bytes before = memory;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    MPI_Irecv(memory.data(), 2, kind.type, source, 77, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag == 1 && memory == before);
  }
}

// ---- MPI_Pack

void packed_for_a_communicator() {
  const Mixed mixed = {'x', -3, {4, 5}, -2.0};
  const Bytes expected = {'x', 0xff, 0xff, 0xff, 0xfd, 0, 4, 0, 5, 0xc0, 0, 0, 0, 0, 0, 0, 0};
  if (world_rank == kObserver) return;
  if (world_rank <= kLocal) {
    // Made only by its own processes, because the observer would not understand the others.
    MPI_Group everyone, local;
    MPI_Comm home;
    int range[1][3] = {{0, kLocal, 1}};
    MPI_Comm_group(MPI_COMM_WORLD, &everyone);
    MPI_Group_range_incl(everyone, 1, range, &local);
    MPI_Comm_create_group(MPI_COMM_WORLD, local, 0, &home);
    MPI_Group_free(&local);
    MPI_Group_free(&everyone);
    int size = 0;
    MPI_Pack_size(1, mixed_type(), home, &size);
    CHECK(size == 21);
    MPI_Comm_free(&home);
  }
  Bytes packed(40);
  int size = 0, position = 0;
  MPI_Pack_size(1, mixed_type(), MPI_COMM_WORLD, &size);
  CHECK(size == 21);  // a buffered send within the job takes as much
  CHECK(MPI_Pack(&mixed, 1, mixed_type(), packed.data(), 40, &position, MPI_COMM_WORLD) ==
            MPI_SUCCESS &&
        position == 17);
  CHECK(Bytes(packed.begin(), packed.begin() + 17) == expected);
  const long big = 1L << 40;
  CHECK(MPI_Pack(&big, 1, MPI_LONG, packed.data(), 40, &position, MPI_COMM_WORLD) ==
            MPI_ERR_CONVERSION &&
        position == 17);
  CHECK(MPI_Pack(&mixed, 1, mixed_type(), packed.data(), 33, &position, MPI_COMM_WORLD) ==
            MPI_ERR_TRUNCATE &&
        position == 17);
  if (world_rank == 0) {
    MPI_Send(packed.data(), position, MPI_PACKED, kRemote, 1, MPI_COMM_WORLD);
    MPI_Send(packed.data(), position, MPI_PACKED, kRemote, 2, MPI_COMM_WORLD);
    MPI_Send(&mixed, 1, mixed_type(), kRemote, 3, MPI_COMM_WORLD);
  }
  if (world_rank != kRemote) return;
  for (int tag = 1; tag <= 3; ++tag) {
    Mixed got = {};
    MPI_Status status;
    if (tag == 2) {
      CHECK(MPI_Recv(&got, 1, mixed_type(), 0, tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    } else {
      packed.assign(40, 0);
      int length = -1;
      CHECK(MPI_Recv(packed.data(), 40, MPI_PACKED, 0, tag, MPI_COMM_WORLD, &status) ==
            MPI_SUCCESS);
      MPI_Get_count(&status, MPI_PACKED, &length);
      CHECK(length == 17);
      position = 0;
      CHECK(MPI_Unpack(packed.data(), length, &position, &got, 1, mixed_type(), MPI_COMM_WORLD) ==
                MPI_SUCCESS &&
            position == 17);
    }
    CHECK(got.letter == 'x' && got.number == -3 && got.pair[0] == 4 && got.pair[1] == 5 &&
          got.fraction == -2.0);
  }
}

// ---- Tags

void tags_end_at_the_bound_of_the_world() {
  lintel::mpi::set_tag_bound(40000);
  int *bound = nullptr, flag = 0, number = 0;
  MPI_Status status;
  MPI_Request request;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag) == MPI_SUCCESS && flag == 1 &&
        *bound == 40000);
  CHECK(MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 40001, MPI_COMM_WORLD) == MPI_ERR_TAG);
  CHECK(MPI_Irecv(&number, 1, MPI_INT, kAny, 40001, MPI_COMM_WORLD, &request) == MPI_ERR_TAG);
  CHECK(MPI_Iprobe(kAny, 40001, MPI_COMM_WORLD, &flag, &status) == MPI_ERR_TAG);
  number = world_rank;
  CHECK(MPI_Sendrecv_replace(&number, 1, MPI_INT, world_rank, 40000, kAny, MPI_ANY_TAG,
                             MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(number == world_rank && status.MPI_TAG == 40000);
}

}  // namespace

int main() {
  begin_as_jobs();
  part_of_an_item();
  truncated_messages();
  numbers_that_do_not_fit();
  cancelled_receives();
  packed_for_a_communicator();
  tags_end_at_the_bound_of_the_world();
  return MPI_Finalize();
}
