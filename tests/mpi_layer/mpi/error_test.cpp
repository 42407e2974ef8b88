// Error classes, codes and strings (MPI 5.0, clauses 9.4 and 9.5).
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {
namespace {

std::string sentence(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = -1;
  EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS) << code;
  EXPECT_EQ(length, static_cast<int>(std::strlen(text)));
  return text;
}

TEST(ErrorClass, EachHasASentenceOfItsOwn) {
  std::set<std::string> sentences;
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    int error_class = -1;
    ASSERT_EQ(MPI_Error_class(code, &error_class), MPI_SUCCESS);
    EXPECT_EQ(error_class, code);
    const std::string text = sentence(code);
    EXPECT_EQ(text.rfind("MPI_", 0), 0U) << text;
    EXPECT_GT(text.size(), 20U) << text;
    sentences.insert(text);
  }
  EXPECT_EQ(sentences.size(), static_cast<std::size_t>(MPI_ERR_ABI) + 1);
  EXPECT_EQ(sentence(MPI_ERR_TRUNCATE).rfind("MPI_ERR_TRUNCATE: ", 0), 0U);
}

TEST(ErrorClass, NumbersThatAreNoneAreRefused) {
  int error_class = -7;
  char text[MPI_MAX_ERROR_STRING] = "x";
  int length = -7;
  for (const int code : {-1, MPI_ERR_ABI + 1, MPI_ERR_LASTCODE - 1, 2147483647}) {
    EXPECT_EQ(MPI_Error_class(code, &error_class), MPI_ERR_ARG) << code;
    EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_ERR_ARG) << code;
    EXPECT_EQ(MPI_Add_error_string(code, "no"), MPI_ERR_ARG) << code;
    int added = -7;
    EXPECT_EQ(MPI_Add_error_code(code, &added), MPI_ERR_ARG) << code;
    EXPECT_EQ(added, -7);
  }
  EXPECT_EQ(error_class, -7);
  EXPECT_EQ(length, -7);
  EXPECT_EQ(MPI_Add_error_string(MPI_ERR_COMM, "mine"), MPI_ERR_ARG) << "predefined sentences stay";
}

TEST(ErrorClass, AddedOnesAndTheirCodesAreAboveThePredefined) {
  int error_class = 0;
  int code = 0;
  int of_predefined = 0;
  ASSERT_EQ(MPI_Add_error_class(&error_class), MPI_SUCCESS);
  ASSERT_EQ(MPI_Add_error_code(error_class, &code), MPI_SUCCESS);
  ASSERT_EQ(MPI_Add_error_code(MPI_ERR_IO, &of_predefined), MPI_SUCCESS);
  EXPECT_GT(error_class, MPI_ERR_LASTCODE);
  EXPECT_GT(code, error_class);
  int found = 0;
  ASSERT_EQ(MPI_Error_class(error_class, &found), MPI_SUCCESS);
  EXPECT_EQ(found, error_class);
  ASSERT_EQ(MPI_Error_class(code, &found), MPI_SUCCESS);
  EXPECT_EQ(found, error_class);
  ASSERT_EQ(MPI_Error_class(of_predefined, &found), MPI_SUCCESS);
  EXPECT_EQ(found, MPI_ERR_IO);
  EXPECT_EQ(local_objects().errors.last_used(), of_predefined);
  int of_code = 0;
  EXPECT_EQ(MPI_Add_error_code(code, &of_code), MPI_ERR_ARG) << "a code is no class";

  EXPECT_EQ(sentence(code), "");
  ASSERT_EQ(MPI_Add_error_string(code, "the pump is dry"), MPI_SUCCESS);
  EXPECT_EQ(sentence(code), "the pump is dry");
  ASSERT_EQ(MPI_Add_error_string(code, std::string(2000, 'z').c_str()), MPI_SUCCESS);
  EXPECT_EQ(sentence(code).size(), static_cast<std::size_t>(MPI_MAX_ERROR_STRING) - 1);
}

}  // namespace
}  // namespace lintel::mpi
