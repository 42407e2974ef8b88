// Datatypes made with MPI_Count (the ..._c functions; MPI 5.0, clauses 5.1.2 to 5.1.4 and 5.1.13).
#include <gtest/gtest.h>

#include <climits>
#include <functional>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

constexpr MPI_Count kBillions = MPI_Count{3} << 31;

struct LargeTakenApart {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Datatype> types;
  bool operator==(const LargeTakenApart&) const = default;
};

LargeTakenApart take_apart_large(MPI_Datatype type) {
  LargeTakenApart parts;
  MPI_Count integers = -1;
  MPI_Count addresses = -1;
  MPI_Count large_counts = -1;
  MPI_Count types = -1;
  EXPECT_EQ(
      MPI_Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &parts.combiner),
      MPI_SUCCESS);
  parts.integers.resize(static_cast<std::size_t>(integers));
  parts.addresses.resize(static_cast<std::size_t>(addresses));
  parts.large_counts.resize(static_cast<std::size_t>(large_counts));
  parts.types.resize(static_cast<std::size_t>(types));
  EXPECT_EQ(MPI_Type_get_contents_c(type, integers, addresses, large_counts, types,
                                    parts.integers.data(), parts.addresses.data(),
                                    parts.large_counts.data(), parts.types.data()),
            MPI_SUCCESS);
  return parts;
}

struct Form {
  MPI_Count size;
  MPI_Count lower;
  MPI_Count extent;
  bool operator==(const Form&) const = default;
};

Form form_of(MPI_Datatype type) {
  Form form{};
  EXPECT_EQ(MPI_Type_size_c(type, &form.size), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_get_extent_c(type, &form.lower, &form.extent), MPI_SUCCESS);
  return form;
}

const MPI_Count kLengths[2] = {kBillions, 4};
const MPI_Count kPlaces[2] = {0, 5 * kBillions};
const MPI_Datatype kMemberTypes[2] = {MPI_SHORT, MPI_INT};

struct Case {
  const char* name;
  std::function<int(MPI_Datatype*)> make;
  Form form;
  LargeTakenApart parts;
};

std::vector<Case> cases() {
  return {
      {"contiguous",
       [](MPI_Datatype* type) { return MPI_Type_contiguous_c(kBillions, MPI_INT, type); },
       {4 * kBillions, 0, 4 * kBillions},
       {MPI_COMBINER_CONTIGUOUS, {}, {}, {kBillions}, {MPI_INT}}},
      {"vector",
       [](MPI_Datatype* type) { return MPI_Type_vector_c(2, 3, kBillions, MPI_SHORT, type); },
       {12, 0, 2 * kBillions + 6},
       {MPI_COMBINER_VECTOR, {}, {}, {2, 3, kBillions}, {MPI_SHORT}}},
      {"hvector",
       [](MPI_Datatype* type) {
         return MPI_Type_create_hvector_c(2, kBillions, 8 * kBillions, MPI_INT, type);
       },
       {8 * kBillions, 0, 12 * kBillions},
       {MPI_COMBINER_HVECTOR, {}, {}, {2, kBillions, 8 * kBillions}, {MPI_INT}}},
      {"indexed",
       [](MPI_Datatype* type) { return MPI_Type_indexed_c(2, kLengths, kPlaces, MPI_SHORT, type); },
       {2 * kBillions + 8, 0, 10 * kBillions + 8},
       {MPI_COMBINER_INDEXED, {}, {}, {2, kBillions, 4, 0, 5 * kBillions}, {MPI_SHORT}}},
      {"hindexed",
       [](MPI_Datatype* type) {
         return MPI_Type_create_hindexed_c(2, kLengths, kPlaces, MPI_SHORT, type);
       },
       {2 * kBillions + 8, 0, 5 * kBillions + 8},
       {MPI_COMBINER_HINDEXED, {}, {}, {2, kBillions, 4, 0, 5 * kBillions}, {MPI_SHORT}}},
      {"indexed_block",
       [](MPI_Datatype* type) {
         return MPI_Type_create_indexed_block_c(2, 7, kPlaces, MPI_SHORT, type);
       },
       {28, 0, 10 * kBillions + 14},
       {MPI_COMBINER_INDEXED_BLOCK, {}, {}, {2, 7, 0, 5 * kBillions}, {MPI_SHORT}}},
      {"hindexed_block",
       [](MPI_Datatype* type) {
         return MPI_Type_create_hindexed_block_c(2, 7, kPlaces, MPI_SHORT, type);
       },
       {28, 0, 5 * kBillions + 14},
       {MPI_COMBINER_HINDEXED_BLOCK, {}, {}, {2, 7, 0, 5 * kBillions}, {MPI_SHORT}}},
      {"struct",
       [](MPI_Datatype* type) {
         return MPI_Type_create_struct_c(2, kLengths, kPlaces, kMemberTypes, type);
       },
       {2 * kBillions + 16, 0, 5 * kBillions + 16},
       {MPI_COMBINER_STRUCT, {}, {}, {2, kBillions, 4, 0, 5 * kBillions}, {MPI_SHORT, MPI_INT}}},
      {"resized",
       [](MPI_Datatype* type) {
         return MPI_Type_create_resized_c(MPI_INT, -kBillions, 2 * kBillions, type);
       },
       {4, -kBillions, 2 * kBillions},
       {MPI_COMBINER_RESIZED, {}, {}, {-kBillions, 2 * kBillions}, {MPI_INT}}},
  };
}

TEST(LargeCountType, HasTheFormAndTheContentsOfItsArguments) {
  for (const Case& one : cases()) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(one.make(&type), MPI_SUCCESS) << one.name;
    EXPECT_EQ(form_of(type), one.form) << one.name;
    EXPECT_EQ(take_apart_large(type), one.parts) << one.name;
    ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  }
}

TEST(LargeCountType, IsTakenApartByTheLargeFunctionsOnly) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous_c(3, MPI_INT, &type), MPI_SUCCESS);
  int numbers[4] = {-1, -1, -1, -1};
  EXPECT_EQ(MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3]),
            MPI_ERR_TYPE);
  MPI_Datatype part = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_get_contents(type, 1, 1, 1, numbers, nullptr, &part), MPI_ERR_TYPE);
  EXPECT_EQ(numbers[0], -1);
  MPI_Count large = -1;
  EXPECT_EQ(MPI_Type_get_contents_c(type, 0, 0, 0, 1, nullptr, nullptr, &large, &part),
            MPI_ERR_ARG);
  EXPECT_EQ(large, -1);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);

  ASSERT_EQ(MPI_Type_contiguous(3, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart_large(type),
            (LargeTakenApart{MPI_COMBINER_CONTIGUOUS, {3}, {}, {}, {MPI_INT}}))
      << "one of plain counts by both";
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(LargeCountType, SubarrayOfMoreThanAnIntCanSay) {
  const MPI_Count sizes[2] = {kBillions, 10};
  const MPI_Count subsizes[2] = {2, 3};
  const MPI_Count starts[2] = {kBillions - 2, 7};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_BYTE, &type),
            MPI_SUCCESS);
  EXPECT_EQ(form_of(type), (Form{6, 0, 10 * kBillions}));
  MPI_Count lower = -1;
  MPI_Count extent = -1;
  ASSERT_EQ(MPI_Type_get_true_extent_c(type, &lower, &extent), MPI_SUCCESS);
  EXPECT_EQ(lower, 10 * (kBillions - 2) + 7);
  EXPECT_EQ(extent, 13);
  EXPECT_EQ(take_apart_large(type), (LargeTakenApart{MPI_COMBINER_SUBARRAY,
                                                     {2, MPI_ORDER_C},
                                                     {},
                                                     {kBillions, 10, 2, 3, kBillions - 2, 7},
                                                     {MPI_BYTE}}));
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(LargeCountType, SharesOfADistributedArrayAreTheWholeArray) {
  const MPI_Count sizes[1] = {kBillions + 5};
  const int distributions[1] = {MPI_DISTRIBUTE_BLOCK};
  const int arguments[1] = {MPI_DISTRIBUTE_DFLT_DARG};
  const int processes[1] = {3};
  MPI_Count total = 0;
  for (int rank = 0; rank < 3; ++rank) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_create_darray_c(3, rank, 1, sizes, distributions, arguments, processes,
                                       MPI_ORDER_C, MPI_BYTE, &type),
              MPI_SUCCESS);
    total += form_of(type).size;
    EXPECT_EQ(take_apart_large(type), (LargeTakenApart{MPI_COMBINER_DARRAY,
                                                       {3, rank, 1, 17, 19, 3, MPI_ORDER_C},
                                                       {},
                                                       {kBillions + 5},
                                                       {MPI_BYTE}}));
    ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  }
  EXPECT_EQ(total, kBillions + 5);
}

// Blocks so large that number times size exceeds 63 bits: the first ranks have everything.
TEST(LargeCountType, SharesBeyondAllIndicesAreEmpty) {
  const MPI_Count sizes[1] = {INT64_MAX / 2};
  const int distributions[1] = {MPI_DISTRIBUTE_BLOCK};
  const int arguments[1] = {MPI_DISTRIBUTE_DFLT_DARG};
  const int processes[1] = {INT_MAX};
  const auto size_at = [&](int rank) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_create_darray_c(INT_MAX, rank, 1, sizes, distributions, arguments, processes,
                                       MPI_ORDER_C, MPI_BYTE, &type),
              MPI_SUCCESS);
    const MPI_Count size = form_of(type).size;
    EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    return size;
  };
  const MPI_Count block = (sizes[0] - 1) / INT_MAX + 1;
  EXPECT_EQ(size_at(0), block);
  const MPI_Count last = (sizes[0] - 1) / block;
  EXPECT_EQ(size_at(static_cast<int>(last)), sizes[0] - last * block);
  if (last < INT_MAX - 1) {
    EXPECT_EQ(size_at(INT_MAX - 1), 0);
  }
}

TEST(LargeCountType, NumbersThatLeaveSixtyThreeBitsAreRefused) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_contiguous_c(INT64_MAX, MPI_INT, &type), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(MPI_Type_contiguous_c(-1, MPI_INT, &type), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_vector_c(2, 1, INT64_MAX, MPI_INT, &type), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(MPI_Type_vector_c(2, -1, 3, MPI_INT, &type), MPI_ERR_ARG);
  EXPECT_EQ(type, MPI_DATATYPE_NULL);
}

TEST(ValueIndexType, IsThePredefinedPair) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(type, MPI_DOUBLE_INT);
  ASSERT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(type, MPI_2INT);
  ASSERT_EQ(MPI_Type_get_value_index(MPI_REAL, MPI_REAL, &type), MPI_SUCCESS);
  EXPECT_EQ(type, MPI_2REAL);
  ASSERT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &type), MPI_SUCCESS);
  EXPECT_EQ(type, MPI_DATATYPE_NULL);
  EXPECT_EQ(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &type), MPI_ERR_TYPE);
}

}  // namespace
}  // namespace lintel::mpi
