// MPI_Pack, MPI_Unpack, MPI_Pack_size (MPI 5.0, clause 5.2).
#include <gtest/gtest.h>

#include <array>

#include "mpi.h"

namespace lintel::mpi {
namespace {

TEST(Pack, PositionMovesThroughItemsOfSeveralTypes) {
  const int number = 7;
  const double fraction = 2.5;
  std::array<char, 32> buffer{};
  int position = 0;
  ASSERT_EQ(MPI_Pack(&number, 1, MPI_INT, buffer.data(), 32, &position, MPI_COMM_WORLD),
            MPI_SUCCESS);
  ASSERT_EQ(MPI_Pack(&fraction, 1, MPI_DOUBLE, buffer.data(), 32, &position, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(position, 12);
  int number_again = 0;
  double fraction_again = 0;
  position = 0;
  ASSERT_EQ(MPI_Unpack(buffer.data(), 32, &position, &number_again, 1, MPI_INT, MPI_COMM_WORLD),
            MPI_SUCCESS);
  ASSERT_EQ(
      MPI_Unpack(buffer.data(), 32, &position, &fraction_again, 1, MPI_DOUBLE, MPI_COMM_WORLD),
      MPI_SUCCESS);
  EXPECT_EQ(number_again, 7);
  EXPECT_EQ(fraction_again, 2.5);
}

TEST(Pack, AtAddressesFromTheBottomOfMemory) {
  const int first = 1;
  const int second = 2;
  MPI_Aint addresses[2];
  ASSERT_EQ(MPI_Get_address(&first, &addresses[0]), MPI_SUCCESS);
  ASSERT_EQ(MPI_Get_address(&second, &addresses[1]), MPI_SUCCESS);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_hindexed_block(2, 1, addresses, MPI_INT, &type), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  int packed[2] = {};
  int position = 0;
  ASSERT_EQ(MPI_Pack(MPI_BOTTOM, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(packed[0], 1);
  EXPECT_EQ(packed[1], 2);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(Pack, SizeIsExact) {
  int size = -1;
  ASSERT_EQ(MPI_Pack_size(3, MPI_SHORT_INT, MPI_COMM_WORLD, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 18);
  MPI_Count wide = -1;
  ASSERT_EQ(MPI_Pack_size_c(MPI_Count{1} << 33, MPI_INT, MPI_COMM_WORLD, &wide), MPI_SUCCESS);
  EXPECT_EQ(wide, MPI_Count{1} << 35);
  EXPECT_EQ(MPI_Pack_size_c(MPI_Count{1} << 62, MPI_INT, MPI_COMM_WORLD, &wide),
            MPI_ERR_VALUE_TOO_LARGE);
  ASSERT_EQ(MPI_Pack_size(2147483647, MPI_INT, MPI_COMM_WORLD, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_UNDEFINED);
}

TEST(Pack, WrongArgumentsMoveNothing) {
  const int numbers[4] = {1, 2, 3, 4};
  std::array<char, 16> buffer{};
  int position = 4;
  EXPECT_EQ(MPI_Pack(numbers, 4, MPI_INT, buffer.data(), 16, &position, MPI_COMM_WORLD),
            MPI_ERR_TRUNCATE);
  EXPECT_EQ(MPI_Pack(numbers, -1, MPI_INT, buffer.data(), 16, &position, MPI_COMM_WORLD),
            MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Pack(numbers, 1, MPI_DATATYPE_NULL, buffer.data(), 16, &position, MPI_COMM_WORLD),
            MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Pack(numbers, 1, MPI_INT, buffer.data(), 16, &position, MPI_COMM_NULL),
            MPI_ERR_COMM);
  EXPECT_EQ(MPI_Pack(numbers, 1, MPI_INT, buffer.data(), 16, nullptr, MPI_COMM_WORLD), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pack(nullptr, 1, MPI_INT, buffer.data(), 16, &position, MPI_COMM_WORLD),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Pack(numbers, 1, MPI_INT, nullptr, 16, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
  EXPECT_EQ(position, 4);
  EXPECT_EQ(buffer, (std::array<char, 16>{}));
  int outside = 17;
  EXPECT_EQ(MPI_Pack(numbers, 0, MPI_INT, buffer.data(), 16, &outside, MPI_COMM_WORLD),
            MPI_ERR_ARG);
  outside = -1;
  EXPECT_EQ(MPI_Unpack(buffer.data(), 16, &outside, nullptr, 0, MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_ARG);
  int target[4] = {9, 9, 9, 9};
  EXPECT_EQ(MPI_Unpack(buffer.data(), 16, &position, target, 4, MPI_INT, MPI_COMM_WORLD),
            MPI_ERR_TRUNCATE);
  EXPECT_EQ(target[0], 9);
}

TEST(Pack, OfATypeThatIsNotCommittedIsRefused) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &type), MPI_SUCCESS);
  const int numbers[2] = {1, 2};
  int packed[2] = {};
  int position = 0;
  EXPECT_EQ(MPI_Pack(numbers, 1, type, packed, 8, &position, MPI_COMM_WORLD), MPI_ERR_TYPE);
  ASSERT_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(type, &copy), MPI_SUCCESS);
  EXPECT_EQ(MPI_Pack(numbers, 1, copy, packed, 8, &position, MPI_COMM_WORLD), MPI_SUCCESS)
      << "a copy of a committed type is committed";
  EXPECT_EQ(packed[1], 2);
  ASSERT_EQ(MPI_Type_free(&copy), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
