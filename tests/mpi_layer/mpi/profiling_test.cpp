// A program that defines an MPI_ function and calls the PMPI_ one (MPI 5.0, clause 15.2). It is
// alone in its program because it changes the meaning of a name.
#include <gtest/gtest.h>

#include "mpi.h"

namespace {
int profiled_calls = 0;
}

extern "C" int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  ++profiled_calls;
  return PMPI_Type_contiguous(count, oldtype, newtype);
}

namespace lintel::mpi {
namespace {

TEST(Profiling, TheProgramsOwnFunctionTakesTheName) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(3, MPI_INT, &type), MPI_SUCCESS);
  EXPECT_EQ(profiled_calls, 1);
  int size = 0;
  ASSERT_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 12);
  ASSERT_EQ(PMPI_Type_free(&type), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
