#pragma once
// Operation: one reduction, predefined or of the program (MPI 5.0, clause 6.9).
//
// Values of predefined operations never change. An operation of the program is shared by its
// handles and by the reductions under way. Any thread.
// Does not: know the signature of the program's function; the caller wraps it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "mpi_layer/mpi/objects/element.h"

namespace lintel::mpi {

enum class Reduction : std::uint8_t {
  kSum,
  kMin,
  kMax,
  kProduct,
  kBitAnd,
  kBitOr,
  kBitXor,
  kAnd,
  kOr,
  kXor,
  kMinLocation,
  kMaxLocation
};
inline constexpr std::size_t kReductions = 12;

// inout[i] = in[i] op inout[i] for `count` elements. The arrays need not be aligned. They must not
// overlap. Integers wrap around. Logical results are 0 or 1. For equal values MINLOC and MAXLOC
// keep the lower index. With a NaN the result of MIN, MAX, MINLOC and MAXLOC is one of the two
// elements.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

// The kernel of a predefined operation on elements of a basic type. Null if that pair is not
// allowed, or if this machine has no such number. As an extension of the standard, characters and
// bytes are integers, and all integers may be operands of logical operations.
Kernel find_kernel(Reduction reduction, Family family, Form form);

// The kernels by kind of operation and form; null if the form does not allow it. Each kind has a
// file of its own, because there are many functions.
Kernel arithmetic_kernel(Reduction reduction, Form form);
Kernel bitwise_kernel(Reduction reduction, Form form);
Kernel logical_kernel(Reduction reduction, Form form);
Kernel location_kernel(Reduction reduction, Form form);

// The operands of a reduction: `count` items of the datatype with that handle value, `extent` bytes
// apart.
struct Operands {
  const void* in;
  void* inout;
  std::int64_t count;
  std::int64_t extent;
  std::uintptr_t datatype;
};

// An operation of the program, on any datatype.
struct UserOperation {
  std::function<void(const Operands& operands)> apply;
  bool commutes = false;
};
using UserOperationRef = std::shared_ptr<const UserOperation>;

}  // namespace lintel::mpi
