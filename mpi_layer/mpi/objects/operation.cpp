#include "mpi_layer/mpi/objects/operation.h"

namespace lintel::mpi {

namespace {

bool is_arithmetic(Family family) {
  return family == Family::kInteger || family == Family::kFortranInteger || family == Family::kMultiLanguage || family == Family::kFloating;
}

}  // namespace

Kernel find_kernel(Reduction reduction, Family family, Form form) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kProduct: return is_arithmetic(family) || family == Family::kComplex ? arithmetic_kernel(reduction, form) : nullptr;
    case Reduction::kMin:
    case Reduction::kMax: return is_arithmetic(family) ? arithmetic_kernel(reduction, form) : nullptr;
    case Reduction::kBitAnd:
    case Reduction::kBitOr:
    case Reduction::kBitXor:
      return (is_arithmetic(family) && family != Family::kFloating) || family == Family::kByte ? bitwise_kernel(reduction, form) : nullptr;
    case Reduction::kAnd:
    case Reduction::kOr:
    case Reduction::kXor: return family == Family::kInteger || family == Family::kLogical ? logical_kernel(reduction, form) : nullptr;
    case Reduction::kMinLocation:
    case Reduction::kMaxLocation: return family == Family::kPair ? location_kernel(reduction, form) : nullptr;
  }
  return nullptr;
}

}  // namespace lintel::mpi
