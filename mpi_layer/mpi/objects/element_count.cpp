#include "mpi_layer/mpi/objects/element_count.h"

#include <algorithm>

#include "mpi_layer/mpi/objects/checked_number.h"

namespace lintel::mpi {

namespace {

// The part of `type` in which `amount` ends, with what the parts before it hold taken off `amount` and added to `other`. Whole items of
// the part are taken off as well. `measure` and `counterpart` are what amount and other count: bytes and elements, or the reverse.
// REQUIRES: 0 < amount < measure(type), so that there is such a part unless the items before it use amount up.
template <class Measure, class Counterpart>
const Datatype* part_at(const Datatype& type, Measure measure, Counterpart counterpart, std::int64_t& amount, std::int64_t& other) {
  for (const Part& part : type.parts()) {
    const std::int64_t whole = std::min(part.copies, amount / measure(*part.type));
    amount -= whole * measure(*part.type);
    other += whole * counterpart(*part.type);
    if (whole < part.copies) return part.type.get();
  }
  return nullptr;
}

template <class Measure, class Counterpart>
std::optional<std::int64_t> counterpart_of(const Datatype& type, std::int64_t amount, Measure measure, Counterpart counterpart) {
  if (amount == 0) return 0;
  if (measure(type) == 0) return std::nullopt;
  const CheckedNumber whole = CheckedNumber(amount / measure(type)) * counterpart(type);
  if (!whole.fits()) return std::nullopt;
  std::int64_t other = whole.value();
  amount %= measure(type);
  const Datatype* inner = &type;
  while (amount > 0) {
    if (inner->parts().empty()) return std::nullopt;  // within a basic element
    inner = part_at(*inner, measure, counterpart, amount, other);
  }
  return other;
}

constexpr auto kBytes = [](const Datatype& type) { return type.shape().size; };
constexpr auto kElements = [](const Datatype& type) { return type.shape().elements; };

}  // namespace

std::optional<std::int64_t> elements_in_bytes(const Datatype& type, std::int64_t bytes) {
  return counterpart_of(type, bytes, kBytes, kElements);
}

std::optional<std::int64_t> bytes_of_elements(const Datatype& type, std::int64_t elements) {
  return counterpart_of(type, elements, kElements, kBytes);
}

}  // namespace lintel::mpi
