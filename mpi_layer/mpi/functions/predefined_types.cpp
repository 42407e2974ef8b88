// The predefined datatypes (MPI 5.0, clauses 3.2.2 and 6.9.4): handle, size and alignment of a C
// type, family and form.
#include <array>
#include <complex>
#include <type_traits>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/objects/machine_number.h"
#include "mpi_layer/mpi/objects/type_builder.h"

namespace lintel::mpi {

namespace {

struct TypeRow {
  const char* name;
  std::uintptr_t number;
  std::int64_t size;
  std::int64_t alignment;
  Family family;
  Form form;
};

#define LINTEL_ROW(name, type, family, form) \
  TypeRow { #name, number_of(name), sizeof(type), alignof(type), Family::family, Form::form }

static_assert(std::is_signed_v<char> && std::is_signed_v<wchar_t> && sizeof(wchar_t) == 4,
              "the forms of characters say so");

const std::vector<TypeRow>& rows() {
  static const std::vector<TypeRow>& table = *new std::vector<TypeRow>{
      LINTEL_ROW(MPI_AINT, std::int64_t, kMultiLanguage, kInt64),
      LINTEL_ROW(MPI_COUNT, std::int64_t, kMultiLanguage, kInt64),
      LINTEL_ROW(MPI_OFFSET, std::int64_t, kMultiLanguage, kInt64),
      LINTEL_ROW(MPI_PACKED, char, kOpaque, kNone),
      LINTEL_ROW(MPI_SHORT, short, kInteger, kInt16),
      LINTEL_ROW(MPI_INT, int, kInteger, kInt32),
      LINTEL_ROW(MPI_LONG, long, kInteger, kInt64),
      LINTEL_ROW(MPI_LONG_LONG, long long, kInteger, kInt64),
      LINTEL_ROW(MPI_UNSIGNED_SHORT, unsigned short, kInteger, kUint16),
      LINTEL_ROW(MPI_UNSIGNED, unsigned, kInteger, kUint32),
      LINTEL_ROW(MPI_UNSIGNED_LONG, unsigned long, kInteger, kUint64),
      LINTEL_ROW(MPI_UNSIGNED_LONG_LONG, unsigned long long, kInteger, kUint64),
      LINTEL_ROW(MPI_FLOAT, float, kFloating, kFloat),
      LINTEL_ROW(MPI_C_FLOAT_COMPLEX, std::complex<float>, kComplex, kFloatComplex),
      LINTEL_ROW(MPI_CXX_FLOAT_COMPLEX, std::complex<float>, kComplex, kFloatComplex),
      LINTEL_ROW(MPI_DOUBLE, double, kFloating, kDouble),
      LINTEL_ROW(MPI_C_DOUBLE_COMPLEX, std::complex<double>, kComplex, kDoubleComplex),
      LINTEL_ROW(MPI_CXX_DOUBLE_COMPLEX, std::complex<double>, kComplex, kDoubleComplex),
      LINTEL_ROW(MPI_LOGICAL, std::int32_t, kLogical, kInt32),
      LINTEL_ROW(MPI_INTEGER, std::int32_t, kFortranInteger, kInt32),
      LINTEL_ROW(MPI_REAL, float, kFloating, kFloat),
      LINTEL_ROW(MPI_COMPLEX, std::complex<float>, kComplex, kFloatComplex),
      LINTEL_ROW(MPI_DOUBLE_PRECISION, double, kFloating, kDouble),
      LINTEL_ROW(MPI_DOUBLE_COMPLEX, std::complex<double>, kComplex, kDoubleComplex),
      LINTEL_ROW(MPI_CHARACTER, char, kCharacter, kInt8),
      LINTEL_ROW(MPI_LONG_DOUBLE, long double, kFloating, kLongDouble),
      LINTEL_ROW(MPI_C_LONG_DOUBLE_COMPLEX, std::complex<long double>, kComplex,
                 kLongDoubleComplex),
      LINTEL_ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, std::complex<long double>, kComplex,
                 kLongDoubleComplex),
      LINTEL_ROW(MPI_C_BOOL, bool, kLogical, kUint8),
      LINTEL_ROW(MPI_CXX_BOOL, bool, kLogical, kUint8),
      LINTEL_ROW(MPI_WCHAR, wchar_t, kCharacter, kInt32),
      LINTEL_ROW(MPI_INT8_T, std::int8_t, kInteger, kInt8),
      LINTEL_ROW(MPI_UINT8_T, std::uint8_t, kInteger, kUint8),
      LINTEL_ROW(MPI_CHAR, char, kCharacter, kInt8),
      LINTEL_ROW(MPI_SIGNED_CHAR, signed char, kInteger, kInt8),
      LINTEL_ROW(MPI_UNSIGNED_CHAR, unsigned char, kInteger, kUint8),
      LINTEL_ROW(MPI_BYTE, unsigned char, kCharacter, kUint8),
      LINTEL_ROW(MPI_INT16_T, std::int16_t, kInteger, kInt16),
      LINTEL_ROW(MPI_UINT16_T, std::uint16_t, kInteger, kUint16),
      LINTEL_ROW(MPI_INT32_T, std::int32_t, kInteger, kInt32),
      LINTEL_ROW(MPI_UINT32_T, std::uint32_t, kInteger, kUint32),
      LINTEL_ROW(MPI_INT64_T, std::int64_t, kInteger, kInt64),
      LINTEL_ROW(MPI_UINT64_T, std::uint64_t, kInteger, kUint64),
      LINTEL_ROW(MPI_LOGICAL1, std::int8_t, kLogical, kInt8),
      LINTEL_ROW(MPI_INTEGER1, std::int8_t, kFortranInteger, kInt8),
      LINTEL_ROW(MPI_LOGICAL2, std::int16_t, kLogical, kInt16),
      LINTEL_ROW(MPI_INTEGER2, std::int16_t, kFortranInteger, kInt16),
      // neither compiler supports half precision in C++
      LINTEL_ROW(MPI_REAL2, std::int16_t, kFloating, kNone),
      LINTEL_ROW(MPI_LOGICAL4, std::int32_t, kLogical, kInt32),
      LINTEL_ROW(MPI_INTEGER4, std::int32_t, kFortranInteger, kInt32),
      LINTEL_ROW(MPI_REAL4, float, kFloating, kFloat),
      TypeRow{"MPI_COMPLEX4", number_of(MPI_COMPLEX4), 4, 2, Family::kComplex, Form::kNone},
      LINTEL_ROW(MPI_LOGICAL8, std::int64_t, kLogical, kInt64),
      LINTEL_ROW(MPI_INTEGER8, std::int64_t, kFortranInteger, kInt64),
      LINTEL_ROW(MPI_REAL8, double, kFloating, kDouble),
      LINTEL_ROW(MPI_COMPLEX8, std::complex<float>, kComplex, kFloatComplex),
      LINTEL_ROW(MPI_LOGICAL16, Int128, kLogical, kInt128),
      LINTEL_ROW(MPI_INTEGER16, Int128, kFortranInteger, kInt128),
      LINTEL_ROW(MPI_REAL16, Quad, kFloating, kQuad),
      LINTEL_ROW(MPI_COMPLEX16, std::complex<double>, kComplex, kDoubleComplex),
      LINTEL_ROW(MPI_COMPLEX32, QuadComplex, kComplex, kQuadComplex),
  };
  return table;
}
#undef LINTEL_ROW

struct PairRow {
  const char* name;
  MPI_Datatype handle;
  MPI_Datatype value;
  MPI_Datatype index;
  std::int64_t index_offset;
  Form form;
};

const std::vector<PairRow>& pair_rows() {
  static const std::vector<PairRow>& table = *new std::vector<PairRow>{
      {"MPI_FLOAT_INT", MPI_FLOAT_INT, MPI_FLOAT, MPI_INT, offsetof(FloatIntPair, index),
       Form::kFloatInt},
      {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT, offsetof(DoubleIntPair, index),
       Form::kDoubleInt},
      {"MPI_LONG_INT", MPI_LONG_INT, MPI_LONG, MPI_INT, offsetof(LongIntPair, index),
       Form::kLongInt},
      {"MPI_2INT", MPI_2INT, MPI_INT, MPI_INT, offsetof(TwoIntPair, index), Form::kTwoInt},
      {"MPI_SHORT_INT", MPI_SHORT_INT, MPI_SHORT, MPI_INT, offsetof(ShortIntPair, index),
       Form::kShortInt},
      {"MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT,
       offsetof(LongDoubleIntPair, index), Form::kLongDoubleInt},
      {"MPI_2REAL", MPI_2REAL, MPI_REAL, MPI_REAL, offsetof(TwoFloatPair, index), Form::kTwoFloat},
      {"MPI_2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION,
       offsetof(TwoDoublePair, index), Form::kTwoDouble},
      {"MPI_2INTEGER", MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER, offsetof(TwoIntPair, index),
       Form::kTwoInt},
  };
  return table;
}

constexpr std::uintptr_t kFirst = 0x200;
constexpr std::size_t kNumbers = 0x100;

// The types by number, and as a list. References are not counted, because the types live until the
// end of the process.
struct PredefinedTypes {
  std::array<DatatypeRef, kNumbers> by_number;
  std::vector<DatatypeRef> all;

  PredefinedTypes() {
    Contents named;
    named.combiner = MPI_COMBINER_NAMED;
    for (const TypeRow& row : rows()) {
      Shape shape;
      shape.layout = std::make_shared<Layout>(row.size);
      shape.size = shape.upper_bound = shape.true_upper_bound = row.size;
      shape.elements = 1;
      shape.alignment = row.alignment;
      add(row.number,
          new Datatype(std::move(shape), {}, named, row.family, row.form, row.number, row.name));
    }
    for (const PairRow& row : pair_rows()) {
      TypeBuilder builder;
      builder.add(by_number[number_of(row.value) - kFirst], 0, 1, 0);
      builder.add(by_number[number_of(row.index) - kFirst], row.index_offset, 1, 0);
      const std::uintptr_t number = number_of(row.handle);
      add(number, new Datatype(*builder.finish_shape(), builder.finish_parts(), named,
                               Family::kPair, row.form, number, row.name));
    }
    for (const DatatypeRef& type : by_number) {
      if (type) all.push_back(type);
    }
  }

  void add(std::uintptr_t number, const Datatype* type) {
    by_number[number - kFirst] = DatatypeRef(DatatypeRef(), type);
  }
};

const PredefinedTypes& predefined_types() {
  static const PredefinedTypes& types = *new PredefinedTypes;
  return types;
}

}  // namespace

DatatypeRef predefined_datatype(std::uintptr_t number) {
  return number - kFirst < kNumbers ? predefined_types().by_number[number - kFirst] : nullptr;
}

std::span<const DatatypeRef> predefined_datatypes() { return predefined_types().all; }

}  // namespace lintel::mpi
