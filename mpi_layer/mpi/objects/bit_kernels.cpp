// MPI_BAND, MPI_BOR, MPI_BXOR and MPI_LAND, MPI_LOR, MPI_LXOR. A logical form is an integer of its
// size. Every value except 0 is true.
#include "mpi_layer/mpi/objects/machine_number.h"

namespace lintel::mpi {

namespace {

template <template <class> class Combine>
struct IntegerKernelOf {
  template <class T>
  struct IntegerKernelFor {
    static constexpr Kernel value = kernel<T, Combine<T>>;
  };
};

template <class T>
struct BitAnd {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T>
struct BitOr {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T>
struct BitXor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <class T>
struct And {
  T operator()(T a, T b) const { return static_cast<T>((a != 0) & (b != 0)); }
};
template <class T>
struct Or {
  T operator()(T a, T b) const { return static_cast<T>((a != 0) | (b != 0)); }
};
template <class T>
struct Xor {
  T operator()(T a, T b) const { return static_cast<T>((a != 0) != (b != 0)); }
};

}  // namespace

Kernel bitwise_kernel(Reduction reduction, Form form) {
  switch (reduction) {
    case Reduction::kBitAnd: return for_integer<IntegerKernelOf<BitAnd>::IntegerKernelFor>(form);
    case Reduction::kBitOr: return for_integer<IntegerKernelOf<BitOr>::IntegerKernelFor>(form);
    case Reduction::kBitXor: return for_integer<IntegerKernelOf<BitXor>::IntegerKernelFor>(form);
    default: return nullptr;
  }
}

Kernel logical_kernel(Reduction reduction, Form form) {
  switch (reduction) {
    case Reduction::kAnd: return for_integer<IntegerKernelOf<And>::IntegerKernelFor>(form);
    case Reduction::kOr: return for_integer<IntegerKernelOf<Or>::IntegerKernelFor>(form);
    case Reduction::kXor: return for_integer<IntegerKernelOf<Xor>::IntegerKernelFor>(form);
    default: return nullptr;
  }
}

}  // namespace lintel::mpi
