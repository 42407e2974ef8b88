// Which operation is defined for which datatype (MPI 5.0, clause 6.9.2, and what programs use
// besides). All other pairs give MPI_ERR_OP.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

using Types = std::set<MPI_Datatype>;

const Types kIntegers = {MPI_INT,         MPI_LONG,          MPI_SHORT,     MPI_UNSIGNED_SHORT,
                         MPI_UNSIGNED,    MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
                         MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T,    MPI_INT16_T,
                         MPI_INT32_T,     MPI_INT64_T,       MPI_UINT8_T,   MPI_UINT16_T,
                         MPI_UINT32_T,    MPI_UINT64_T};
const Types kFortranIntegers = {MPI_INTEGER,  MPI_INTEGER1, MPI_INTEGER2,
                                MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16};
const Types kMultiLanguages = {MPI_AINT, MPI_OFFSET, MPI_COUNT};
const Types kFloatings = {MPI_FLOAT,       MPI_DOUBLE, MPI_REAL,  MPI_DOUBLE_PRECISION,
                          MPI_LONG_DOUBLE, MPI_REAL4,  MPI_REAL8, MPI_REAL16};
const Types kLogicals = {MPI_LOGICAL,  MPI_C_BOOL,   MPI_CXX_BOOL, MPI_LOGICAL1,
                         MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16};
const Types kComplexes = {MPI_COMPLEX,
                          MPI_C_FLOAT_COMPLEX,
                          MPI_C_DOUBLE_COMPLEX,
                          MPI_C_LONG_DOUBLE_COMPLEX,
                          MPI_CXX_FLOAT_COMPLEX,
                          MPI_CXX_DOUBLE_COMPLEX,
                          MPI_CXX_LONG_DOUBLE_COMPLEX,
                          MPI_DOUBLE_COMPLEX,
                          MPI_COMPLEX8,
                          MPI_COMPLEX16,
                          MPI_COMPLEX32};
const Types kPairs = {MPI_FLOAT_INT, MPI_DOUBLE_INT,        MPI_LONG_INT,
                      MPI_2INT,      MPI_SHORT_INT,         MPI_LONG_DOUBLE_INT,
                      MPI_2REAL,     MPI_2DOUBLE_PRECISION, MPI_2INTEGER};
// No operation is defined. The standard allows half-precision numbers, but this library has no
// arithmetic for them.
const Types kOthers = {MPI_PACKED, MPI_REAL2, MPI_COMPLEX4};
// The standard defines no operation for them, and only the bitwise ones for MPI_BYTE.
const Types kCharacters = {MPI_CHAR, MPI_WCHAR, MPI_CHARACTER, MPI_BYTE};

Types united(std::vector<Types> sets) {
  Types all;
  for (const Types& set : sets) all.insert(set.begin(), set.end());
  return all;
}

const std::map<MPI_Op, Types>& allowed() {
  static const std::map<MPI_Op, Types> table = [] {
    std::map<MPI_Op, Types> rows;
    for (const MPI_Op op : {MPI_MAX, MPI_MIN})
      rows[op] = united({kIntegers, kFortranIntegers, kFloatings, kMultiLanguages, kCharacters});
    for (const MPI_Op op : {MPI_SUM, MPI_PROD})
      rows[op] = united(
          {kIntegers, kFortranIntegers, kFloatings, kComplexes, kMultiLanguages, kCharacters});
    for (const MPI_Op op : {MPI_LAND, MPI_LOR, MPI_LXOR})
      rows[op] = united({kLogicals, kIntegers, kFortranIntegers, kMultiLanguages, kCharacters});
    for (const MPI_Op op : {MPI_BAND, MPI_BOR, MPI_BXOR})
      rows[op] = united({kIntegers, kFortranIntegers, kMultiLanguages, kCharacters});
    for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) rows[op] = kPairs;
    rows[MPI_REPLACE] = {};
    rows[MPI_NO_OP] = {};
    return rows;
  }();
  return table;
}

TEST(OpLegality, ExactlyThePairsOfTheStandardAndThoseOfOthersAreDefined) {
  const Types all = united({kIntegers, kFortranIntegers, kMultiLanguages, kFloatings, kLogicals,
                            kComplexes, kPairs, kCharacters, kOthers});
  // No predefined type is missing from the sets above.
  std::size_t predefined = 0;
  for (std::uintptr_t number = 0x201; number < 0x300; ++number) {
    int size = 0;
    if (MPI_Type_size(reinterpret_cast<MPI_Datatype>(number), &size) == MPI_SUCCESS) ++predefined;
  }
  EXPECT_EQ(all.size(), predefined);
  alignas(16) const std::array<char, 64> in = {};
  for (const auto& [op, types] : allowed()) {
    for (const MPI_Datatype type : all) {
      alignas(16) std::array<char, 64> inout = {};
      EXPECT_EQ(MPI_Reduce_local(in.data(), inout.data(), 1, type, op),
                types.contains(type) ? MPI_SUCCESS : MPI_ERR_OP)
          << "operation " << reinterpret_cast<std::uintptr_t>(op) << " type "
          << reinterpret_cast<std::uintptr_t>(type);
    }
  }
}

TEST(OpLegality, PredefinedOperationsTakeNoDerivedTypes) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &pair), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_commit(&pair), MPI_SUCCESS);
  const int in[2] = {1, 2};
  int inout[2] = {3, 4};
  EXPECT_EQ(MPI_Reduce_local(in, inout, 1, pair, MPI_SUM), MPI_ERR_OP);
  EXPECT_EQ(inout[0], 3);
  ASSERT_EQ(MPI_Type_free(&pair), MPI_SUCCESS);
}

TEST(OpLegality, WrongArgumentsChangeNothing) {
  const int in = 1;
  int inout = 2;
  EXPECT_EQ(MPI_Reduce_local(&in, &inout, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Reduce_local(&in, &inout, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Reduce_local(&in, &inout, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
  EXPECT_EQ(MPI_Reduce_local(nullptr, &inout, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Reduce_local(&in, nullptr, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  EXPECT_EQ(inout, 2);
  EXPECT_EQ(MPI_Reduce_local(nullptr, nullptr, 0, MPI_INT, MPI_SUM), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
