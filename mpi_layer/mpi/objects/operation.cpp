#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

namespace {

// True if elements of the family may be operands of every operation on integers.
bool is_integer(Family family) {
  return family == Family::kInteger || family == Family::kFortranInteger ||
         family == Family::kMultiLanguage || family == Family::kCharacter;
}

}  // namespace

Kernel find_kernel(Reduction reduction, Family family, Form form) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kProduct:
      return is_integer(family) || family == Family::kFloating || family == Family::kComplex
                 ? arithmetic_kernel(reduction, form)
                 : nullptr;
    case Reduction::kMin:
    case Reduction::kMax:
      return is_integer(family) || family == Family::kFloating ? arithmetic_kernel(reduction, form)
                                                               : nullptr;
    case Reduction::kBitAnd:
    case Reduction::kBitOr:
    case Reduction::kBitXor: return is_integer(family) ? bitwise_kernel(reduction, form) : nullptr;
    case Reduction::kAnd:
    case Reduction::kOr:
    case Reduction::kXor:
      return is_integer(family) || family == Family::kLogical ? logical_kernel(reduction, form)
                                                              : nullptr;
    case Reduction::kMinLocation:
    case Reduction::kMaxLocation:
      return family == Family::kPair ? location_kernel(reduction, form) : nullptr;
  }
  return nullptr;
}

}  // namespace lintel::mpi
