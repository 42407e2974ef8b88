#pragma once
// What an element of a basic datatype is: its form in memory and its family. Both select the
// operations.

#include <cstddef>
#include <cstdint>

namespace lintel::mpi {

// The family determines which operations are allowed: those of MPI 5.0, clause 6.9.2, and others
// that other implementations allow and programs use.
enum class Family : std::uint8_t {
  kOpaque,     // packed bytes: no operations
  kCharacter,  // and bytes: as integers. The standard allows none for characters, and the bitwise
               // ones for bytes
  kInteger,    // C
  kFortranInteger,
  kMultiLanguage,  // MPI_AINT, MPI_COUNT, MPI_OFFSET
  kFloating,
  kLogical,
  kComplex,
  kPair,  // a value and an index, for MINLOC and MAXLOC
};

// The form in memory. kNone: bytes that are no number of this machine.
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
