#pragma once
// Where a part of packed items ends, by two measures: so many bytes of them are how many basic
// elements, or how many bytes in another format.
//
// Pure. Cost: the parts of the type and of those within it on one way down, not the counts.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/objects/datatype.h"

namespace lintel::mpi {

struct Portion {
  std::int64_t counterpart = 0;  // of the whole basic elements
  std::int64_t rest = 0;         // what of the amount is left, within a basic element
};

// The part of `type` in which `amount` ends, with what the parts before it hold taken off `amount`
// and added to `other`. Whole items of the part are taken off as well. REQUIRES: 0 < amount <
// measure(type), so that there is such a part unless the items before it use amount up.
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

// Of the first `amount` of items of `type`, as many as it takes. `measure(type)` and
// `counterpart(type)` are of one item: what is given, and what is asked for. Nothing: there is an
// amount and the type has none, or the number does not fit in 63 bits. REQUIRES: amount >= 0.
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
