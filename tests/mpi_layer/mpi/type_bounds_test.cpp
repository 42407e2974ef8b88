// Bounds, extents and sizes in cases that the standard names (MPI 5.0, clauses 5.1.1 to 5.1.9), and
// arguments that make no valid type.
#include <gtest/gtest.h>

#include <climits>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

struct Bounds {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  bool operator==(const Bounds&) const = default;
};

// Returns the bounds of `type` and frees it.
Bounds bounds_of(MPI_Datatype type) {
  Bounds bounds;
  EXPECT_EQ(MPI_Type_get_extent(type, &bounds.lower, &bounds.extent), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_get_true_extent(type, &bounds.true_lower, &bounds.true_extent), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  return bounds;
}

MPI_Datatype structure(const std::vector<int>& lengths, const std::vector<MPI_Aint>& displacements,
                       const std::vector<MPI_Datatype>& types) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(),
                                   displacements.data(), types.data(), &type),
            MPI_SUCCESS);
  return type;
}

TEST(TypeBounds, AStructureIsPaddedAsInC) {
  EXPECT_EQ(bounds_of(structure({1, 1}, {0, 8}, {MPI_DOUBLE, MPI_CHAR})), (Bounds{0, 16, 0, 9}));
  EXPECT_EQ(bounds_of(structure({1, 1}, {0, 4}, {MPI_INT, MPI_SHORT})), (Bounds{0, 8, 0, 6}));
  EXPECT_EQ(bounds_of(structure({1, 2}, {0, 1}, {MPI_CHAR, MPI_CHAR})), (Bounds{0, 3, 0, 3}));
}

TEST(TypeBounds, PairsLieAsInC) {
  struct DoubleInt {
    double value;
    int index;
  };
  struct LongDoubleInt {
    long double value;
    int index;
  };
  MPI_Aint lower = -1;
  MPI_Aint extent = -1;
  int size = -1;
  ASSERT_EQ(MPI_Type_get_extent(MPI_DOUBLE_INT, &lower, &extent), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_size(MPI_DOUBLE_INT, &size), MPI_SUCCESS);
  EXPECT_EQ(extent, static_cast<MPI_Aint>(sizeof(DoubleInt)));
  EXPECT_EQ(size, 12);
  ASSERT_EQ(MPI_Type_get_extent(MPI_LONG_DOUBLE_INT, &lower, &extent), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_size(MPI_LONG_DOUBLE_INT, &size), MPI_SUCCESS);
  EXPECT_EQ(extent, static_cast<MPI_Aint>(sizeof(LongDoubleInt)));
  EXPECT_EQ(size, 20);
}

TEST(TypeBounds, MarkersOfAPartDecideThoseOfTheWhole) {
  MPI_Datatype marked = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_resized(MPI_INT, -3, 9, &marked), MPI_SUCCESS);
  // The int at 100 is outside of the bounds, which are only those of the marked part.
  EXPECT_EQ(bounds_of(structure({1, 1}, {0, 100}, {marked, MPI_INT})), (Bounds{-3, 9, 0, 104}));
  MPI_Datatype twice = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, marked, &twice), MPI_SUCCESS);
  EXPECT_EQ(bounds_of(twice), (Bounds{-3, 18, 0, 13}));
  EXPECT_EQ(bounds_of(marked), (Bounds{-3, 9, 0, 4}));
}

TEST(TypeBounds, AnExtentMayBeNegative) {
  MPI_Datatype backward = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_resized(MPI_INT, 0, -4, &backward), MPI_SUCCESS);
  MPI_Datatype three = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(3, backward, &three), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_commit(&three), MPI_SUCCESS);
  const int numbers[3] = {1, 2, 3};
  int packed[3] = {};
  int position = 0;
  ASSERT_EQ(MPI_Pack(&numbers[2], 1, three, packed, sizeof packed, &position, MPI_COMM_SELF),
            MPI_SUCCESS);
  EXPECT_EQ(packed[0], 3);
  EXPECT_EQ(packed[1], 2);
  EXPECT_EQ(packed[2], 1);
  EXPECT_EQ(bounds_of(three), (Bounds{-8, 4, -8, 12}));
  ASSERT_EQ(MPI_Type_free(&backward), MPI_SUCCESS);
}

TEST(TypeBounds, EmptyTypesAreLegal) {
  MPI_Datatype none = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(0, MPI_DOUBLE, &none), MPI_SUCCESS);
  int size = -1;
  ASSERT_EQ(MPI_Type_size(none, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 0);
  MPI_Datatype many = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(INT_MAX, INT_MAX, INT_MAX, none, &many), MPI_SUCCESS);
  EXPECT_EQ(bounds_of(many), Bounds{});
  EXPECT_EQ(bounds_of(structure({}, {}, {})), Bounds{});
  EXPECT_EQ(bounds_of(none), Bounds{});
}

TEST(TypeBounds, WhatLeaves63BitsIsNoType) {
  MPI_Datatype large = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &large), MPI_SUCCESS);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_contiguous(INT_MAX, large, &made), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(MPI_Type_create_hvector(3, 1, PTRDIFF_MAX / 2, MPI_INT, &made),
            MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(MPI_Type_create_resized(MPI_INT, PTRDIFF_MAX, 1, &made), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(MPI_Type_vector(2, INT_MAX, INT_MAX, large, &made), MPI_ERR_VALUE_TOO_LARGE);
  const int one = 1;
  const MPI_Aint far = PTRDIFF_MAX - 2;
  EXPECT_EQ(MPI_Type_create_hindexed(1, &one, &far, MPI_INT, &made), MPI_ERR_VALUE_TOO_LARGE);
  const int lengths[2] = {1, 1};
  const MPI_Aint ends[2] = {PTRDIFF_MIN, PTRDIFF_MAX - 4};
  EXPECT_EQ(MPI_Type_create_hindexed(2, lengths, ends, MPI_INT, &made), MPI_ERR_VALUE_TOO_LARGE);
  EXPECT_EQ(made, MPI_DATATYPE_NULL);
  ASSERT_EQ(MPI_Type_free(&large), MPI_SUCCESS);
}

TEST(TypeBounds, DisplacementsAtTheEdgeOf63BitsMakeTypes) {
  const MPI_Aint far = PTRDIFF_MAX / 2 + 1;  // 2^62
  MPI_Datatype two = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_hvector(2, 1, far, MPI_INT, &two), MPI_SUCCESS);
  MPI_Datatype moved = MPI_DATATYPE_NULL;
  const MPI_Aint back = -far;
  ASSERT_EQ(MPI_Type_create_hindexed_block(1, 1, &back, two, &moved), MPI_SUCCESS);
  EXPECT_EQ(bounds_of(moved), (Bounds{-far, far + 4, -far, far + 4}));
  ASSERT_EQ(MPI_Type_create_hvector(2, 1, -far, MPI_INT, &moved), MPI_SUCCESS);
  EXPECT_EQ(bounds_of(moved), (Bounds{-far, far + 4, -far, far + 4}));
  // Copies between runs of large strides, in every way that runs can overlap.
  MPI_Datatype row = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_hvector(3, 1, far / 4, MPI_INT, &row), MPI_SUCCESS);
  for (const MPI_Aint stride : {far / 4 * 3, far, -far, far / 8, MPI_Aint{4}}) {
    for (const int count : {2, 300}) {
      const bool fits = stride == 4 || count == 2;
      ASSERT_EQ(MPI_Type_create_hvector(count, 1, stride, row, &moved),
                fits ? MPI_SUCCESS : MPI_ERR_VALUE_TOO_LARGE)
          << stride;
      if (!fits) continue;
      MPI_Count size = 0;
      ASSERT_EQ(MPI_Type_size_c(moved, &size), MPI_SUCCESS);
      EXPECT_EQ(size, 12 * count);
      ASSERT_EQ(MPI_Type_free(&moved), MPI_SUCCESS);
    }
  }
  const MPI_Aint places[4] = {0, far / 2, far, far / 2 * 3};
  ASSERT_EQ(MPI_Type_create_hindexed_block(4, 1, places, MPI_INT, &moved), MPI_SUCCESS);
  EXPECT_EQ(bounds_of(moved), (Bounds{0, far / 2 * 3 + 4, 0, far / 2 * 3 + 4}));
  ASSERT_EQ(MPI_Type_free(&row), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&two), MPI_SUCCESS);
}

TEST(TypeBounds, SizesThatNoIntHoldsAreUndefinedThere) {
  MPI_Datatype large = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &large), MPI_SUCCESS);
  int size = 0;
  ASSERT_EQ(MPI_Type_size(large, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_UNDEFINED);
  MPI_Count wide = 0;
  ASSERT_EQ(MPI_Type_size_c(large, &wide), MPI_SUCCESS);
  EXPECT_EQ(wide, 8 * MPI_Count{INT_MAX});
  ASSERT_EQ(MPI_Type_free(&large), MPI_SUCCESS);
}

TEST(TypeBounds, WrongArgumentsMakeNoType) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int lengths[2] = {1, -1};
  const int displacements[2] = {0, 0};
  const MPI_Aint addresses[2] = {0, 0};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};
  const int ones[2] = {1, 1};
  EXPECT_EQ(MPI_Type_contiguous(-1, MPI_INT, &made), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_contiguous(1, MPI_INT, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_vector(-1, 1, 1, MPI_INT, &made), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_vector(1, -1, 1, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_hvector(1, -1, 1, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_indexed(2, lengths, displacements, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_indexed(2, nullptr, displacements, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_indexed(-2, lengths, displacements, MPI_INT, &made), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_indexed_block(2, -1, displacements, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_hindexed_block(2, 1, nullptr, MPI_INT, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_struct(2, ones, addresses, types, &made), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Type_create_struct(1, lengths + 1, addresses, types, &made), MPI_ERR_ARG);
  EXPECT_EQ(made, MPI_DATATYPE_NULL);
}

TEST(TypeBounds, MatchingASizeFindsTheFortranType) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type), MPI_SUCCESS);
  EXPECT_EQ(type, MPI_REAL8);
  ASSERT_EQ(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &type), MPI_SUCCESS);
  EXPECT_EQ(type, MPI_COMPLEX8);
  EXPECT_EQ(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_match_size(-1, 4, &type), MPI_ERR_ARG);
  EXPECT_EQ(type, MPI_COMPLEX8);
}

}  // namespace
}  // namespace lintel::mpi
