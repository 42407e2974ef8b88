#include "portals/engine/memory/atomic_operation.h"

#include <bit>
#include <complex>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/assert.h"

namespace lintel::portals {

namespace {

static_assert(std::endian::native == std::endian::little);

enum Kinds : unsigned { kIntegers = 1, kReals = 2, kComplexes = 4 };

struct Rule {
  unsigned kinds;
  bool swaps;  // true: for kSwap; false: for kAtomic and kFetchAtomic
};

constexpr std::array<Rule, kAtomicOps> kRules{{
    {kIntegers | kReals, false},               // kMin
    {kIntegers | kReals, false},               // kMax
    {kIntegers | kReals | kComplexes, false},  // kSum
    {kIntegers | kReals | kComplexes, false},  // kProd
    {kIntegers, false},                        // kLor
    {kIntegers, false},                        // kLand
    {kIntegers, false},                        // kBor
    {kIntegers, false},                        // kBand
    {kIntegers, false},                        // kLxor
    {kIntegers, false},                        // kBxor
    {kIntegers | kReals | kComplexes, true},   // kSwap
    {kIntegers | kReals | kComplexes, true},   // kCSwap
    {kIntegers | kReals | kComplexes, true},   // kCSwapNe
    {kIntegers | kReals, true},                // kCSwapLe
    {kIntegers | kReals, true},                // kCSwapLt
    {kIntegers | kReals, true},                // kCSwapGe
    {kIntegers | kReals, true},                // kCSwapGt
    {kIntegers, true},                         // kMSwap
}};

template <typename T>
concept Integer = std::integral<T>;
template <typename T>
concept Ordered = std::integral<T> || std::floating_point<T>;

constexpr unsigned kind_of(AtomicDatatype type) {
  switch (type) {
    case AtomicDatatype::kFloat:
    case AtomicDatatype::kDouble:
    case AtomicDatatype::kLongDouble: return kReals;
    case AtomicDatatype::kFloatComplex:
    case AtomicDatatype::kDoubleComplex:
    case AtomicDatatype::kLongDoubleComplex: return kComplexes;
    default: return kIntegers;
  }
}

// Calls action.template operator()<T>() with T the type of the elements.
template <typename Action>
void with_element(AtomicDatatype type, Action action) {
  switch (type) {
    case AtomicDatatype::kInt8: return action.template operator()<std::int8_t>();
    case AtomicDatatype::kUint8: return action.template operator()<std::uint8_t>();
    case AtomicDatatype::kInt16: return action.template operator()<std::int16_t>();
    case AtomicDatatype::kUint16: return action.template operator()<std::uint16_t>();
    case AtomicDatatype::kInt32: return action.template operator()<std::int32_t>();
    case AtomicDatatype::kUint32: return action.template operator()<std::uint32_t>();
    case AtomicDatatype::kFloat: return action.template operator()<float>();
    case AtomicDatatype::kInt64: return action.template operator()<std::int64_t>();
    case AtomicDatatype::kUint64: return action.template operator()<std::uint64_t>();
    case AtomicDatatype::kDouble: return action.template operator()<double>();
    case AtomicDatatype::kFloatComplex: return action.template operator()<std::complex<float>>();
    case AtomicDatatype::kDoubleComplex: return action.template operator()<std::complex<double>>();
    case AtomicDatatype::kLongDouble: return action.template operator()<long double>();
    case AtomicDatatype::kLongDoubleComplex:
      return action.template operator()<std::complex<long double>>();
  }
}

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void store(std::byte* to, T value, const std::byte* /*data*/) {
  std::memcpy(to, &value, sizeof value);
}

// The value is in the first ten of the sixteen bytes. The other bytes are taken from data, because
// those of a variable are undefined.
void store(std::byte* to, long double value, const std::byte* data) {
  static_assert(sizeof value == 16 && std::numeric_limits<long double>::digits == 64);
  std::array<std::byte, sizeof value> bytes;
  std::memcpy(bytes.data(), data, sizeof value);
  std::memcpy(bytes.data(), &value, 10);
  std::memcpy(to, bytes.data(), sizeof value);
}

void store(std::byte* to, std::complex<long double> value, const std::byte* data) {
  store(to, value.real(), data);
  store(to + sizeof(long double), value.imag(), data + sizeof(long double));
}

template <typename T, typename Function>
void for_each_element(std::span<std::byte> target, std::span<const std::byte> data,
                      Function function) {
  std::byte* to = target.data();
  const std::byte* from = data.data();
  const std::size_t count = target.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i, to += sizeof(T), from += sizeof(T)) {
    store(to, static_cast<T>(function(load<T>(to), load<T>(from))), from);
  }
}

// An unsigned type that is not narrower than int: there is neither overflow nor promotion to a
// signed type, and the low bits are those of T's arithmetic.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) < 8, std::uint32_t, std::uint64_t>;

template <typename T>
T sum(T target, T data) {
  if constexpr (Integer<T>) {
    return static_cast<T>(static_cast<Wrapping<T>>(target) + static_cast<Wrapping<T>>(data));
  } else {
    return target + data;
  }
}

template <typename T>
T product(T target, T data) {
  if constexpr (Integer<T>) {
    return static_cast<T>(static_cast<Wrapping<T>>(target) * static_cast<Wrapping<T>>(data));
  } else {
    return target * data;
  }
}

template <typename T>
void combine_elements(AtomicOp op, std::span<std::byte> target, std::span<const std::byte> data) {
  const auto each = [&](auto function) { for_each_element<T>(target, data, function); };
  if (op == AtomicOp::kSum) return each([](T t, T d) { return sum(t, d); });
  if (op == AtomicOp::kProd) return each([](T t, T d) { return product(t, d); });
  if constexpr (Ordered<T>) {
    if (op == AtomicOp::kMin) return each([](T t, T d) { return d < t ? d : t; });
    if (op == AtomicOp::kMax) return each([](T t, T d) { return d > t ? d : t; });
  }
  if constexpr (Integer<T>) {
    if (op == AtomicOp::kLor) return each([](T t, T d) { return t != 0 || d != 0; });
    if (op == AtomicOp::kLand) return each([](T t, T d) { return t != 0 && d != 0; });
    if (op == AtomicOp::kLxor) return each([](T t, T d) { return (t != 0) != (d != 0); });
    if (op == AtomicOp::kBor) return each([](T t, T d) { return t | d; });
    if (op == AtomicOp::kBand) return each([](T t, T d) { return t & d; });
    if (op == AtomicOp::kBxor) return each([](T t, T d) { return t ^ d; });
  }
}

template <typename T>
bool condition_holds(AtomicOp op, T operand, T target) {
  if (op == AtomicOp::kCSwap) return operand == target;
  if (op == AtomicOp::kCSwapNe) return operand != target;
  if constexpr (Ordered<T>) {
    if (op == AtomicOp::kCSwapLe) return operand <= target;
    if (op == AtomicOp::kCSwapLt) return operand < target;
    if (op == AtomicOp::kCSwapGe) return operand >= target;
    if (op == AtomicOp::kCSwapGt) return operand > target;
  }
  return false;
}

template <typename T>
void swap_element(AtomicOp op, std::byte* target, const std::byte* data, const std::byte* operand) {
  if constexpr (Integer<T>) {
    if (op == AtomicOp::kMSwap) {
      const T mask = load<T>(operand);
      return store(target, static_cast<T>((mask & load<T>(data)) | (~mask & load<T>(target))),
                   data);
    }
  }
  if (condition_holds(op, load<T>(operand), load<T>(target))) std::memmove(target, data, sizeof(T));
}

}  // namespace

bool is_legal(AtomicCall call, AtomicOp op, AtomicDatatype type) {
  const auto row = static_cast<std::uint8_t>(op);
  if (!is_known_op(row) || !is_known_datatype(static_cast<std::uint8_t>(type)) ||
      call > AtomicCall::kSwap)
    return false;
  return kRules[row].swaps == (call == AtomicCall::kSwap) &&
         (kRules[row].kinds & kind_of(type)) != 0;
}

bool is_sound(AtomicCall call, AtomicOp op, AtomicDatatype type, std::uint64_t length) {
  if (!is_legal(call, op, type)) return false;
  const std::size_t element = size_of(type);
  return length % element == 0 && (!single_element(op) || length == element);
}

void combine(AtomicOp op, AtomicDatatype type, std::span<std::byte> target,
             std::span<const std::byte> data) {
  LINTEL_ASSERT(is_legal(AtomicCall::kAtomic, op, type));
  LINTEL_ASSERT(target.size() == data.size() && target.size() % size_of(type) == 0);
  with_element(type, [&]<typename T>() { combine_elements<T>(op, target, data); });
}

void swap(AtomicOp op, AtomicDatatype type, std::span<std::byte> target,
          std::span<const std::byte> data, std::span<const std::byte> operand) {
  LINTEL_ASSERT(is_legal(AtomicCall::kSwap, op, type));
  LINTEL_ASSERT(target.size() == data.size() && target.size() % size_of(type) == 0);
  if (target.empty()) return;
  // Copied as bytes, because storing numbers could change their padding.
  if (op == AtomicOp::kSwap) {
    std::memmove(target.data(), data.data(), target.size());
    return;
  }
  LINTEL_ASSERT(target.size() == size_of(type) && operand.size() == size_of(type));
  with_element(
      type, [&]<typename T>() { swap_element<T>(op, target.data(), data.data(), operand.data()); });
}

}  // namespace lintel::portals
