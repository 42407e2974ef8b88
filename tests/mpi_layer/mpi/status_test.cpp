// What a status contains that no message filled in (MPI 5.0, clauses 3.2.5, 3.8.4, 12.3). Counts of
// derived types: random_type_test.cpp.
#include "mpi_layer/mpi/functions/status_content.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

TEST(Status, FieldsHaveFunctions) {
  MPI_Status status = empty_status();
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  ASSERT_EQ(MPI_Status_set_source(&status, 3), MPI_SUCCESS);
  ASSERT_EQ(MPI_Status_set_tag(&status, 4), MPI_SUCCESS);
  ASSERT_EQ(MPI_Status_set_error(&status, MPI_ERR_IO), MPI_SUCCESS);
  int value = 0;
  ASSERT_EQ(MPI_Status_get_source(&status, &value), MPI_SUCCESS);
  EXPECT_EQ(value, 3);
  ASSERT_EQ(MPI_Status_get_tag(&status, &value), MPI_SUCCESS);
  EXPECT_EQ(value, 4);
  ASSERT_EQ(MPI_Status_get_error(&status, &value), MPI_SUCCESS);
  EXPECT_EQ(value, MPI_ERR_IO);
  EXPECT_EQ(status.MPI_SOURCE, 3);
  EXPECT_EQ(MPI_Status_get_tag(MPI_STATUS_IGNORE, &value), MPI_ERR_ARG);
}

TEST(Status, CancellingAndCountingDoNotMeet) {
  MPI_Status status = empty_status();
  ASSERT_EQ(MPI_Status_set_elements(&status, MPI_INT, 5), MPI_SUCCESS);
  ASSERT_EQ(MPI_Status_set_cancelled(&status, 8), MPI_SUCCESS);
  int flag = -1;
  ASSERT_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 1);
  int count = -1;
  ASSERT_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 5);
  ASSERT_EQ(MPI_Status_set_cancelled(&status, 0), MPI_SUCCESS);
  ASSERT_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
}

TEST(Status, BytesOfAllSizesAreKept) {
  MPI_Status status = empty_status();
  for (const std::int64_t bytes :
       {std::int64_t{0}, std::int64_t{0x7fffffff}, std::int64_t{0x80000000},
        std::int64_t{0x1ffffffff}, INT64_MAX}) {
    set_received_bytes(status, bytes);
    EXPECT_EQ(received_bytes(status), bytes);
  }
}

TEST(Status, EmptyTypesCountNothing) {
  MPI_Datatype none = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(0, MPI_INT, &none), MPI_SUCCESS);
  MPI_Status status = empty_status();
  int count = -1;
  ASSERT_EQ(MPI_Get_count(&status, none, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  ASSERT_EQ(MPI_Get_elements(&status, none, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 0);
  set_received_bytes(status, 4);
  ASSERT_EQ(MPI_Get_count(&status, none, &count), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_UNDEFINED);
  EXPECT_EQ(MPI_Status_set_elements(&status, none, 1), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Status_set_elements(nullptr, MPI_INT, 1), MPI_ERR_ARG);
  ASSERT_EQ(MPI_Type_free(&none), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
