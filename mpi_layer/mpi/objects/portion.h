#pragma once
// Portion: where a part of packed items ends, measured in two units: how many basic elements, or
// how many bytes of another format, correspond to a number of bytes.
//
// Pure functions. Cost: the parts of the type and of nested types on one path, independent of the
// counts.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

struct Portion {
  std::int64_t counterpart = 0;  // of the complete basic elements
  std::int64_t rest = 0;         // the rest of the amount, within a basic element
};

// The part of `type` in which `amount` ends. The measure of the parts before it, and of whole items
// of that part, is subtracted from `amount` and its counterpart added to `other`. REQUIRES: 0 <
// amount < measure(type), so that there is such a part unless the items before it use up the
// amount.
template <class Measure, class Counterpart>
const Datatype* part_at(const Datatype& type, Measure measure, Counterpart counterpart,
                        std::int64_t& amount, std::int64_t& other) {
  for (const Part& part : type.parts()) {
    const std::int64_t whole = std::min(part.copies, amount / measure(*part.type));
    amount -= whole * measure(*part.type);
    other += whole * counterpart(*part.type);
    if (whole < part.copies) return part.type.get();
  }
  return nullptr;
}

// Converts the first `amount` of any number of items of `type` to the other unit. `measure(type)`
// and `counterpart(type)` are the size of one item in the given and in the wanted unit. Nothing:
// amount > 0 and the type has no size, or the number does not fit in 63 bits. REQUIRES: amount >=
// 0.
template <class Measure, class Counterpart>
std::optional<Portion> portion_of(const Datatype& type, std::int64_t amount, Measure measure,
                                  Counterpart counterpart) {
  if (amount == 0) return Portion{};
  if (measure(type) == 0) return std::nullopt;
  const CheckedNumber whole = CheckedNumber(amount / measure(type)) * counterpart(type);
  if (!whole.fits()) return std::nullopt;
  Portion portion{whole.value(), amount % measure(type)};
  const Datatype* inner = &type;
  while (portion.rest > 0 && !inner->parts().empty())
    inner = part_at(*inner, measure, counterpart, portion.rest, portion.counterpart);
  return portion;
}

}  // namespace lintel::mpi
