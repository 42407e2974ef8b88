#pragma once
// The C++ type of each Form, and the loop of all kernels. Only the files that define kernels need
// it.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpi_layer/mpi/objects/element.h"
#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;
__extension__ using Quad = __float128;

// std::complex has no arithmetic for types other than the standard ones.
struct QuadComplex {
  Quad real;
  Quad imaginary;
  friend QuadComplex operator+(QuadComplex a, QuadComplex b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  friend QuadComplex operator*(QuadComplex a, QuadComplex b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};

// The pairs for MINLOC and MAXLOC as C programs declare them.
template <class Value, class Index>
struct ValueIndex {
  Value value;
  Index index;
};
using FloatIntPair = ValueIndex<float, int>;
using DoubleIntPair = ValueIndex<double, int>;
using LongIntPair = ValueIndex<long, int>;
using TwoIntPair = ValueIndex<int, int>;
using ShortIntPair = ValueIndex<short, int>;
using LongDoubleIntPair = ValueIndex<long double, int>;
using TwoFloatPair = ValueIndex<float, float>;
using TwoDoublePair = ValueIndex<double, double>;

// Uses memcpy, because elements need not be aligned. Compilers generate the same vector
// instructions for it.
template <class T, class Combine>
void for_each_pair(const void* in, void* inout, std::size_t count, Combine combine) {
  const char* __restrict from = static_cast<const char*>(in);
  char* __restrict to = static_cast<char*>(inout);
  for (std::size_t i = 0; i < count; ++i) {
    T a;
    T b;
    std::memcpy(&a, from + i * sizeof(T), sizeof(T));
    std::memcpy(&b, to + i * sizeof(T), sizeof(T));
    b = combine(a, b);
    std::memcpy(to + i * sizeof(T), &b, sizeof(T));
  }
}

// A Kernel of the stateless function object `Combine`.
template <class T, class Combine>
void kernel(const void* in, void* inout, std::size_t count) {
  for_each_pair<T>(in, inout, count, Combine{});
}

// `Chosen<T>::value` for the integer T of a form; null if the form is no integer.
template <template <class> class Chosen>
Kernel for_integer(Form form) {
  switch (form) {
    case Form::kInt8: return Chosen<std::int8_t>::value;
    case Form::kInt16: return Chosen<std::int16_t>::value;
    case Form::kInt32: return Chosen<std::int32_t>::value;
    case Form::kInt64: return Chosen<std::int64_t>::value;
    case Form::kInt128: return Chosen<Int128>::value;
    case Form::kUint8: return Chosen<std::uint8_t>::value;
    case Form::kUint16: return Chosen<std::uint16_t>::value;
    case Form::kUint32: return Chosen<std::uint32_t>::value;
    case Form::kUint64: return Chosen<std::uint64_t>::value;
    default: return nullptr;
  }
}

template <template <class> class Chosen>
Kernel for_floating(Form form) {
  switch (form) {
    case Form::kFloat: return Chosen<float>::value;
    case Form::kDouble: return Chosen<double>::value;
    case Form::kLongDouble: return Chosen<long double>::value;
    case Form::kQuad: return Chosen<Quad>::value;
    default: return nullptr;
  }
}

template <template <class> class Chosen>
Kernel for_complex(Form form) {
  switch (form) {
    case Form::kFloatComplex: return Chosen<std::complex<float>>::value;
    case Form::kDoubleComplex: return Chosen<std::complex<double>>::value;
    case Form::kLongDoubleComplex: return Chosen<std::complex<long double>>::value;
    case Form::kQuadComplex: return Chosen<QuadComplex>::value;
    default: return nullptr;
  }
}

}  // namespace lintel::mpi
