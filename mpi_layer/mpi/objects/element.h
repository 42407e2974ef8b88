#pragma once
// What a basic datatype holds: its form in memory and its family. Operations are chosen by both.

#include <cstddef>
#include <cstdint>

namespace lintel::mpi {

// The family says which operations there are: those of MPI 5.0, clause 6.9.2, and those that other
// implementations have besides and programs use.
enum class Family : std::uint8_t {
  kOpaque,     // packed bytes: none
  kCharacter,  // and bytes: as integers; the standard has none for characters, and the bitwise ones
               // for bytes
  kInteger,    // C
  kFortranInteger,
  kMultiLanguage,  // MPI_AINT, MPI_COUNT, MPI_OFFSET
  kFloating,
  kLogical,
  kComplex,
  kPair,  // a value and an index, for MINLOC and MAXLOC
};

// The form in memory. kNone: bytes that are no number here.
enum class Form : std::uint8_t {
  kNone,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kLongDouble,
  kQuad,  // IEEE binary128
  kFloatComplex,
  kDoubleComplex,
  kLongDoubleComplex,
  kQuadComplex,
  kFloatInt,
  kDoubleInt,
  kLongInt,
  kTwoInt,
  kShortInt,
  kLongDoubleInt,
  kTwoFloat,
  kTwoDouble,
};
inline constexpr std::size_t kForms = 26;

}  // namespace lintel::mpi
