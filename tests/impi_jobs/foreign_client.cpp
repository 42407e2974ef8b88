// Client 1 (ranks 3 and 4) stands for another MPI than clients 0 and 2. It calls no collective
// function but sends and receives what IMPI's text says, written here by hand for three masters
// that communicate directly with one rank. All must get their results, and client 1 no other
// messages.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "mpi_layer/mpi/runtime/runtime.h"
#include "mpi_layer/mpi/runtime/team.h"
#include "tests/mpi_layer/programs/check.h"

namespace {

using namespace lintel::mpi;

constexpr int kRanks = 8;
constexpr int kFirst = 3, kSecond = 4;      // client 1
constexpr int kMasters[] = {0, kFirst, 5};  // rank 3 is master 1
constexpr std::int32_t kBarrier = 110, kBroadcast = 120, kReduce = 190, kEnd = 7;
constexpr std::uint32_t kMessages = 0, kCollectives = 1;  // contexts of MPI_COMM_WORLD
constexpr int kCount = 1000;

// The context in which client 1 reduces: as IMPI has it, or as LAM/MPI does.
std::uint32_t reduce_context() {
  return std::getenv("TEST_IMPI_REDUCING_AMONG_MESSAGES") != nullptr ? kMessages : kCollectives;
}

bool is_foreign() { return world_rank == kFirst || world_rank == kSecond; }
int client_of(int rank) { return rank < kFirst ? 0 : rank <= kSecond ? 1 : 2; }

void send(int to, std::int32_t tag, const std::vector<int>& numbers,
          std::uint32_t context = kCollectives) {
  SendRequest request;
  const SendArguments arguments{numbers.data(),     numbers.size() * sizeof(int), to, context, tag,
                                SendMode::kStandard};
  CHECK(runtime().messenger().send(arguments, request) == CallError::kNone);
  runtime().messenger().wait(request);
  CHECK(request.result().failure == RequestFailure::kNone);
}

std::vector<int> receive(int from, std::int32_t tag, std::size_t count,
                         std::uint32_t context = kCollectives) {
  std::vector<int> numbers(count, -1);
  ReceiveRequest request;
  const ReceiveArguments arguments{numbers.data(), count * sizeof(int), from, context, tag};
  CHECK(runtime().messenger().receive_and_wait(arguments, request) == CallError::kNone);
  CHECK(request.result().failure == RequestFailure::kNone &&
        request.result().length == count * sizeof(int));
  return numbers;
}

int own_number(int rank, int i) { return (rank + 1) * 1000003 + i; }
std::vector<int> own_numbers(int rank) {
  std::vector<int> numbers;
  for (int i = 0; i < kCount; ++i) numbers.push_back(own_number(rank, i));
  return numbers;
}
void add(std::vector<int>& sum, const std::vector<int>& other) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
}
std::vector<int> sum_of_all() {
  std::vector<int> sum(kCount, 0);
  for (int rank = 0; rank < kRanks; ++rank) add(sum, own_numbers(rank));
  return sum;
}
// in - 3 inout, which does not commute.
void combine(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] =
        static_cast<int*>(in)[i] % 1000 - static_cast<int*>(inout)[i] % 300;
}
std::vector<int> combined_from_the_last() {
  std::vector<int> result = own_numbers(kRanks - 1);
  int count = kCount;
  for (int rank = kRanks - 2; rank >= 0; --rank)
    combine(own_numbers(rank).data(), result.data(), &count, nullptr);
  return result;
}

// ---- The foreign client

void foreign_barrier() {
  if (world_rank != kFirst) return;
  send(0, kBarrier, {});
  receive(0, kBarrier, 0);
}

// Between its own two ranks it uses tags of its own.
void foreign_broadcast(int root) {
  constexpr std::int32_t kLocal = 5;
  const int head = client_of(root) == 1 ? root : kFirst;
  const int other = kFirst + kSecond - head;
  std::vector<int> numbers = own_numbers(root);
  if (world_rank == root) {
    for (const int master : kMasters) {
      if (client_of(master) != 1) send(master, kBroadcast, numbers);
    }
  } else if (world_rank == head) {
    numbers = receive(root, kBroadcast, kCount);
  }
  if (world_rank == head) {
    send(other, kLocal, numbers);
  } else {
    numbers = receive(head, kLocal, kCount);
  }
  CHECK(numbers == own_numbers(root));
}

void foreign_sum(int root) {
  constexpr std::int32_t kLocal = 6;
  const int head = client_of(root) == 1 ? root : kFirst;
  if (world_rank != head) return send(head, kLocal, own_numbers(world_rank));
  std::vector<int> sum = own_numbers(head);
  add(sum, receive(kFirst + kSecond - head, kLocal, kCount));
  if (head != root) return send(root, kReduce, sum, reduce_context());
  for (const int master : kMasters) {
    if (client_of(master) != 1) add(sum, receive(master, kReduce, kCount, reduce_context()));
  }
  CHECK(sum == sum_of_all());
}

void foreign_reduction_in_order(int root) {
  if (world_rank != root) return send(root, kReduce, own_numbers(world_rank), reduce_context());
  std::vector<int> result = own_numbers(kRanks - 1);
  if (root != kRanks - 1) result = receive(kRanks - 1, kReduce, kCount, reduce_context());
  int count = kCount;
  for (int rank = kRanks - 2; rank >= 0; --rank) {
    std::vector<int> in =
        rank == root ? own_numbers(root) : receive(rank, kReduce, kCount, reduce_context());
    combine(in.data(), result.data(), &count, nullptr);
  }
  CHECK(result == combined_from_the_last());
}

// When this has arrived, everything sent before has arrived too, and all of it was received.
void nothing_is_left() {
  for (const std::uint32_t context : {kMessages, kCollectives}) {
    for (int rank = 0; rank < kRanks; ++rank) {
      if (client_of(rank) == 1) continue;
      receive(rank, kEnd, 0, context);
      for (const std::int32_t tag : {kAnyTag, Team::kCollectiveTag}) {
        bool found = true;
        MessageResult envelope;
        CHECK(runtime().messenger().iprobe({rank, context, tag}, found, envelope) ==
                  CallError::kNone &&
              !found);
      }
    }
  }
}

// ---- The other clients

void broadcast(int root) {
  std::vector<int> numbers = world_rank == root ? own_numbers(root) : std::vector<int>(kCount, -1);
  CHECK(MPI_Bcast(numbers.data(), kCount, MPI_INT, root, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(numbers == own_numbers(root));
}

void reduce(int root, MPI_Op op, const std::vector<int>& expected) {
  const std::vector<int> own = own_numbers(world_rank);
  std::vector<int> result(kCount, -1);
  CHECK(MPI_Reduce(own.data(), result.data(), kCount, MPI_INT, op, root, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(result == (world_rank == root ? expected : std::vector<int>(kCount, -1)));
}

void reduce_to_all() {
  const std::vector<int> own = own_numbers(world_rank);
  std::vector<int> result(kCount, -1);
  CHECK(MPI_Allreduce(own.data(), result.data(), kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(result == sum_of_all());
}

}  // namespace

int main() {
  begin();
  CHECK(world_size == kRanks);
  MPI_Op in_order;
  MPI_Op_create(combine, 0, &in_order);
  for (int root = 0; root < kRanks; ++root) {
    if (is_foreign()) {
      foreign_barrier();
      foreign_broadcast(root);
      foreign_sum(root);
      foreign_reduction_in_order(root);
    } else {
      CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
      broadcast(root);
      reduce(root, MPI_SUM, sum_of_all());
      reduce(root, in_order, combined_from_the_last());
    }
  }
  if (is_foreign()) {  // an allreduce is a reduction to rank 0 and a broadcast from there
    foreign_sum(0);
    if (world_rank == kFirst) CHECK(receive(0, kBroadcast, kCount) == sum_of_all());
    nothing_is_left();
    for (int rank = 0; rank < kRanks; ++rank) {
      if (client_of(rank) != 1) send(rank, kEnd, {});
    }
  } else {
    reduce_to_all();
    for (const std::uint32_t context : {kMessages, kCollectives}) {
      for (const int rank : {kFirst, kSecond}) send(rank, kEnd, {}, context);
    }
    for (const int rank : {kFirst, kSecond}) receive(rank, kEnd, 0);
  }
  return MPI_Finalize();
}
