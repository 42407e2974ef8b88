// mpi.h against the table of the standard ABI.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "mpi.h"

extern "C" {
struct named_function {
  const char* name;
  void (*mpi)();
  void (*pmpi)();
};
extern const named_function lintel_declared_functions[];
extern const int lintel_declared_function_count;
}

namespace lintel::mpi {
namespace {

std::string text_of(std::intptr_t value) { return std::to_string(value); }
template <class T>
std::intptr_t number(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::intptr_t>(value);
  } else {
    return static_cast<std::intptr_t>(value);
  }
}

struct Constant {
  const char* name;
  std::intptr_t header;
  std::intptr_t table;
};

const std::vector<Constant>& constants() {
  static const std::vector<Constant> all = {
#define LINTEL_CONSTANT(name, value) {#name, number(name), number(value)},
#include "standard_abi_constants.inc"
#undef LINTEL_CONSTANT
  };
  return all;
}

TEST(StandardAbi, EveryConstantOfTheHeaderHasTheTablesValue) {
  EXPECT_GT(constants().size(), 230U);
  for (const Constant& constant : constants())
    EXPECT_EQ(text_of(constant.header), text_of(constant.table)) << constant.name;
}

TEST(StandardAbi, OnlyConstantsOfChaptersThatAreNotProvidedAreMissing) {
  const std::vector<std::string> chapters = {
      "MPI_ABI_",      "MPI_T_",          "MPI_WIN_",         "MPI_FILE_", "MPI_MODE_",
      "MPI_SEEK_",     "MPI_LOCK_",       "MPI_SESSION_",     "MPI_F_",    "MPI_ARGV",
      "MPI_ERRCODES_", "MPI_CONVERSION_", "MPI_DISPLACEMENT_"};
  const std::vector<const char*> missing = {
#define LINTEL_ABSENT(name) #name,
#include "standard_abi_absent.inc"
#undef LINTEL_ABSENT
  };
  EXPECT_GT(missing.size(), 50U);
  for (const std::string name : missing) {
    bool excused = false;
    for (const std::string& chapter : chapters) excused = excused || name.starts_with(chapter);
    EXPECT_TRUE(excused) << name;
  }
}

TEST(StandardAbi, StatusIsThreeIntsAndFive) {
  EXPECT_EQ(offsetof(MPI_Status, MPI_SOURCE), 0U);
  EXPECT_EQ(offsetof(MPI_Status, MPI_TAG), 4U);
  EXPECT_EQ(offsetof(MPI_Status, MPI_ERROR), 8U);
  EXPECT_EQ(sizeof(MPI_Status), 32U);
  EXPECT_TRUE((std::is_same_v<MPI_Aint, std::intptr_t> &&
               std::is_same_v<MPI_Offset, std::int64_t> &&
               std::is_same_v<MPI_Count, std::int64_t>));
}

TEST(StandardAbi, DatatypesOfFixedSizeHaveItsLogarithmInTheirNumber) {
  int seen = 0;
  for (const Constant& constant : constants()) {
    if (constant.header < 0x240 || constant.header > 0x2ff ||
        std::strncmp(constant.name, "MPI_", 4) != 0)
      continue;
    int size = 0;
    // the constant is not a datatype
    if (MPI_Type_size(reinterpret_cast<MPI_Datatype>(constant.header), &size) != MPI_SUCCESS)
      continue;
    EXPECT_EQ(size, 1 << ((constant.header >> 3) & 7)) << constant.name;
    ++seen;
  }
  EXPECT_GE(seen, 28);
}

TEST(StandardAbi, EveryDeclaredFunctionHasBothNames) {
  ASSERT_GT(lintel_declared_function_count, 90);
  for (int i = 0; i < lintel_declared_function_count; ++i) {
    const named_function& function = lintel_declared_functions[i];
    EXPECT_NE(function.mpi, nullptr) << function.name;
    EXPECT_EQ(function.mpi, function.pmpi) << function.name;
  }
}

}  // namespace
}  // namespace lintel::mpi
