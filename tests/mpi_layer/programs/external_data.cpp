// Data between processes of different jobs: the bytes sent, and that every kind of send is received
// by every kind of receive.
#include <algorithm>
#include <complex>

#include "external_items.h"

namespace {

// ---- The bytes sent

// The observer gets exactly these bytes from rank 0, by every kind of send.
void travels_as(const void* items, int count, MPI_Datatype type, const Bytes& expected) {
  MPI_Request request;
  Bytes attached(expected.size() + MPI_BSEND_OVERHEAD);
  const std::vector<std::function<void()>> sends = {
      [&] { CHECK(MPI_Send(items, count, type, kObserver, 1, MPI_COMM_WORLD) == MPI_SUCCESS); },
      [&] { CHECK(MPI_Ssend(items, count, type, kObserver, 1, MPI_COMM_WORLD) == MPI_SUCCESS); },
      [&] {
        MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
        CHECK(MPI_Bsend(items, count, type, kObserver, 1, MPI_COMM_WORLD) == MPI_SUCCESS);
        void* memory;
        int size;
        MPI_Buffer_detach(&memory, &size);
      },
      [&] {
        CHECK(MPI_Isend(items, count, type, kObserver, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      },
      [&] {
        CHECK(MPI_Send_init(items, count, type, kObserver, 1, MPI_COMM_WORLD, &request) ==
              MPI_SUCCESS);
        CHECK(MPI_Start(&request) == MPI_SUCCESS &&
              MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Request_free(&request);
      },
  };
  for (const auto& send : sends) {
    if (world_rank == 0) send();
    if (world_rank != kObserver) continue;
    Bytes got(expected.size() + 8);
    MPI_Status status;
    int length = -1;
    CHECK(MPI_Recv(got.data(), static_cast<int>(got.size()), MPI_BYTE, 0, 1, MPI_COMM_WORLD,
                   &status) == MPI_SUCCESS);
    MPI_Get_count(&status, MPI_BYTE, &length);
    CHECK(length == static_cast<int>(expected.size()));
    got.resize(expected.size());
    CHECK(got == expected);
  }
}

void numbers_travel_as_external32() {
  const int number = 0x01020304;
  travels_as(&number, 1, MPI_INT, {1, 2, 3, 4});
  const long longs[] = {-2, 0x01020304};
  travels_as(longs, 2, MPI_LONG, {0xff, 0xff, 0xff, 0xfe, 1, 2, 3, 4});
  const double fraction = 1.5;
  travels_as(&fraction, 1, MPI_DOUBLE, {0x3f, 0xf8, 0, 0, 0, 0, 0, 0});
  const std::complex<float> pair(1.0F, -2.0F);
  travels_as(&pair, 1, MPI_C_FLOAT_COMPLEX, {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
  const long holed[] = {1, kHole, 2};
  travels_as(holed, 1, holed_type(), {0, 0, 0, 1, 0, 0, 0, 2});
  const Mixed mixed = {'x', -3, {4, 5}, -2.0};
  travels_as(&mixed, 1, mixed_type(),
             {'x', 0xff, 0xff, 0xff, 0xfd, 0, 4, 0, 5, 0xc0, 0, 0, 0, 0, 0, 0, 0});
  travels_as("abc", 3, MPI_CHAR, {'a', 'b', 'c'});
  travels_as("\1\2\3\4", 4, MPI_BYTE, {1, 2, 3, 4});
  travels_as("\1\2\3\4", 4, MPI_PACKED, {1, 2, 3, 4});
  travels_as(nullptr, 0, MPI_LONG, {});
}

void numbers_are_received_from_external32() {
  const unsigned char bytes[] = {0xff, 0xff, 0xff, 0xfe, 1, 2, 3, 4};
  if (world_rank == kObserver) {
    for (int i = 0; i < 4; ++i) MPI_Send(bytes, 8, MPI_BYTE, 0, i, MPI_COMM_WORLD);
  }
  if (world_rank != 0) return;
  long longs[2] = {};
  int ints[2] = {};
  unsigned char raw[8] = {};
  MPI_Recv(longs, 2, MPI_LONG, kObserver, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(longs[0] == -2 && longs[1] == 0x01020304);
  MPI_Recv(ints, 2, MPI_INT, kAny, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(ints[0] == -2 && ints[1] == 0x01020304);
  MPI_Recv(raw, 8, MPI_BYTE, kObserver, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(std::memcmp(raw, bytes, 8) == 0);
  MPI_Recv(raw, 8, MPI_PACKED, kAny, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(std::memcmp(raw, bytes, 8) == 0);
}

// ---- Kinds of sends and receives

struct Message {
  const ItemKind& kind;
  int items;
  int sender;  // rank 0 receives
  int tag;     // of no other message
};

using Send = std::function<void(const Message& message, const Bytes& items)>;
// Receives into `memory`, which has room for the items and one more, from the message's sender or
// any.
using Receive = std::function<MPI_Status(const Message& message, Bytes& memory, int source)>;

const std::vector<Send>& sends() {
  static const std::vector<Send> all = {
      [](const Message& m, const Bytes& items) {
        CHECK(MPI_Send(items.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
      },
      [](const Message& m, const Bytes& items) {
        CHECK(MPI_Ssend(items.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD) ==
              MPI_SUCCESS);
      },
      [](const Message& m, const Bytes& items) {
        int size = 0;
        MPI_Pack_size(m.items, m.kind.type, MPI_COMM_WORLD, &size);
        Bytes attached(static_cast<std::size_t>(size) + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
        Bytes copy = items;
        MPI_Request request;
        CHECK(MPI_Bsend_init(copy.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD,
                             &request) == MPI_SUCCESS);
        CHECK(MPI_Start(&request) == MPI_SUCCESS &&
              MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        copy.assign(copy.size(), 0);
        void* memory;
        MPI_Request_free(&request);
        MPI_Buffer_detach(&memory, &size);
      },
      [](const Message& m, const Bytes& items) {
        // Started twice. The second start sends the right content.
        Bytes memory = items_of(m.kind, m.items, 3);
        MPI_Request request;
        CHECK(MPI_Send_init(memory.data(), m.items, m.kind.type, m.sender, m.tag, MPI_COMM_WORLD,
                            &request) == MPI_SUCCESS);
        MPI_Request_free(&request);
        CHECK(MPI_Send_init(memory.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD,
                            &request) == MPI_SUCCESS);
        std::memcpy(memory.data(), items.data(), memory.size());
        CHECK(MPI_Start(&request) == MPI_SUCCESS &&
              MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Request_free(&request);
      },
  };
  return all;
}

const std::vector<Receive>& receives() {
  static const std::vector<Receive> all = {
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        CHECK(MPI_Recv(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD,
                       &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        MPI_Request request;
        int flag = 0;
        CHECK(MPI_Irecv(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD,
                        &request) == MPI_SUCCESS);
        while (flag == 0) CHECK(MPI_Request_get_status(request, &flag, &status) == MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status statuses[2];
        MPI_Request requests[2] = {MPI_REQUEST_NULL};
        CHECK(MPI_Irecv(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD,
                        &requests[1]) == MPI_SUCCESS);
        CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
        return statuses[1];
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        MPI_Request request;
        CHECK(MPI_Recv_init(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD,
                            &request) == MPI_SUCCESS);
        // the next starts are for other messages, of other lengths
        for (int other : {kLocal, kRemote}) {
          if (source != kAny) break;
          CHECK(MPI_Start(&request) == MPI_SUCCESS);
          MPI_Send(&other, 1, MPI_INT, other, 9, MPI_COMM_WORLD);
          CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS && status.MPI_SOURCE == other);
          check_count(status, m.kind, 1);
        }
        const Bytes fresh = room_of(m.kind, m.items + 1);
        std::copy(fresh.begin(), fresh.end(), memory.begin());
        MPI_Send(nullptr, 0, MPI_INT, m.sender, 9, MPI_COMM_WORLD);
        CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, &status) == MPI_SUCCESS);
        MPI_Request_free(&request);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        MPI_Message message;
        CHECK(MPI_Mprobe(source, m.tag, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Mrecv(memory.data(), m.items + 1, m.kind.type, &message, &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        MPI_Message message;
        MPI_Request request;
        int flag = 0;
        while (flag == 0)
          CHECK(MPI_Improbe(source, m.tag, MPI_COMM_WORLD, &flag, &message, &status) ==
                MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Imrecv(memory.data(), m.items + 1, m.kind.type, &message, &request) ==
              MPI_SUCCESS);
        CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        CHECK(MPI_Probe(source, m.tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        int flag = 0;
        CHECK(MPI_Iprobe(status.MPI_SOURCE, m.tag, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS &&
              flag == 1);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, memory.data(), m.items + 1,
                           m.kind.type, status.MPI_SOURCE, m.tag, MPI_COMM_WORLD,
                           &status) == MPI_SUCCESS);
        return status;
      },
  };
  return all;
}

constexpr std::size_t kPersistent = 3;  // the receive that the senders help

void every_send_meets_every_receive() {
  const int lengths[] = {0, 1, 3, 9000};
  int seed = 1;
  int tag = 10;
  for (const ItemKind& kind : kinds()) {
    for (const int items : lengths) {
      for (std::size_t s = 0; s < sends().size(); ++s) {
        for (std::size_t r = 0; r < receives().size(); ++r) {
          for (const int sender : {kRemote, kLocal}) {
            for (const bool from_any : {false, true}) {
              const Message message{kind, items, sender, ++tag};
              const Bytes sent = items_of(kind, items, ++seed);
              if (r == kPersistent && from_any && (world_rank == kLocal || world_rank == kRemote)) {
                const Bytes one = items_of(kind, 1, 1);
                int asked = 0;
                MPI_Recv(&asked, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(one.data(), 1, kind.type, 0, tag, MPI_COMM_WORLD);
              }
              if (world_rank == sender) {
                if (r == kPersistent)
                  MPI_Recv(nullptr, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sends()[s](message, sent);
              }
              if (world_rank != 0) continue;
              Bytes memory = room_of(kind, items + 1);
              const MPI_Status status = receives()[r](message, memory, from_any ? kAny : sender);
              CHECK(status.MPI_SOURCE == sender && status.MPI_TAG == tag);
              check_count(status, kind, items);
              CHECK(std::memcmp(memory.data(), sent.data(),
                                kind.extent * static_cast<std::size_t>(items)) == 0);
              CHECK(std::memcmp(memory.data() + kind.extent * static_cast<std::size_t>(items),
                                room_of(kind, 1).data(), kind.extent) == 0);
            }
          }
        }
      }
    }
  }
}

// The pairs 0 and 1, of one job, and 0 and 2. Tags: of the pair.
void both_directions_at_once() {
  for (const int other : {kLocal, kRemote}) {
    if (world_rank != 0 && world_rank != other) continue;
    const int peer = world_rank == 0 ? other : 0;
    for (const ItemKind& kind : kinds()) {
      for (const int items : {0, 1, 3, 9000}) {
        const Bytes mine = items_of(kind, items, 10 + world_rank),
                    theirs = items_of(kind, items, 10 + peer);
        for (int way = 0; way < 4; ++way) {
          Bytes memory = way % 2 == 0 ? room_of(kind, items) : mine;
          MPI_Status status;
          MPI_Request request = MPI_REQUEST_NULL;
          switch (way) {
            case 0:
              CHECK(MPI_Sendrecv(mine.data(), items, kind.type, peer, other, memory.data(), items,
                                 kind.type, kAny, other, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
              break;
            case 1:
              CHECK(MPI_Sendrecv_replace(memory.data(), items, kind.type, peer, other, peer, other,
                                         MPI_COMM_WORLD, &status) == MPI_SUCCESS);
              break;
            case 2:
              CHECK(MPI_Isendrecv(mine.data(), items, kind.type, peer, other, memory.data(), items,
                                  kind.type, peer, other, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
              break;
            default:
              CHECK(MPI_Isendrecv_replace(memory.data(), items, kind.type, peer, other, kAny, other,
                                          MPI_COMM_WORLD, &request) == MPI_SUCCESS);
          }
          if (way >= 2) CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
          check_count(status, kind, items);
          CHECK(memory == theirs);
        }
      }
    }
  }
}

}  // namespace

int main() {
  begin_as_jobs();
  numbers_travel_as_external32();
  numbers_are_received_from_external32();
  every_send_meets_every_receive();
  both_directions_at_once();
  return MPI_Finalize();
}
