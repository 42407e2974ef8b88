// MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX.
#include <type_traits>

#include "mpi_layer/mpi/objects/machine_number.h"

namespace lintel::mpi {

namespace {

template <class T>
constexpr bool kIsInteger = std::is_integral_v<T> || std::is_same_v<T, Int128>;

// An unsigned type that is not narrower than int. Its overflow is defined, and its low bits equal
// those of the arithmetic of T.
template <class T>
using WrappingType =
    std::conditional_t<sizeof(T) == 16, UInt128,
                       std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;

struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>) {
      return static_cast<T>(static_cast<WrappingType<T>>(a) + static_cast<WrappingType<T>>(b));
    } else {
      return a + b;
    }
  }
};

struct Product {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (kIsInteger<T>) {
      return static_cast<T>(static_cast<WrappingType<T>>(a) * static_cast<WrappingType<T>>(b));
    } else {
      return a * b;
    }
  }
};

struct Lesser {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};

struct Greater {
  template <class T>
  T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

template <class Combine>
struct KernelOf {
  template <class T>
  struct KernelFor {
    static constexpr Kernel value = kernel<T, Combine>;
  };

  static Kernel ordered(Form form) {
    const Kernel integer = for_integer<KernelFor>(form);
    return integer != nullptr ? integer : for_floating<KernelFor>(form);
  }
  static Kernel any(Form form) {
    const Kernel real = ordered(form);
    return real != nullptr ? real : for_complex<KernelFor>(form);
  }
};

}  // namespace

Kernel arithmetic_kernel(Reduction reduction, Form form) {
  switch (reduction) {
    case Reduction::kSum: return KernelOf<Sum>::any(form);
    case Reduction::kProduct: return KernelOf<Product>::any(form);
    case Reduction::kMin: return KernelOf<Lesser>::ordered(form);
    case Reduction::kMax: return KernelOf<Greater>::ordered(form);
    default: return nullptr;
  }
}

}  // namespace lintel::mpi
