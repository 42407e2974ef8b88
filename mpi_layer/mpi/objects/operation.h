#pragma once
// Operation: one reduction, predefined or the program's own (MPI 5.0, clause 6.9).
//
// Values of the predefined ones never change; a user's operation is shared by its handles and by
// the reductions under way.
// Any thread. Does not: know the signature of a user's function; the caller wraps it.

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

// inout[i] = in[i] op inout[i] for `count` elements. No alignment is asked for; the arrays must not
// overlap.
// Integers wrap around. Logical results are 0 or 1. Of equal values MINLOC and MAXLOC keep the
// lesser index. With a NaN the result of MIN, MAX, MINLOC and MAXLOC is one of the two elements.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

// The kernel for a predefined operation on elements of a basic type, or null if there is none for
// that pair (or this machine has no such number). Beyond the standard, characters and bytes are
// integers, and all integers may be operands of logical operations.
Kernel find_kernel(Reduction reduction, Family family, Form form);

// The tables by kind of operation, indexed by form; null where the form cannot. In a file each, for
// they are many functions.
Kernel arithmetic_kernel(Reduction reduction, Form form);
Kernel bitwise_kernel(Reduction reduction, Form form);
Kernel logical_kernel(Reduction reduction, Form form);
Kernel location_kernel(Reduction reduction, Form form);

// Elements of a reduction: `count` items of the datatype with that handle's value, `extent` bytes
// apart.
struct Operands {
  const void* in;
  void* inout;
  std::int64_t count;
  std::int64_t extent;
  std::uintptr_t datatype;
};

// A program's own operation, on any datatype.
struct UserOperation {
  std::function<void(const Operands& operands)> apply;
  bool commutes = false;
};
using UserOperationRef = std::shared_ptr<const UserOperation>;

}  // namespace lintel::mpi
