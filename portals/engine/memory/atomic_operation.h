#pragma once
// The arithmetic of the atomic operations of Portals 4: how atomic, fetch-atomic and swap change
// memory. Pure functions.
//
// They use the spans only during the call. Any thread, any alignment; no allocation. Numbers have
// the byte order and format of the host (little endian, IEEE 754, long double of x86). The caller
// converts other orders.
// Invariants: (1) nothing outside `target` is written; (2) no values are refused: integers wrap
// around, floating point follows IEEE 754; (3) the padding of a long double has no effect, and the
// result has the padding of `data`.
// Does not: make anything atomic (the caller's lock does that), keep the old value for the
// initiator (copy it before), or check values from the wire. is_known_op, is_known_datatype and
// is_sound check them; combine and swap abort on values that these refuse.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lintel::portals {

// The values are those of the Portals 4 API.
enum class AtomicOp : std::uint8_t {
  kMin = 0,
  kMax = 1,
  kSum = 2,
  kProd = 3,
  kLor = 4,
  kLand = 5,
  kBor = 6,
  kBand = 7,
  kLxor = 8,
  kBxor = 9,
  kSwap = 10,
  kCSwap = 11,
  kCSwapNe = 12,
  kCSwapLe = 13,
  kCSwapLt = 14,
  kCSwapGe = 15,
  kCSwapGt = 16,
  kMSwap = 17,
};
inline constexpr std::uint8_t kAtomicOps = 18;

enum class AtomicDatatype : std::uint8_t {
  kInt8 = 0,
  kUint8 = 1,
  kInt16 = 2,
  kUint16 = 3,
  kInt32 = 4,
  kUint32 = 5,
  kFloat = 6,
  kInt64 = 7,
  kUint64 = 8,
  kDouble = 9,
  kFloatComplex = 10,
  kDoubleComplex = 11,
  kLongDouble = 12,
  kLongDoubleComplex = 13,
};
inline constexpr std::uint8_t kDatatypes = 14;

enum class AtomicCall : std::uint8_t { kAtomic, kFetchAtomic, kSwap };

// Whether a number is one of the values above.
constexpr bool is_known_op(std::uint8_t raw) { return raw < kAtomicOps; }
constexpr bool is_known_datatype(std::uint8_t raw) { return raw < kDatatypes; }

// Bytes of one element; 0 for a value that is not a datatype.
constexpr std::size_t size_of(AtomicDatatype type) {
  constexpr std::array<std::uint8_t, kDatatypes> kSizes{1, 1, 2, 2, 4,  4,  4,
                                                        8, 8, 8, 8, 16, 16, 32};
  const auto index = static_cast<std::uint8_t>(type);
  return is_known_datatype(index) ? kSizes[index] : 0;
}

// Whether `call` may carry `op` on elements of `type`. False for values that are not listed above.
bool is_legal(AtomicCall call, AtomicOp op, AtomicDatatype type);

// Whether `op` works on one element only (the conditional and masked swaps) and not on arrays.
constexpr bool single_element(AtomicOp op) {
  return op >= AtomicOp::kCSwap && op <= AtomicOp::kMSwap;
}

// Whether `call` may carry `op` on `length` bytes of `type`.
bool is_sound(AtomicCall call, AtomicOp op, AtomicDatatype type, std::uint64_t length);

// target[i] = target[i] op data[i], for kMin to kBxor. Logical operations give 0 or 1. If either
// value is a NaN, kMin and kMax leave the target's value unchanged. A complex product with
// infinities follows C (Annex G).
// REQUIRES: is_legal() for kAtomic; spans of the same size, a multiple of size_of(type), or 0. If
// they overlap, the result is unspecified.
void combine(AtomicOp op, AtomicDatatype type, std::span<std::byte> target,
             std::span<const std::byte> data);

// kSwap: target[i] = data[i]. kCSwap...: target = data if `operand xx target`. Values are compared
// (0.0 == -0.0; a NaN equals nothing), of complex numbers both parts. kMSwap: target takes from
// data the bits that are 1 in operand.
// REQUIRES: is_legal() for kSwap; target and data of the same size: 0 (then nothing happens), a
// multiple of size_of(type), or one element if single_element(op); operand is one element, unused
// with kSwap. If target overlaps another span, the result is unspecified.
void swap(AtomicOp op, AtomicDatatype type, std::span<std::byte> target,
          std::span<const std::byte> data, std::span<const std::byte> operand);

}  // namespace lintel::portals
