// Version, time, memory, addresses (MPI 5.0, clauses 5.1.5, 9.1, 9.2, 9.6).
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

TEST(Environment, VersionIsThatOfTheHeader) {
  int version = 0;
  int subversion = -1;
  ASSERT_EQ(MPI_Get_version(&version, &subversion), MPI_SUCCESS);
  EXPECT_EQ(version, MPI_VERSION);
  EXPECT_EQ(subversion, MPI_SUBVERSION);
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING);
  int length = 0;
  ASSERT_EQ(MPI_Get_library_version(text.data(), &length), MPI_SUCCESS);
  EXPECT_EQ(std::string(text.data()).rfind("Lintel ", 0), 0U);
  EXPECT_EQ(length, static_cast<int>(std::strlen(text.data())));
  char name[MPI_MAX_PROCESSOR_NAME];
  ASSERT_EQ(MPI_Get_processor_name(name, &length), MPI_SUCCESS);
  EXPECT_EQ(length, static_cast<int>(std::strlen(name)));
  EXPECT_GT(length, 0);
}

TEST(Environment, VersionOfTheStandardAbiIsTheHeaders) {
  int major = 0;
  int minor = -1;
  ASSERT_EQ(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
  EXPECT_EQ(major, MPI_ABI_VERSION);
  EXPECT_EQ(minor, MPI_ABI_SUBVERSION);
  EXPECT_EQ(MPI_Abi_get_version(nullptr, &minor), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pcontrol(1, "profiling"), MPI_SUCCESS);
}

TEST(Environment, TimeGoesForwardByTicks) {
  const double tick = MPI_Wtick();
  EXPECT_GT(tick, 0);
  EXPECT_LT(tick, 1e-3);
  const double begin = MPI_Wtime();
  double now = begin;
  for (int i = 0; i < 100'000'000 && now == begin; ++i) now = MPI_Wtime();
  EXPECT_GT(now, begin);
}

TEST(Environment, MemoryIsAlignedAndUsable) {
  for (const MPI_Aint size : {MPI_Aint{0}, MPI_Aint{1}, MPI_Aint{64}, MPI_Aint{100'000}}) {
    void* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(size, MPI_INFO_NULL, &memory), MPI_SUCCESS);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    std::memset(memory, 1, static_cast<std::size_t>(size));
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
  }
  void* memory = nullptr;
  EXPECT_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Alloc_mem(8, reinterpret_cast<MPI_Info>(77), &memory), MPI_ERR_INFO);
  EXPECT_EQ(memory, nullptr);
}

TEST(Environment, AddressesAreNumbersOfBytes) {
  const int array[4] = {};
  MPI_Aint first = 0;
  MPI_Aint last = 0;
  ASSERT_EQ(MPI_Get_address(&array[0], &first), MPI_SUCCESS);
  ASSERT_EQ(MPI_Get_address(&array[3], &last), MPI_SUCCESS);
  EXPECT_EQ(MPI_Aint_diff(last, first), 12);
  EXPECT_EQ(MPI_Aint_add(first, 12), last);
  EXPECT_EQ(MPI_Aint_add(PTRDIFF_MAX, 1), PTRDIFF_MIN);
  EXPECT_EQ(MPI_Aint_diff(PTRDIFF_MIN, 1), PTRDIFF_MAX);
}

}  // namespace
}  // namespace lintel::mpi
