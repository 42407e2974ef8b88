#include "portals/engine/memory/atomic_operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

namespace lintel::portals {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::byte kGuard{0xa5};
constexpr std::size_t kGuardBytes = 64;
constexpr std::size_t kOffsets[] = {0, 1, 7};       // relative to an address aligned for every type
constexpr std::size_t kArrayLengths[] = {1, 3, 8};  // elements

AtomicOp op_of(unsigned number) { return static_cast<AtomicOp>(number); }
AtomicDatatype type_of(unsigned number) { return static_cast<AtomicDatatype>(number); }

template <typename T>
void append(Bytes& to, const T& value) {
  to.resize(to.size() + sizeof(T));
  std::memcpy(to.data() + to.size() - sizeof(T), &value, sizeof(T));
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes;
  for (const T& value : values) append(bytes, value);
  return bytes;
}

// The low `size` bytes of each number.
Bytes bytes_of(const std::vector<std::uint64_t>& numbers, std::size_t size) {
  Bytes bytes;
  for (std::uint64_t number : numbers) {
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(number >> 8 * i));
  }
  return bytes;
}

template <typename T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Runs `operate` on a copy of `target`, `offset` bytes into memory with guards on both sides.
// Returns the result.
template <typename Operate>
Bytes guarded(const Bytes& target, std::size_t offset, Operate operate) {
  Bytes memory(kGuardBytes + offset + target.size() + kGuardBytes, kGuard);
  const std::span<std::byte> place = std::span(memory).subspan(kGuardBytes + offset, target.size());
  std::copy(target.begin(), target.end(), place.begin());
  operate(place);
  EXPECT_TRUE(std::all_of(memory.data(), place.data(), [](std::byte b) { return b == kGuard; }))
      << "written before the target";
  EXPECT_TRUE(std::all_of(place.data() + place.size(), memory.data() + memory.size(),
                          [](std::byte b) { return b == kGuard; }))
      << "written behind the target";
  return {place.begin(), place.end()};
}

// A copy of `bytes` at the end of its allocation, misaligned by `offset`. The address sanitizer
// detects reads beyond it.
class Source {
 public:
  Source(const Bytes& bytes, std::size_t offset) : memory_(offset + bytes.size()), offset_(offset) {
    std::copy(bytes.begin(), bytes.end(), memory_.data() + offset);
  }
  std::span<const std::byte> span() const { return std::span(memory_).subspan(offset_); }

 private:
  Bytes memory_;
  std::size_t offset_;
};

Bytes combined(AtomicOp op, AtomicDatatype type, const Bytes& target, const Bytes& data,
               std::size_t offset = 0) {
  const Source source(data, offset);
  return guarded(target, offset,
                 [&](std::span<std::byte> place) { combine(op, type, place, source.span()); });
}

Bytes swapped(AtomicOp op, AtomicDatatype type, const Bytes& target, const Bytes& data,
              const Bytes& operand, std::size_t offset = 0) {
  const Source source(data, offset);
  const Source condition(operand, offset);
  return guarded(target, offset, [&](std::span<std::byte> place) {
    swap(op, type, place, source.span(), condition.span());
  });
}

// Bitwise equality, so that 0.0 differs from -0.0. Any two NaNs are equal. Padding is ignored.
template <typename T>
bool same(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}
template <typename T>
bool same(std::complex<T> a, std::complex<T> b) {
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

// Checks combine() of all `targets` and `data`, for arrays of each length and offset.
template <typename T>
void expect_combined(AtomicOp op, AtomicDatatype type, const std::vector<T>& targets,
                     const std::vector<T>& data, const std::vector<T>& expected) {
  for (std::size_t length : kArrayLengths) {
    for (std::size_t offset : kOffsets) {
      for (std::size_t first = 0; first < targets.size(); first += length) {
        const std::size_t count = std::min(length, targets.size() - first);
        const auto part = [&](const std::vector<T>& of) {
          return bytes_of(std::vector<T>(of.data() + first, of.data() + first + count));
        };
        const auto result = values_of<T>(combined(op, type, part(targets), part(data), offset));
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_TRUE(same(result[i], expected[first + i]))
              << "operation " << static_cast<int>(op) << " type " << static_cast<int>(type) << ": "
              << targets[first + i] << " with " << data[first + i] << " gave " << result[i];
        }
      }
    }
  }
}

TEST(AtomicOperationTest, NumbersAreThoseOfTheApi) {
  using Op = AtomicOp;
  constexpr Op kOps[] = {Op::kMin,     Op::kMax,     Op::kSum,     Op::kProd,    Op::kLor,
                         Op::kLand,    Op::kBor,     Op::kBand,    Op::kLxor,    Op::kBxor,
                         Op::kSwap,    Op::kCSwap,   Op::kCSwapNe, Op::kCSwapLe, Op::kCSwapLt,
                         Op::kCSwapGe, Op::kCSwapGt, Op::kMSwap};
  for (unsigned i = 0; i < 18; ++i) EXPECT_EQ(static_cast<unsigned>(kOps[i]), i);
  using Type = AtomicDatatype;
  constexpr Type kTypes[] = {Type::kInt8,         Type::kUint8,
                             Type::kInt16,        Type::kUint16,
                             Type::kInt32,        Type::kUint32,
                             Type::kFloat,        Type::kInt64,
                             Type::kUint64,       Type::kDouble,
                             Type::kFloatComplex, Type::kDoubleComplex,
                             Type::kLongDouble,   Type::kLongDoubleComplex};
  for (unsigned i = 0; i < 14; ++i) EXPECT_EQ(static_cast<unsigned>(kTypes[i]), i);
}

TEST(AtomicOperationTest, OnlyNumbersOfTheApiAreKnown) {
  for (unsigned raw = 0; raw < 256; ++raw) {
    EXPECT_EQ(is_known_op(static_cast<std::uint8_t>(raw)), raw <= 17) << raw;
    EXPECT_EQ(is_known_datatype(static_cast<std::uint8_t>(raw)), raw <= 13) << raw;
  }
}

TEST(AtomicOperationTest, SizesAreThoseOfTheTypes) {
  for (auto type : {AtomicDatatype::kInt8, AtomicDatatype::kUint8}) EXPECT_EQ(size_of(type), 1U);
  for (auto type : {AtomicDatatype::kInt16, AtomicDatatype::kUint16}) EXPECT_EQ(size_of(type), 2U);
  for (auto type : {AtomicDatatype::kInt32, AtomicDatatype::kUint32, AtomicDatatype::kFloat})
    EXPECT_EQ(size_of(type), 4U);
  for (auto type : {AtomicDatatype::kInt64, AtomicDatatype::kUint64, AtomicDatatype::kDouble,
                    AtomicDatatype::kFloatComplex})
    EXPECT_EQ(size_of(type), 8U);
  for (auto type : {AtomicDatatype::kDoubleComplex, AtomicDatatype::kLongDouble})
    EXPECT_EQ(size_of(type), 16U);
  EXPECT_EQ(size_of(AtomicDatatype::kLongDoubleComplex), 32U);
  EXPECT_EQ(size_of(type_of(14)), 0U);
  EXPECT_EQ(size_of(type_of(255)), 0U);
}

// The table of the specification. Columns: integers; float and double; long double; complex; then
// the calls.
TEST(AtomicLegalityTest, PairsAreLegalAfterTheTable) {
  using Op = AtomicOp;
  constexpr bool y = true;
  constexpr bool n = false;
  struct Row {
    std::vector<AtomicOp> ops;
    bool column[4];
    bool call[3];
  };
  const Row kTable[] = {
      //                                                                             int fl ld cx
      //                                                                             atomic fetch
      //                                                                             swap
      {{Op::kMin, Op::kMax},
       /*                                                  */ {y, y, y, n},
       {y, y, n}},
      {{Op::kSum, Op::kProd},
       /*                                                 */ {y, y, y, y},
       {y, y, n}},
      {{Op::kLor, Op::kLand, Op::kLxor, Op::kBor, Op::kBand, Op::kBxor},
       /*      */ {y, n, n, n},
       {y, y, n}},
      {{Op::kSwap},
       /*                                                           */ {y, y, y, y},
       {n, n, y}},
      {{Op::kCSwap, Op::kCSwapNe},
       /*                                            */ {y, y, y, y},
       {n, n, y}},
      {{Op::kCSwapLe, Op::kCSwapLt, Op::kCSwapGe, Op::kCSwapGt},
       /*              */ {y, y, y, n},
       {n, n, y}},
      {{Op::kMSwap},
       /*                                                          */ {y, n, n, n},
       {n, n, y}},
  };
  // Column by datatype number: int8 to uint32, float, int64, uint64, double, complex of float and
  // double, long double, its complex.
  constexpr unsigned kColumnOf[14] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 3, 3, 2, 3};
  int pairs = 0;
  for (const Row& row : kTable) {
    for (AtomicOp op : row.ops) {
      for (unsigned type = 0; type < 14; ++type) {
        for (unsigned call = 0; call < 3; ++call) {
          EXPECT_EQ(is_legal(static_cast<AtomicCall>(call), op, type_of(type)),
                    row.column[kColumnOf[type]] && row.call[call])
              << "call " << call << " operation " << static_cast<int>(op) << " type " << type;
        }
        ++pairs;
      }
    }
  }
  EXPECT_EQ(pairs, 18 * 14);
}

TEST(AtomicLegalityTest, UnknownNumbersAreIllegal) {
  for (auto call : {AtomicCall::kAtomic, AtomicCall::kFetchAtomic, AtomicCall::kSwap}) {
    for (unsigned raw = 18; raw < 256; ++raw)
      EXPECT_FALSE(is_legal(call, op_of(raw), AtomicDatatype::kInt32)) << raw;
    for (unsigned raw = 14; raw < 256; ++raw) {
      EXPECT_FALSE(is_legal(call, AtomicOp::kSum, type_of(raw)) ||
                   is_legal(call, AtomicOp::kSwap, type_of(raw)))
          << raw;
    }
  }
  EXPECT_FALSE(is_legal(static_cast<AtomicCall>(3), AtomicOp::kSum, AtomicDatatype::kInt32));
  EXPECT_FALSE(is_legal(static_cast<AtomicCall>(3), AtomicOp::kSwap, AtomicDatatype::kInt32));
}

TEST(AtomicLegalityTest, ConditionalAndMaskedSwapsTakeOneElement) {
  for (unsigned op = 0; op < 256; ++op)
    EXPECT_EQ(single_element(op_of(op)), op >= 11 && op <= 17) << op;
}

// Integers as untyped bit patterns.
struct IntegerType {
  AtomicDatatype type;
  unsigned bits;
  bool is_signed;

  std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - bits); }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  bool less(std::uint64_t a, std::uint64_t b) const {
    return is_signed ? (a ^ sign()) < (b ^ sign()) : a < b;
  }
  // Extreme values, signed and unsigned, with their neighbours, and alternating bits.
  std::vector<std::uint64_t> patterns() const {
    return {0,          1,          2,      77,         sign() - 1,    sign(),
            sign() + 1, mask() - 1, mask(), mask() / 3, mask() / 3 * 2};
  }
};
const IntegerType kIntegerTypes[] = {
    {AtomicDatatype::kInt8, 8, true},     {AtomicDatatype::kInt16, 16, true},
    {AtomicDatatype::kInt32, 32, true},   {AtomicDatatype::kInt64, 64, true},
    {AtomicDatatype::kUint8, 8, false},   {AtomicDatatype::kUint16, 16, false},
    {AtomicDatatype::kUint32, 32, false}, {AtomicDatatype::kUint64, 64, false},
};

std::uint64_t plain_combined(AtomicOp op, const IntegerType& type, std::uint64_t a,
                             std::uint64_t b) {
  switch (op) {
    case AtomicOp::kMin: return type.less(a, b) ? a : b;
    case AtomicOp::kMax: return type.less(a, b) ? b : a;
    case AtomicOp::kSum: return (a + b) & type.mask();
    case AtomicOp::kProd: return (a * b) & type.mask();
    case AtomicOp::kLor: return (a | b) == 0 ? 0 : 1;
    case AtomicOp::kLand: return a == 0 || b == 0 ? 0 : 1;
    case AtomicOp::kLxor: return (a == 0) == (b == 0) ? 0 : 1;
    case AtomicOp::kBor: return type.mask() - ((type.mask() - a) & (type.mask() - b));
    case AtomicOp::kBand: return a - (a & (type.mask() - b));
    case AtomicOp::kBxor: return (a | b) - (a & b);
    default: ADD_FAILURE(); return 0;
  }
}

TEST(AtomicCombineTest, IntegersFollowThePlainComputationOnBitPatterns) {
  for (const IntegerType& type : kIntegerTypes) {
    const std::size_t size = type.bits / 8;
    std::vector<std::uint64_t> targets;
    std::vector<std::uint64_t> data;
    for (std::uint64_t a : type.patterns()) {
      for (std::uint64_t b : type.patterns()) targets.push_back(a), data.push_back(b);
    }
    for (unsigned number = 0; number <= 9; ++number) {
      const AtomicOp op = op_of(number);
      std::vector<std::uint64_t> expected;
      for (std::size_t i = 0; i < targets.size(); ++i)
        expected.push_back(plain_combined(op, type, targets[i], data[i]));
      for (std::size_t length : kArrayLengths) {
        for (std::size_t offset : kOffsets) {
          for (std::size_t first = 0; first < targets.size(); first += length) {
            const std::size_t last = std::min(first + length, targets.size());
            const auto part = [&](const std::vector<std::uint64_t>& of) {
              return bytes_of(std::vector<std::uint64_t>(of.data() + first, of.data() + last),
                              size);
            };
            EXPECT_EQ(combined(op, type.type, part(targets), part(data), offset), part(expected))
                << "operation " << number << " on " << type.bits << " bits, signed "
                << type.is_signed << ", elements " << first << " to " << last;
          }
        }
      }
    }
  }
}

template <typename T>
T one(AtomicOp op, AtomicDatatype type, T target, T data) {
  return values_of<T>(combined(op, type, bytes_of<T>({target}), bytes_of<T>({data})))[0];
}

TEST(AtomicCombineTest, IntegersWrapAround) {
  EXPECT_EQ(one<std::int8_t>(AtomicOp::kSum, AtomicDatatype::kInt8, 127, 1), -128);
  EXPECT_EQ(one<std::int8_t>(AtomicOp::kProd, AtomicDatatype::kInt8, -128, -1), -128);
  EXPECT_EQ(one<std::uint8_t>(AtomicOp::kSum, AtomicDatatype::kUint8, 200, 100), 44);
  EXPECT_EQ(one<std::int16_t>(AtomicOp::kProd, AtomicDatatype::kInt16, 300, 300), 24464);
  EXPECT_EQ(one<std::uint16_t>(AtomicOp::kProd, AtomicDatatype::kUint16, 65535, 65535), 1);
  EXPECT_EQ(one<std::int32_t>(AtomicOp::kSum, AtomicDatatype::kInt32, 2147483647, 2), -2147483647);
  EXPECT_EQ(one<std::int32_t>(AtomicOp::kProd, AtomicDatatype::kInt32, 65536, 65536), 0);
  EXPECT_EQ(one<std::uint32_t>(AtomicOp::kSum, AtomicDatatype::kUint32, 4294967295U, 5), 4U);
  EXPECT_EQ(one<std::int64_t>(AtomicOp::kSum, AtomicDatatype::kInt64, 9223372036854775807, 1),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(one<std::int64_t>(AtomicOp::kProd, AtomicDatatype::kInt64,
                              std::numeric_limits<std::int64_t>::min(), -1),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(one<std::uint64_t>(AtomicOp::kProd, AtomicDatatype::kUint64, 18446744073709551615U,
                               18446744073709551615U),
            1U);
}

TEST(AtomicCombineTest, MinimumAndMaximumHeedTheSign) {
  EXPECT_EQ(one<std::int8_t>(AtomicOp::kMin, AtomicDatatype::kInt8, 1, -1), -1);
  EXPECT_EQ(one<std::uint8_t>(AtomicOp::kMin, AtomicDatatype::kUint8, 1, 255), 1);
  EXPECT_EQ(one<std::int16_t>(AtomicOp::kMax, AtomicDatatype::kInt16, -2, 3), 3);
  EXPECT_EQ(one<std::uint16_t>(AtomicOp::kMax, AtomicDatatype::kUint16, 65534, 3), 65534);
  EXPECT_EQ(one<std::int32_t>(AtomicOp::kMax, AtomicDatatype::kInt32, -1, 0), 0);
  EXPECT_EQ(one<std::uint32_t>(AtomicOp::kMax, AtomicDatatype::kUint32, 4294967295U, 0),
            4294967295U);
  EXPECT_EQ(one<std::int64_t>(AtomicOp::kMin, AtomicDatatype::kInt64, 5, -5), -5);
  EXPECT_EQ(one<std::uint64_t>(AtomicOp::kMin, AtomicDatatype::kUint64, 5, 18446744073709551611U),
            5U);
}

TEST(AtomicCombineTest, LogicalOperationsGiveZeroOrOne) {
  EXPECT_EQ(one<std::int32_t>(AtomicOp::kLand, AtomicDatatype::kInt32, 2, 4),
            1);  // no bit in common
  EXPECT_EQ(one<std::int32_t>(AtomicOp::kLor, AtomicDatatype::kInt32, 0, 6), 1);
  EXPECT_EQ(one<std::int32_t>(AtomicOp::kLxor, AtomicDatatype::kInt32, 2, 4), 0);
  // the high bits count too
  EXPECT_EQ(one<std::uint64_t>(AtomicOp::kLor, AtomicDatatype::kUint64, 0x100000000U, 0), 1U);
}

template <typename T>
struct Named;
template <>
struct Named<float> {
  static constexpr AtomicDatatype kReal = AtomicDatatype::kFloat;
  static constexpr AtomicDatatype kComplex = AtomicDatatype::kFloatComplex;
};
template <>
struct Named<double> {
  static constexpr AtomicDatatype kReal = AtomicDatatype::kDouble;
  static constexpr AtomicDatatype kComplex = AtomicDatatype::kDoubleComplex;
};
template <>
struct Named<long double> {
  static constexpr AtomicDatatype kReal = AtomicDatatype::kLongDouble;
  static constexpr AtomicDatatype kComplex = AtomicDatatype::kLongDoubleComplex;
};

template <typename T>
class AtomicFloatingTest : public testing::Test {};
using FloatingTypes = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(AtomicFloatingTest, FloatingTypes);

// All results are exact, or IEEE 754 defines them.
TYPED_TEST(AtomicFloatingTest, RealNumbersCombine) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const T inf = Limits::infinity();
  const T nan = Limits::quiet_NaN();
  const T big = Limits::max();
  const T tiny = Limits::denorm_min();
  const T fine = 1 + Limits::epsilon();  // lost if computed with less precision
  struct Row {
    T target, data, min, max, sum, product;
  };
  const std::vector<Row> kRows = {
      {T(1.5), T(-2.25), T(-2.25), T(1.5), T(-0.75), T(-3.375)},
      {T(-8), T(-0.125), T(-8), T(-0.125), T(-8.125), T(1)},
      {T(3), T(3), T(3), T(3), T(6), T(9)},
      {fine, T(2), fine, T(2), T(3), 2 * fine},
      {T(1), fine, T(1), fine, T(2), fine},
      // neither zero is less, so the target keeps its own
      {T(0), T(-0.0), T(0), T(0), T(0), T(-0.0)},
      {T(-0.0), T(0), T(-0.0), T(-0.0), T(0), T(-0.0)},
      {big, big, big, big, inf, inf},
      {-big, big, -big, big, T(0), -inf},
      {tiny, T(0.5), tiny, T(0.5), T(0.5), T(0)},
      {inf, -inf, -inf, inf, nan, -inf},
      {inf, T(0), T(0), inf, inf, nan},
      {nan, T(1), nan, nan, nan, nan},
      {T(1), nan, T(1), T(1), nan, nan},
      {nan, nan, nan, nan, nan, nan},
  };
  const auto column = [&](T Row::*member) {
    std::vector<T> values;
    std::transform(kRows.begin(), kRows.end(), std::back_inserter(values),
                   [&](const Row& row) { return row.*member; });
    return values;
  };
  const auto expect = [&](AtomicOp op, T Row::*result) {
    expect_combined<T>(op, Named<T>::kReal, column(&Row::target), column(&Row::data),
                       column(result));
  };
  expect(AtomicOp::kMin, &Row::min);
  expect(AtomicOp::kMax, &Row::max);
  expect(AtomicOp::kSum, &Row::sum);
  expect(AtomicOp::kProd, &Row::product);
}

TYPED_TEST(AtomicFloatingTest, ComplexNumbersCombine) {
  using T = TypeParam;
  using C = std::complex<T>;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T big = std::numeric_limits<T>::max();
  const T fine = 1 + std::numeric_limits<T>::epsilon();
  const std::vector<C> targets = {{1, 2},    {0, 1},     {T(-1.5), 2}, {big, 0},
                                  {0, fine}, {inf, inf}, {nan, 0}};
  const std::vector<C> data = {{3, 4}, {0, 1}, {2, T(-0.5)}, {big, 1}, {2, 1}, {1, 0}, {1, 1}};
  const std::vector<C> sums = {{4, 6}, {0, 2},     {T(0.5), T(1.5)}, {inf, 1},
                               {2, 2}, {inf, inf}, {nan, 1}};
  // (inf, inf) times 1 is infinite (C, Annex G). The four partial products alone would give NaN.
  const std::vector<C> products = {{-5, 10},          {-1, 0},    {-2, T(4.75)}, {inf, big},
                                   {-fine, 2 * fine}, {inf, inf}, {nan, nan}};
  expect_combined<C>(AtomicOp::kSum, Named<T>::kComplex, targets, data, sums);
  expect_combined<C>(AtomicOp::kProd, Named<T>::kComplex, targets, data, products);
}

TEST(AtomicSwapTest, PlainSwapTakesAnyBytesOfData) {
  for (unsigned type = 0; type < 14; ++type) {
    for (std::size_t length : kArrayLengths) {
      for (std::size_t offset : kOffsets) {
        Bytes data(length * size_of(type_of(type)));
        // includes signalling NaNs
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(255 - i);
        EXPECT_EQ(swapped(AtomicOp::kSwap, type_of(type), Bytes(data.size(), std::byte{3}), data,
                          {}, offset),
                  data)
            << type;
      }
    }
  }
}

// Whether the swap takes place for an operand less than, equal to, or greater than the target's
// value.
struct Condition {
  AtomicOp op;
  bool less, equal, greater;
};
constexpr Condition kConditions[] = {
    {AtomicOp::kCSwap, false, true, false},  {AtomicOp::kCSwapNe, true, false, true},
    {AtomicOp::kCSwapLe, true, true, false}, {AtomicOp::kCSwapLt, true, false, false},
    {AtomicOp::kCSwapGe, false, true, true}, {AtomicOp::kCSwapGt, false, false, true},
};

void expect_swap_if(bool condition, AtomicOp op, AtomicDatatype type, const Bytes& operand,
                    const Bytes& target) {
  const Bytes data(target.size(), std::byte{0x5a});
  for (std::size_t offset : kOffsets) {
    EXPECT_EQ(swapped(op, type, target, data, operand, offset), condition ? data : target)
        << "operation " << static_cast<int>(op) << " type " << static_cast<int>(type);
  }
}

// `ascending`: values, each less than the next.
void expect_conditions(AtomicDatatype type, const std::vector<Bytes>& ascending) {
  for (const Condition& condition : kConditions) {
    for (std::size_t operand = 0; operand < ascending.size(); ++operand) {
      for (std::size_t target = 0; target < ascending.size(); ++target) {
        const bool expected = operand < target    ? condition.less
                              : operand == target ? condition.equal
                                                  : condition.greater;
        expect_swap_if(expected, condition.op, type, ascending[operand], ascending[target]);
      }
    }
  }
}

TEST(AtomicSwapTest, ConditionComparesTheOperandWithTheTargetOfIntegers) {
  for (const IntegerType& type : kIntegerTypes) {
    const std::size_t size = type.bits / 8;
    const std::vector<std::uint64_t> positive = {0, 1, type.sign() - 1};
    const std::vector<std::uint64_t> high_bit = {type.sign(), type.sign() + 1, type.mask()};
    std::vector<Bytes> ascending;
    for (const auto& half :
         type.is_signed ? std::vector{high_bit, positive} : std::vector{positive, high_bit}) {
      for (std::uint64_t number : half) ascending.push_back(bytes_of({number}, size));
    }
    expect_conditions(type.type, ascending);
  }
}

TYPED_TEST(AtomicFloatingTest, ConditionComparesTheOperandWithTheTarget) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::vector<Bytes> ascending;
  for (T value : {-Limits::infinity(), Limits::lowest(), T(-1), -Limits::denorm_min(), T(0),
                  Limits::min(), T(1), 1 + Limits::epsilon(), Limits::max(), Limits::infinity()}) {
    ascending.push_back(bytes_of<T>({value}));
  }
  expect_conditions(Named<T>::kReal, ascending);
}

TYPED_TEST(AtomicFloatingTest, NanIsOnlyUnequal) {
  using T = TypeParam;
  const Bytes nan = bytes_of<T>({std::numeric_limits<T>::quiet_NaN()});
  const Bytes number = bytes_of<T>({T(1)});
  for (const Condition& condition : kConditions) {
    const bool expected = condition.op == AtomicOp::kCSwapNe;
    expect_swap_if(expected, condition.op, Named<T>::kReal, nan, number);
    expect_swap_if(expected, condition.op, Named<T>::kReal, number, nan);
    expect_swap_if(expected, condition.op, Named<T>::kReal, nan, nan);
  }
}

TYPED_TEST(AtomicFloatingTest, ZerosOfEitherSignAreEqual) {
  using T = TypeParam;
  expect_swap_if(true, AtomicOp::kCSwap, Named<T>::kReal, bytes_of<T>({T(0)}),
                 bytes_of<T>({T(-0.0)}));
  expect_swap_if(false, AtomicOp::kCSwapNe, Named<T>::kReal, bytes_of<T>({T(-0.0)}),
                 bytes_of<T>({T(0)}));
}

TYPED_TEST(AtomicFloatingTest, ConditionOnComplexNumbersComparesBothParts) {
  using C = std::complex<TypeParam>;
  const C values[] = {{1, 2}, {1, 3}, {2, 2}, {2, 1}, {-1, -2}};
  for (const C& operand : values) {
    for (const C& target : values) {
      const bool equal = &operand == &target;
      expect_swap_if(equal, AtomicOp::kCSwap, Named<TypeParam>::kComplex, bytes_of<C>({operand}),
                     bytes_of<C>({target}));
      expect_swap_if(!equal, AtomicOp::kCSwapNe, Named<TypeParam>::kComplex, bytes_of<C>({operand}),
                     bytes_of<C>({target}));
    }
  }
}

TEST(AtomicSwapTest, MaskedSwapTakesTheBitsUnderTheMask) {
  const Bytes result = swapped(AtomicOp::kMSwap, AtomicDatatype::kUint32, bytes_of({0x12345678}, 4),
                               bytes_of({0xaabbccdd}, 4), bytes_of({0x00ff00f0}, 4));
  EXPECT_EQ(result, bytes_of({0x12bb56d8}, 4));
}

TEST(AtomicSwapTest, MaskedSwapOnEveryIntegerTypeBitByBit) {
  for (const IntegerType& type : kIntegerTypes) {
    const std::size_t size = type.bits / 8;
    for (std::uint64_t target : type.patterns()) {
      for (std::uint64_t data : type.patterns()) {
        for (std::uint64_t mask : type.patterns()) {
          std::uint64_t expected = 0;
          for (unsigned bit = 0; bit < type.bits; ++bit) {
            const std::uint64_t from = (mask >> bit) % 2 == 1 ? data : target;
            expected += ((from >> bit) % 2) << bit;
          }
          EXPECT_EQ(swapped(AtomicOp::kMSwap, type.type, bytes_of({target}, size),
                            bytes_of({data}, size), bytes_of({mask}, size), 1),
                    bytes_of({expected}, size))
              << type.bits << " bits, mask " << mask;
        }
      }
    }
  }
}

// A long double, or both parts of a complex one, with padding (bytes 10 to 15) set to `padding`.
Bytes padded(const std::vector<long double>& parts, int padding) {
  Bytes bytes = bytes_of<long double>(parts);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 16 >= 10) bytes[i] = static_cast<std::byte>(padding);
  }
  return bytes;
}

TEST(AtomicPaddingTest, PaddingIsNotCompared) {
  EXPECT_EQ(swapped(AtomicOp::kCSwap, AtomicDatatype::kLongDouble, padded({2.5L}, 1),
                    padded({7}, 2), padded({2.5L}, 3)),
            padded({7}, 2));
  EXPECT_EQ(swapped(AtomicOp::kCSwapNe, AtomicDatatype::kLongDouble, padded({2.5L}, 1),
                    padded({7}, 2), padded({2.5L}, 3)),
            padded({2.5L}, 1));
  EXPECT_EQ(swapped(AtomicOp::kCSwap, AtomicDatatype::kLongDoubleComplex, padded({2, 3}, 1),
                    padded({7, 8}, 2), padded({2, 3}, 3)),
            padded({7, 8}, 2));
}

TEST(AtomicPaddingTest, WhatIsStoredHasThePaddingOfTheData) {
  EXPECT_EQ(combined(AtomicOp::kSum, AtomicDatatype::kLongDouble, padded({1, 2, 3}, 1),
                     padded({10, 20, 30}, 2)),
            padded({11, 22, 33}, 2));
  EXPECT_EQ(combined(AtomicOp::kProd, AtomicDatatype::kLongDouble, padded({3}, 1), padded({5}, 2)),
            padded({15}, 2));
  EXPECT_EQ(
      combined(AtomicOp::kMin, AtomicDatatype::kLongDouble, padded({1, 4}, 1), padded({2, 3}, 2)),
      padded({1, 3}, 2));
  EXPECT_EQ(
      combined(AtomicOp::kMax, AtomicDatatype::kLongDouble, padded({1, 4}, 1), padded({2, 3}, 2)),
      padded({2, 4}, 2));
  EXPECT_EQ(combined(AtomicOp::kSum, AtomicDatatype::kLongDoubleComplex, padded({1, 2}, 1),
                     padded({10, 20}, 2)),
            padded({11, 22}, 2));
  EXPECT_EQ(combined(AtomicOp::kProd, AtomicDatatype::kLongDoubleComplex, padded({1, 2}, 1),
                     padded({3, 4}, 2)),
            padded({-5, 10}, 2));
}

TEST(AtomicOperationTest, NoBytesAreLeftAlone) {
  for (unsigned op = 0; op < 18; ++op) {
    for (unsigned type = 0; type < 14; ++type) {
      if (is_legal(AtomicCall::kAtomic, op_of(op), type_of(type)))
        combine(op_of(op), type_of(type), {}, {});
      if (is_legal(AtomicCall::kSwap, op_of(op), type_of(type)))
        swap(op_of(op), type_of(type), {}, {}, {});
    }
  }
}

TEST(AtomicOperationDeathTest, WhatTheRulesRefuseStopsTheProcess) {
  Bytes target(8);
  const Bytes data(8);
  const std::span<const std::byte> four = std::span(data).first(4);
  EXPECT_DEATH(combine(AtomicOp::kBor, AtomicDatatype::kFloat, target, data), "is_legal");
  EXPECT_DEATH(combine(AtomicOp::kSwap, AtomicDatatype::kInt32, target, data), "is_legal");
  EXPECT_DEATH(combine(op_of(200), AtomicDatatype::kInt32, target, data), "is_legal");
  EXPECT_DEATH(swap(AtomicOp::kSum, AtomicDatatype::kInt32, target, data, four), "is_legal");
  EXPECT_DEATH(combine(AtomicOp::kSum, AtomicDatatype::kInt32, target, four), "size");
  EXPECT_DEATH(combine(AtomicOp::kSum, AtomicDatatype::kDoubleComplex, target, data), "size");
  EXPECT_DEATH(swap(AtomicOp::kCSwap, AtomicDatatype::kInt32, target, data, four), "size");
  EXPECT_DEATH(swap(AtomicOp::kCSwap, AtomicDatatype::kInt64, target, data, four), "size");
}

}  // namespace
}  // namespace lintel::portals
