// Counts and displacements beyond 2 and 4 GiB. The memory is reserved, not used: only the pages
// that a range touches exist.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <climits>
#include <cstring>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

class Reserved {
 public:
  explicit Reserved(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Reserved() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  bool ok() const { return memory_ != MAP_FAILED; }
  std::uint8_t* begin() { return static_cast<std::uint8_t*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

// Every eighth byte, 6 GiB apart from first to last: count items of 1 byte with an extent of 8.
MPI_Datatype sparse_type() {
  MPI_Datatype byte = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_create_resized(MPI_BYTE, 0, 8, &byte), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_contiguous(static_cast<int>(6 * kGiB / 8), byte, &type), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&byte), MPI_SUCCESS);
  return type;
}

TEST(HugeType, AnyRangeOfALargeLayoutIsReachedAtOnce) {
  Reserved memory(6 * kGiB);
  if (!memory.ok()) GTEST_SKIP() << "6 GiB of address space cannot be reserved here";
  MPI_Datatype handle = sparse_type();
  const DatatypeRef type = find_datatype(handle);
  EXPECT_EQ(type->shape().layout->runs().size(), 1U);
  const Items items = type->items(reinterpret_cast<std::uintptr_t>(memory.begin()), 1);
  for (const std::int64_t from :
       {std::int64_t{0}, 2 * kGiB / 8 - 2, 4 * kGiB / 8 - 2, 6 * kGiB / 8 - 4}) {
    const std::array<std::byte, 4> data = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    unpack(items, from, data);
    for (std::int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(memory.begin()[(from + i) * 8], static_cast<std::uint8_t>(i + 1));
    std::array<std::byte, 4> again{};
    pack(items, from, again);
    EXPECT_EQ(again, data);
  }
  ASSERT_EQ(MPI_Type_free(&handle), MPI_SUCCESS);
}

TEST(HugeType, ItemsBeyond4GiBAreFound) {
  Reserved memory(6 * kGiB);
  if (!memory.ok()) GTEST_SKIP() << "6 GiB of address space cannot be reserved here";
  // A type with a hole, so that it is not one block: 5 items of it span 5 GiB and more.
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  const int lengths[2] = {1, 1};
  const MPI_Aint displacements[2] = {0, kGiB};
  ASSERT_EQ(MPI_Type_create_hindexed(2, lengths, displacements, MPI_INT, &handle), MPI_SUCCESS);
  const DatatypeRef type = find_datatype(handle);
  for (std::int64_t item = 0; item < 5; ++item) {
    const int first = static_cast<int>(100 + item);
    std::memcpy(memory.begin() + item * (kGiB + 4), &first, 4);
  }
  const Items items = type->items(reinterpret_cast<std::uintptr_t>(memory.begin()), 5);
  for (std::int64_t item = 0; item < 5; ++item) {
    int value = 0;
    pack(items, item * 8, std::as_writable_bytes(std::span(&value, 1)));
    EXPECT_EQ(value, 100 + item);
  }
  ASSERT_EQ(MPI_Type_free(&handle), MPI_SUCCESS);
}

TEST(HugeType, LayoutsOfManyItemsStaySmall) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Datatype plane = MPI_DATATYPE_NULL;
  MPI_Datatype all = MPI_DATATYPE_NULL;
  const int lengths[2] = {1, 2};
  const int displacements[2] = {0, 2};
  ASSERT_EQ(MPI_Type_indexed(2, lengths, displacements, MPI_INT, &pair), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_hvector(1'000'000, 1, 20, pair, &row), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_hvector(1'000'000, 1, 24'000'000, row, &plane), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(1000, plane, &all), MPI_SUCCESS);
  const Layout* layout = find_datatype(all)->shape().layout.get();
  int depth = 0;
  for (; layout != nullptr; layout = layout->runs()[0].nested.get(), ++depth)
    EXPECT_LE(layout->runs().size(), 256U);
  EXPECT_LE(depth, 5);
  MPI_Count size = 0;
  ASSERT_EQ(MPI_Type_size_c(all, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_Count{12} * 1'000'000 * 1'000'000 * 1000);
  for (MPI_Datatype* type : {&pair, &row, &plane, &all})
    ASSERT_EQ(MPI_Type_free(type), MPI_SUCCESS);
}

TEST(HugeType, CountsOfReceivedItemsNeed64Bits) {
  MPI_Status status = {};
  ASSERT_EQ(MPI_Status_set_elements_x(&status, MPI_DOUBLE, 5 * kGiB), MPI_SUCCESS);
  int count = 0;
  MPI_Count wide = 0;
  ASSERT_EQ(MPI_Get_count(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_UNDEFINED);
  ASSERT_EQ(MPI_Get_count_c(&status, MPI_DOUBLE, &wide), MPI_SUCCESS);
  EXPECT_EQ(wide, 5 * kGiB);
  ASSERT_EQ(MPI_Get_elements(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_UNDEFINED);
  MPI_Datatype large = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(1 << 30, MPI_DOUBLE, &large), MPI_SUCCESS);
  ASSERT_EQ(MPI_Get_count(&status, large, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 5);
  ASSERT_EQ(MPI_Type_free(&large), MPI_SUCCESS);
}

TEST(HugeType, AChainOfTypesEndsWithoutRecursion) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(MPI_INT, &type), MPI_SUCCESS);
  for (int i = 0; i < 200'000; ++i) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_contiguous(1, type, &next), MPI_SUCCESS);
    ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    type = next;
  }
  EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
