// Operations that the program defines (MPI 5.0, clause 6.9.5).
#include <gtest/gtest.h>

#include "mpi.h"
#include "mpi_layer/mpi/functions/bound_reduction.h"

namespace lintel::mpi {
namespace {

struct Call {
  int count = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};
Call last_call;

extern "C" void subtract_ints(void* in, void* inout, int* count, MPI_Datatype* datatype) {
  last_call = {*count, *datatype};
  for (int i = 0; i < *count; ++i)
    static_cast<int*>(inout)[i] = static_cast<int*>(in)[i] - static_cast<int*>(inout)[i];
}

extern "C" void add_large(void* in, void* inout, MPI_Count* count, MPI_Datatype*) {
  for (MPI_Count i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

TEST(UserOperation, IsAppliedToInAndInout) {
  MPI_Op op = MPI_OP_NULL;
  ASSERT_EQ(MPI_Op_create(subtract_ints, 0, &op), MPI_SUCCESS);
  const int in[3] = {10, 20, 30};
  int inout[3] = {1, 2, 3};
  ASSERT_EQ(MPI_Reduce_local(in, inout, 3, MPI_INT, op), MPI_SUCCESS);
  EXPECT_EQ(inout[0], 9);
  EXPECT_EQ(inout[1], 18);
  EXPECT_EQ(inout[2], 27);
  EXPECT_EQ(last_call.count, 3);
  EXPECT_EQ(last_call.datatype, MPI_INT);
  ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  EXPECT_EQ(op, MPI_OP_NULL);
}

TEST(UserOperation, TakesDerivedTypesAndCounts) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Op_create(subtract_ints, 1, &op), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &pair), MPI_SUCCESS);
  const int in[2] = {5, 6};
  int inout[2] = {1, 1};
  EXPECT_EQ(MPI_Reduce_local(in, inout, 1, pair, op), MPI_ERR_TYPE) << "not committed";
  ASSERT_EQ(MPI_Type_commit(&pair), MPI_SUCCESS);
  ASSERT_EQ(MPI_Reduce_local(in, inout, 1, pair, op), MPI_SUCCESS);
  EXPECT_EQ(inout[0], 4);
  EXPECT_EQ(last_call.datatype, pair);
  EXPECT_EQ(last_call.count, 1);
  ASSERT_EQ(MPI_Type_free(&pair), MPI_SUCCESS);
  ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
}

TEST(UserOperation, WithALargeCountHasItsOwnSignature) {
  MPI_Op op = MPI_OP_NULL;
  ASSERT_EQ(MPI_Op_create_c(add_large, 1, &op), MPI_SUCCESS);
  const int in[2] = {5, 6};
  int inout[2] = {1, 1};
  ASSERT_EQ(MPI_Reduce_local_c(in, inout, 2, MPI_INT, op), MPI_SUCCESS);
  EXPECT_EQ(inout[1], 7);
  ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
}

TEST(UserOperation, CommutesAsItsCreatorSaid) {
  for (const int said : {0, 1, 17}) {
    MPI_Op op = MPI_OP_NULL;
    ASSERT_EQ(MPI_Op_create(subtract_ints, said, &op), MPI_SUCCESS);
    int commute = -1;
    ASSERT_EQ(MPI_Op_commutative(op, &commute), MPI_SUCCESS);
    EXPECT_EQ(commute, said != 0 ? 1 : 0);
    ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  }
  for (const MPI_Op op : {MPI_SUM, MPI_MAXLOC, MPI_LXOR}) {
    int commute = -1;
    ASSERT_EQ(MPI_Op_commutative(op, &commute), MPI_SUCCESS);
    EXPECT_EQ(commute, 1);
  }
}

TEST(UserOperation, IsKeptByAReductionThatOutlivesItsHandles) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Op_create(subtract_ints, 1, &op), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(1, MPI_INT, &pair), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_commit(&pair), MPI_SUCCESS);
  BoundReduction reduction;
  ASSERT_EQ(BoundReduction::bind(op, pair, &reduction), MPI_SUCCESS);
  ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&pair), MPI_SUCCESS);
  const int in = 9;
  int inout = 4;
  reduction.apply(&in, &inout, 1);
  EXPECT_EQ(inout, 5);
}

TEST(UserOperation, WrongHandlesAreRefused) {
  MPI_Op op = MPI_OP_NULL;
  int commute = 0;
  EXPECT_EQ(MPI_Op_create(nullptr, 1, &op), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Op_create(subtract_ints, 1, nullptr), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Op_free(&op), MPI_ERR_OP);
  EXPECT_EQ(MPI_Op_commutative(op, &commute), MPI_ERR_OP);
  MPI_Op sum = MPI_SUM;
  EXPECT_EQ(MPI_Op_free(&sum), MPI_ERR_OP);
  EXPECT_EQ(sum, MPI_SUM);
}

}  // namespace
}  // namespace lintel::mpi
