// MPI_Type_get_envelope and MPI_Type_get_contents (MPI 5.0, clause 5.1.13), names.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

struct TakenApart {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
  bool operator==(const TakenApart&) const = default;
};

// Returns envelope and contents of `type` and frees it. The parts are predefined here.
TakenApart take_apart(MPI_Datatype type) {
  TakenApart parts;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  EXPECT_EQ(MPI_Type_get_envelope(type, &integers, &addresses, &types, &parts.combiner),
            MPI_SUCCESS);
  parts.integers.resize(static_cast<std::size_t>(integers));
  parts.addresses.resize(static_cast<std::size_t>(addresses));
  parts.types.resize(static_cast<std::size_t>(types));
  EXPECT_EQ(MPI_Type_get_contents(type, integers, addresses, types, parts.integers.data(),
                                  parts.addresses.data(), parts.types.data()),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  return parts;
}

TEST(TypeContents, AreTheArgumentsOfEachConstructor) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int lengths[2] = {3, 4};
  const int displacements[2] = {5, -6};
  const MPI_Aint addresses[2] = {7, -8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};

  ASSERT_EQ(MPI_Type_contiguous(3, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_CONTIGUOUS, {3}, {}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_dup(MPI_FLOAT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_DUP, {}, {}, {MPI_FLOAT}}));
  ASSERT_EQ(MPI_Type_vector(2, 3, -4, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_VECTOR, {2, 3, -4}, {}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_create_hvector(2, 3, -4, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_HVECTOR, {2, 3}, {-4}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_indexed(2, lengths, displacements, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_INDEXED, {2, 3, 4, 5, -6}, {}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_HINDEXED, {2, 3, 4}, {7, -8}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_create_indexed_block(2, 9, displacements, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type),
            (TakenApart{MPI_COMBINER_INDEXED_BLOCK, {2, 9, 5, -6}, {}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_create_hindexed_block(2, 9, addresses, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type),
            (TakenApart{MPI_COMBINER_HINDEXED_BLOCK, {2, 9}, {7, -8}, {MPI_INT}}));
  ASSERT_EQ(MPI_Type_create_struct(2, lengths, addresses, types, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type),
            (TakenApart{MPI_COMBINER_STRUCT, {2, 3, 4}, {7, -8}, {MPI_INT, MPI_DOUBLE}}));
  ASSERT_EQ(MPI_Type_create_resized(MPI_INT, -1, 12, &type), MPI_SUCCESS);
  EXPECT_EQ(take_apart(type), (TakenApart{MPI_COMBINER_RESIZED, {}, {-1, 12}, {MPI_INT}}));

  const int sizes[2] = {4, 5};
  const int subsizes[2] = {2, 3};
  const int starts[2] = {1, 0};
  ASSERT_EQ(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type),
            MPI_SUCCESS);
  EXPECT_EQ(
      take_apart(type),
      (TakenApart{MPI_COMBINER_SUBARRAY, {2, 4, 5, 2, 3, 1, 0, MPI_ORDER_FORTRAN}, {}, {MPI_INT}}));
  const int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  const int processes[2] = {2, 3};
  ASSERT_EQ(MPI_Type_create_darray(6, 4, 2, sizes, distributions, arguments, processes, MPI_ORDER_C,
                                   MPI_INT, &type),
            MPI_SUCCESS);
  EXPECT_EQ(
      take_apart(type),
      (TakenApart{
          MPI_COMBINER_DARRAY, {6, 4, 2, 4, 5, 17, 18, 19, 2, 2, 3, MPI_ORDER_C}, {}, {MPI_INT}}));
}

TEST(TypeContents, DerivedPartsGetHandlesOfTheirOwn) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(2, 1, 3, MPI_INT, &inner), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(2, inner, &outer), MPI_SUCCESS);
  int count = 0;
  MPI_Datatype part = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_get_contents(outer, 1, 0, 1, &count, nullptr, &part), MPI_SUCCESS);
  EXPECT_NE(part, inner);
  ASSERT_EQ(MPI_Type_free(&inner), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&outer), MPI_SUCCESS);
  EXPECT_EQ(take_apart(part), (TakenApart{MPI_COMBINER_VECTOR, {2, 1, 3}, {}, {MPI_INT}}));
}

TEST(TypeContents, OfAPredefinedTypeThereAreNone) {
  int numbers[4] = {-1, -1, -1, -1};
  ASSERT_EQ(
      MPI_Type_get_envelope(MPI_SHORT_INT, &numbers[0], &numbers[1], &numbers[2], &numbers[3]),
      MPI_SUCCESS);
  EXPECT_EQ(std::vector<int>(numbers, numbers + 4),
            (std::vector<int>{0, 0, 0, MPI_COMBINER_NAMED}));
  EXPECT_EQ(MPI_Type_get_contents(MPI_SHORT_INT, 0, 0, 0, nullptr, nullptr, nullptr), MPI_ERR_TYPE);
}

TEST(TypeContents, ThatDoNotFitAreRefused) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(2, 1, 3, MPI_INT, &type), MPI_SUCCESS);
  int integers[3] = {-1, -1, -1};
  MPI_Datatype part = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_get_contents(type, 2, 0, 1, integers, nullptr, &part), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_contents(type, 3, 0, 0, integers, nullptr, &part), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_get_contents(type, -3, 0, 1, integers, nullptr, &part), MPI_ERR_ARG);
  EXPECT_EQ(integers[0], -1);
  EXPECT_EQ(part, MPI_DATATYPE_NULL);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(TypeName, IsKeptAndCut) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  ASSERT_EQ(MPI_Type_get_name(MPI_INT, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "MPI_INT");
  EXPECT_EQ(length, 7);
  ASSERT_EQ(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "MPI_DATATYPE_NULL");
  EXPECT_EQ(length, 17);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &type), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_get_name(type, name, &length), MPI_SUCCESS);
  EXPECT_STREQ(name, "");
  EXPECT_EQ(length, 0);
  ASSERT_EQ(MPI_Type_set_name(type, std::string(300, 'x').c_str()), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_get_name(type, name, &length), MPI_SUCCESS);
  EXPECT_EQ(length, MPI_MAX_OBJECT_NAME - 1);
  EXPECT_EQ(std::string(name), std::string(MPI_MAX_OBJECT_NAME - 1, 'x'));
  EXPECT_EQ(MPI_Type_set_name(type, nullptr), MPI_ERR_ARG);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
