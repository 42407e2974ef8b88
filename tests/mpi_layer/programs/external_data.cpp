// Data between processes of different jobs: ranks 0 and 1 are of one job and rank 2 of another, which exchange external32. Rank 3 sees what travels: the others
// take it for one of another job, and it takes nobody so.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "as_jobs.h"
#include "check.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int kLocal = 1, kRemote = 2, kObserver = 3;
constexpr int kAny = MPI_ANY_SOURCE;

struct Mixed {
  char letter;
  long number;
  short pair[2];
  double fraction;
};

MPI_Datatype mixed_type() {
  static const MPI_Datatype type = [] {
    const int lengths[] = {1, 1, 2, 1};
    const MPI_Aint places[] = {offsetof(Mixed, letter), offsetof(Mixed, number), offsetof(Mixed, pair), offsetof(Mixed, fraction)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_SHORT, MPI_DOUBLE};
    MPI_Datatype structure, resized;
    MPI_Type_create_struct(4, lengths, places, types, &structure);
    MPI_Type_create_resized(structure, 0, sizeof(Mixed), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&structure);
    return resized;
  }();
  return type;
}

// Two longs with a hole between them: three longs of memory.
MPI_Datatype holed_type() {
  static const MPI_Datatype type = [] {
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    return vector;
  }();
  return type;
}

constexpr long kHole = -77;

// `items` items of a kind, with values that follow from `seed`, or cleared.
struct Kind {
  const char* name;
  MPI_Datatype type;
  int elements;  // of an item
  std::size_t extent;
  std::function<void(unsigned char* item, int seed)> write;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"int", MPI_INT, 1, sizeof(int), [](unsigned char* item, int seed) { std::memcpy(item, &seed, sizeof seed); }},
      {"long", MPI_LONG, 1, sizeof(long),
       [](unsigned char* item, int seed) {
         const long value = seed % 2 == 0 ? seed : -seed;
         std::memcpy(item, &value, sizeof value);
       }},
      {"holed", holed_type(), 2, 3 * sizeof(long),
       [](unsigned char* item, int seed) {
         const long values[] = {seed, kHole, -2L * seed};
         std::memcpy(item, values, sizeof values);
       }},
      {"mixed", mixed_type(), 5, sizeof(Mixed),
       [](unsigned char* item, int seed) {
         Mixed value;
         std::memset(static_cast<void*>(&value), 0, sizeof value);
         value.letter = static_cast<char>('a' + seed % 26);
         value.number = -seed;
         value.pair[0] = static_cast<short>(seed % 1000);
         value.pair[1] = 7;
         value.fraction = seed * 0.5;
         std::memcpy(item, &value, sizeof value);
       }},
      {"byte", MPI_BYTE, 1, 1, [](unsigned char* item, int seed) { *item = static_cast<unsigned char>(seed); }},
  };
  return all;
}

Bytes items_of(const Kind& kind, int items, int seed) {
  Bytes memory(kind.extent * static_cast<std::size_t>(items) + 1);
  for (int i = 0; i < items; ++i) kind.write(memory.data() + static_cast<std::size_t>(i) * kind.extent, seed + i);
  return memory;
}
// Memory for them, of which only what lies between the values is as it will be.
Bytes room_of(const Kind& kind, int items) {
  Bytes memory(kind.extent * static_cast<std::size_t>(items) + 1);
  if (kind.type != holed_type()) return memory;
  for (int i = 0; i < items; ++i) {
    const long values[] = {0, kHole, 0};
    std::memcpy(memory.data() + static_cast<std::size_t>(i) * kind.extent, values, sizeof values);
  }
  return memory;
}

void check_count(const MPI_Status& status, const Kind& kind, int items) {
  int count = -1, elements = -1;
  MPI_Get_count(&status, kind.type, &count);
  MPI_Get_elements(&status, kind.type, &elements);
  CHECK(count == items && elements == items * kind.elements);
}

// ---- What travels

// The observer gets exactly these bytes from rank 0, however they are sent.
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
        CHECK(MPI_Send_init(items, count, type, kObserver, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Request_free(&request);
      },
  };
  for (const auto& send : sends) {
    if (world_rank == 0) send();
    if (world_rank != kObserver) continue;
    Bytes got(expected.size() + 8);
    MPI_Status status;
    int length = -1;
    CHECK(MPI_Recv(got.data(), static_cast<int>(got.size()), MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
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
  travels_as(&mixed, 1, mixed_type(), {'x', 0xff, 0xff, 0xff, 0xfd, 0, 4, 0, 5, 0xc0, 0, 0, 0, 0, 0, 0, 0});
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
  const Kind& kind;
  int items;
  int sender;  // rank 0 receives
  int tag;     // of no other message
};

using Send = std::function<void(const Message& message, const Bytes& items)>;
// Receives into `memory`, which has room for the items and one more, from the message's sender or any.
using Receive = std::function<MPI_Status(const Message& message, Bytes& memory, int source)>;

const std::vector<Send>& sends() {
  static const std::vector<Send> all = {
      [](const Message& m, const Bytes& items) {
        CHECK(MPI_Send(items.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD) == MPI_SUCCESS);
      },
      [](const Message& m, const Bytes& items) {
        CHECK(MPI_Ssend(items.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD) == MPI_SUCCESS);
      },
      [](const Message& m, const Bytes& items) {
        int size = 0;
        MPI_Pack_size(m.items, m.kind.type, MPI_COMM_WORLD, &size);
        Bytes attached(static_cast<std::size_t>(size) + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
        Bytes copy = items;
        MPI_Request request;
        CHECK(MPI_Bsend_init(copy.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        copy.assign(copy.size(), 0);
        void* memory;
        MPI_Request_free(&request);
        MPI_Buffer_detach(&memory, &size);
      },
      [](const Message& m, const Bytes& items) {
        // Started twice; the second time with what was to be sent.
        Bytes memory = items_of(m.kind, m.items, 3);
        MPI_Request request;
        CHECK(MPI_Send_init(memory.data(), m.items, m.kind.type, m.sender, m.tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        MPI_Request_free(&request);
        CHECK(MPI_Send_init(memory.data(), m.items, m.kind.type, 0, m.tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        std::memcpy(memory.data(), items.data(), memory.size());
        CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        MPI_Request_free(&request);
      },
  };
  return all;
}

const std::vector<Receive>& receives() {
  static const std::vector<Receive> all = {
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        CHECK(MPI_Recv(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        MPI_Request request;
        int flag = 0;
        CHECK(MPI_Irecv(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        while (flag == 0) CHECK(MPI_Request_get_status(request, &flag, &status) == MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status statuses[2];
        MPI_Request requests[2] = {MPI_REQUEST_NULL};
        CHECK(MPI_Irecv(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD, &requests[1]) == MPI_SUCCESS);
        CHECK(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
        return statuses[1];
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        MPI_Request request;
        CHECK(MPI_Recv_init(memory.data(), m.items + 1, m.kind.type, source, m.tag, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        for (int other : {kLocal, kRemote}) {  // the next starts are of others' messages, of other lengths
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
        while (flag == 0) CHECK(MPI_Improbe(source, m.tag, MPI_COMM_WORLD, &flag, &message, &status) == MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Imrecv(memory.data(), m.items + 1, m.kind.type, &message, &request) == MPI_SUCCESS);
        CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
        return status;
      },
      [](const Message& m, Bytes& memory, int source) {
        MPI_Status status;
        CHECK(MPI_Probe(source, m.tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
        check_count(status, m.kind, m.items);
        int flag = 0;
        CHECK(MPI_Iprobe(status.MPI_SOURCE, m.tag, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS && flag == 1);
        check_count(status, m.kind, m.items);
        CHECK(MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, memory.data(), m.items + 1, m.kind.type, status.MPI_SOURCE, m.tag,
                           MPI_COMM_WORLD, &status) == MPI_SUCCESS);
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
  for (const Kind& kind : kinds()) {
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
                if (r == kPersistent) MPI_Recv(nullptr, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                sends()[s](message, sent);
              }
              if (world_rank != 0) continue;
              Bytes memory = room_of(kind, items + 1);
              const MPI_Status status = receives()[r](message, memory, from_any ? kAny : sender);
              CHECK(status.MPI_SOURCE == sender && status.MPI_TAG == tag);
              check_count(status, kind, items);
              CHECK(std::memcmp(memory.data(), sent.data(), kind.extent * static_cast<std::size_t>(items)) == 0);
              CHECK(std::memcmp(memory.data() + kind.extent * static_cast<std::size_t>(items), room_of(kind, 1).data(), kind.extent) == 0);
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
    for (const Kind& kind : kinds()) {
      for (const int items : {0, 1, 3, 9000}) {
        const Bytes mine = items_of(kind, items, 10 + world_rank), theirs = items_of(kind, items, 10 + peer);
        for (int way = 0; way < 4; ++way) {
          Bytes memory = way % 2 == 0 ? room_of(kind, items) : mine;
          MPI_Status status;
          MPI_Request request = MPI_REQUEST_NULL;
          switch (way) {
            case 0:
              CHECK(MPI_Sendrecv(mine.data(), items, kind.type, peer, other, memory.data(), items, kind.type, kAny, other, MPI_COMM_WORLD,
                                 &status) == MPI_SUCCESS);
              break;
            case 1:
              CHECK(MPI_Sendrecv_replace(memory.data(), items, kind.type, peer, other, peer, other, MPI_COMM_WORLD, &status) ==
                    MPI_SUCCESS);
              break;
            case 2:
              CHECK(MPI_Isendrecv(mine.data(), items, kind.type, peer, other, memory.data(), items, kind.type, peer, other, MPI_COMM_WORLD,
                                  &request) == MPI_SUCCESS);
              break;
            default:
              CHECK(MPI_Isendrecv_replace(memory.data(), items, kind.type, peer, other, kAny, other, MPI_COMM_WORLD, &request) ==
                    MPI_SUCCESS);
          }
          if (way >= 2) CHECK(MPI_Wait(&request, &status) == MPI_SUCCESS);
          check_count(status, kind, items);
          CHECK(memory == theirs);
        }
      }
    }
  }
}

// ---- What does not go as it should. Tags: of the test and the sender.

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
      CHECK(MPI_Recv(in, 3, mixed_type(), source, 100 + sender, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
      MPI_Get_count(&status, mixed_type(), &count);
      MPI_Get_elements(&status, mixed_type(), &elements);
      CHECK(count == MPI_UNDEFINED && elements == 6);
      CHECK(in[0].letter == 'a' && in[0].number == -1 && in[0].pair[1] == 3 && in[0].fraction == 4.5);
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
            case 0: CHECK(MPI_Recv(in, 3, MPI_LONG, source, 200 + sender, MPI_COMM_WORLD, &status) == MPI_ERR_TRUNCATE); break;
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
    CHECK(MPI_Isend(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD, &request) == MPI_ERR_CONVERSION && request == MPI_REQUEST_NULL);
    MPI_Buffer_attach(attached, sizeof attached);
    CHECK(MPI_Bsend(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD) == MPI_ERR_CONVERSION);
    MPI_Buffer_detach(&memory, &size);
    long in = 5;
    CHECK(MPI_Sendrecv(&number, 1, MPI_LONG, kRemote, 1, &in, 1, MPI_LONG, kRemote, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
          MPI_ERR_CONVERSION);
    CHECK(in == 5);
    CHECK(MPI_Send_init(&number, 1, MPI_LONG, kRemote, 1, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    CHECK(MPI_Start(&request) == MPI_ERR_CONVERSION);
    number = 7;
    CHECK(MPI_Start(&request) == MPI_SUCCESS && MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
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
    const Kind& kind = kinds()[2];
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
  MPI_Comm home;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank <= kLocal ? 0 : MPI_UNDEFINED, 0, &home);
  if (world_rank == kObserver) return;
  if (world_rank <= kLocal) {
    int size = 0;
    MPI_Pack_size(1, mixed_type(), home, &size);
    CHECK(size == 21);
    MPI_Comm_free(&home);
  }
  Bytes packed(40);
  int size = 0, position = 0;
  MPI_Pack_size(1, mixed_type(), MPI_COMM_WORLD, &size);
  CHECK(size == 21);  // a buffered send to one of the own job takes as much
  CHECK(MPI_Pack(&mixed, 1, mixed_type(), packed.data(), 40, &position, MPI_COMM_WORLD) == MPI_SUCCESS && position == 17);
  CHECK(Bytes(packed.begin(), packed.begin() + 17) == expected);
  const long big = 1L << 40;
  CHECK(MPI_Pack(&big, 1, MPI_LONG, packed.data(), 40, &position, MPI_COMM_WORLD) == MPI_ERR_CONVERSION && position == 17);
  CHECK(MPI_Pack(&mixed, 1, mixed_type(), packed.data(), 33, &position, MPI_COMM_WORLD) == MPI_ERR_TRUNCATE && position == 17);
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
      CHECK(MPI_Recv(packed.data(), 40, MPI_PACKED, 0, tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
      MPI_Get_count(&status, MPI_PACKED, &length);
      CHECK(length == 17);
      position = 0;
      CHECK(MPI_Unpack(packed.data(), length, &position, &got, 1, mixed_type(), MPI_COMM_WORLD) == MPI_SUCCESS && position == 17);
    }
    CHECK(got.letter == 'x' && got.number == -3 && got.pair[0] == 4 && got.pair[1] == 5 && got.fraction == -2.0);
  }
}

// ---- Tags

void tags_end_at_the_bound_of_the_world() {
  lintel::mpi::set_tag_bound(40000);
  int *bound = nullptr, flag = 0, number = 0;
  MPI_Status status;
  MPI_Request request;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag) == MPI_SUCCESS && flag == 1 && *bound == 40000);
  CHECK(MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 40001, MPI_COMM_WORLD) == MPI_ERR_TAG);
  CHECK(MPI_Irecv(&number, 1, MPI_INT, kAny, 40001, MPI_COMM_WORLD, &request) == MPI_ERR_TAG);
  CHECK(MPI_Iprobe(kAny, 40001, MPI_COMM_WORLD, &flag, &status) == MPI_ERR_TAG);
  number = world_rank;
  CHECK(MPI_Sendrecv_replace(&number, 1, MPI_INT, world_rank, 40000, kAny, MPI_ANY_TAG, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
  CHECK(number == world_rank && status.MPI_TAG == 40000);
}

}  // namespace

int main() {
  begin();
  CHECK(world_size == 4);
  set_external_ranks([](int other, int own) { return own != kObserver && (other == kObserver || (other == kRemote) != (own == kRemote)); });
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  numbers_travel_as_external32();
  numbers_are_received_from_external32();
  every_send_meets_every_receive();
  both_directions_at_once();
  part_of_an_item();
  truncated_messages();
  numbers_that_do_not_fit();
  cancelled_receives();
  packed_for_a_communicator();
  tags_end_at_the_bound_of_the_world();
  return MPI_Finalize();
}
