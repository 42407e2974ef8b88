// Many threads on the same objects and tables at once (MPI_THREAD_MULTIPLE). Mainly for the thread
// sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 300;

template <class Body>
void on_threads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([=] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, MakeUseAndFreeTypesOfOneAnother) {
  MPI_Datatype shared = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(3, 1, 2, MPI_INT, &shared), MPI_SUCCESS);
  std::atomic<int> wrong{0};
  on_threads([&, shared](int thread) {
    const int numbers[6] = {thread, -1, thread + 1, -1, thread + 2, -1};
    for (int round = 0; round < kRounds; ++round) {
      MPI_Datatype own = MPI_DATATYPE_NULL;
      MPI_Datatype mutable_shared = shared;
      int packed[3] = {};
      int position = 0;
      const bool ok = MPI_Type_commit(&mutable_shared) == MPI_SUCCESS &&
                      MPI_Type_contiguous(1, shared, &own) == MPI_SUCCESS &&
                      MPI_Type_commit(&own) == MPI_SUCCESS &&
                      MPI_Pack(numbers, 1, own, packed, sizeof packed, &position, MPI_COMM_WORLD) ==
                          MPI_SUCCESS &&
                      packed[2] == thread + 2 &&
                      MPI_Type_set_name(shared, "shared") == MPI_SUCCESS &&
                      MPI_Type_free(&own) == MPI_SUCCESS;
      if (!ok) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  ASSERT_EQ(MPI_Type_free(&shared), MPI_SUCCESS);
}

TEST(Threads, OfThoseThatFreeOneHandleOneDoes) {
  for (int round = 0; round < kRounds; ++round) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &type), MPI_SUCCESS);
    std::atomic<int> freed{0};
    on_threads([&, type](int) {
      MPI_Datatype handle = type;
      if (MPI_Type_free(&handle) == MPI_SUCCESS) ++freed;
    });
    ASSERT_EQ(freed, 1);
  }
}

TEST(Threads, ShareKeysInfosAndErrorCodes) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &type), MPI_SUCCESS);
  std::atomic<int> wrong{0};
  on_threads([&, info, type](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      int key = 0;
      int flag = 0;
      int code = 0;
      int error_class = 0;
      void* value = nullptr;
      char text[8];
      const bool ok = MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key,
                                             nullptr) == MPI_SUCCESS &&
                      MPI_Type_set_attr(type, key, &wrong) == MPI_SUCCESS &&
                      MPI_Type_get_attr(type, key, &value, &flag) == MPI_SUCCESS &&
                      value == &wrong && MPI_Type_delete_attr(type, key) == MPI_SUCCESS &&
                      MPI_Type_free_keyval(&key) == MPI_SUCCESS &&
                      MPI_Info_set(info, "key", thread % 2 == 0 ? "even" : "odd") == MPI_SUCCESS &&
                      MPI_Info_get(info, "key", 7, text, &flag) == MPI_SUCCESS && flag == 1 &&
                      MPI_Add_error_code(MPI_ERR_OTHER, &code) == MPI_SUCCESS &&
                      MPI_Error_class(code, &error_class) == MPI_SUCCESS &&
                      error_class == MPI_ERR_OTHER;
      if (!ok) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  ASSERT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
