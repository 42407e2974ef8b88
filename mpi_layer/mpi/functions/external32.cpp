#include "mpi_layer/mpi/functions/external32.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/objects/machine_number.h"

namespace lintel::mpi {

namespace {

// A basic element is `units` numbers, each of which is converted by itself.
struct Unit {
  std::size_t native;
  std::size_t external;
  std::size_t units;
  enum class Kind { kSwapped, kSigned, kUnsigned, kLongDouble } kind;  // kSwapped: of equal sizes, the order of the bytes differs
};

Unit unit_of(const Datatype& type) {
  const auto size = static_cast<std::size_t>(type.size());
  const std::uintptr_t number = type.number();
  if (number == number_of(MPI_LONG)) return {sizeof(long), 4, 1, Unit::Kind::kSigned};
  if (number == number_of(MPI_UNSIGNED_LONG)) return {sizeof(unsigned long), 4, 1, Unit::Kind::kUnsigned};
  if (number == number_of(MPI_WCHAR)) return {sizeof(wchar_t), 2, 1, Unit::Kind::kUnsigned};
  if (type.form() == Form::kLongDouble) return {sizeof(long double), 16, 1, Unit::Kind::kLongDouble};
  if (type.form() == Form::kLongDoubleComplex) return {sizeof(long double), 16, 2, Unit::Kind::kLongDouble};
  const std::size_t units = type.family() == Family::kComplex ? 2 : 1;
  return {size / units, size / units, units, Unit::Kind::kSwapped};
}

std::int64_t external_size_of_basic(const Datatype& type) {
  const Unit unit = unit_of(type);
  return static_cast<std::int64_t>(unit.external * unit.units);
}

void copy_big_endian(const std::byte* from, std::byte* to, std::size_t size) {
  if constexpr (std::endian::native == std::endian::little) {
    std::reverse_copy(from, from + size, to);
  } else {
    std::copy(from, from + size, to);
  }
}

bool to_external(const Unit& unit, const std::byte* native, std::byte* external) {
  switch (unit.kind) {
    case Unit::Kind::kSwapped: copy_big_endian(native, external, unit.native); return true;
    case Unit::Kind::kLongDouble: {
      long double value;
      std::memcpy(&value, native, sizeof value);
      const Quad quad = static_cast<Quad>(value);
      copy_big_endian(reinterpret_cast<const std::byte*>(&quad), external, sizeof quad);
      return true;
    }
    case Unit::Kind::kSigned:
    case Unit::Kind::kUnsigned: break;
  }
  // All but the bytes that external32 has must be an extension of its sign.
  std::byte bytes[sizeof(long)];
  copy_big_endian(native, bytes, unit.native);
  const std::byte* const kept = bytes + (unit.native - unit.external);
  const bool negative = unit.kind == Unit::Kind::kSigned && std::to_integer<int>(kept[0] & std::byte{0x80}) != 0;
  const std::byte extension = negative ? std::byte{0xff} : std::byte{0};
  std::copy(kept, kept + unit.external, external);
  return std::all_of(static_cast<const std::byte*>(bytes), kept, [&](std::byte byte) { return byte == extension; });
}

bool from_external(const Unit& unit, const std::byte* external, std::byte* native) {
  switch (unit.kind) {
    case Unit::Kind::kSwapped: copy_big_endian(external, native, unit.native); return true;
    case Unit::Kind::kLongDouble: {
      Quad quad;
      copy_big_endian(external, reinterpret_cast<std::byte*>(&quad), sizeof quad);
      const long double value = static_cast<long double>(quad);
      std::memset(native, 0, unit.native);
      std::memcpy(native, &value, sizeof value);
      return true;
    }
    case Unit::Kind::kSigned:
    case Unit::Kind::kUnsigned: break;
  }
  const bool negative = unit.kind == Unit::Kind::kSigned && std::to_integer<int>(external[0] & std::byte{0x80}) != 0;
  std::byte bytes[sizeof(long)];
  std::fill(std::begin(bytes), std::end(bytes), negative ? std::byte{0xff} : std::byte{0});
  std::copy(external, external + unit.external, bytes + (unit.native - unit.external));
  copy_big_endian(bytes, native, unit.native);
  return true;
}

// Goes through the basic elements of one item, in the order of the type map: `visit(basic type, copies)`, until it says false. Without recursion: types may
// be nested as deep as a program likes.
template <class Visit>
bool for_each_element(const Datatype& type, Visit visit) {
  struct Place {
    const Datatype* type;
    std::size_t part;
    std::int64_t copy;
  };
  if (type.parts().empty()) return type.size() == 0 || visit(type, 1);
  std::vector<Place> way{{&type, 0, 0}};
  while (!way.empty()) {
    Place& place = way.back();
    if (place.part == place.type->parts().size()) {
      way.pop_back();
      continue;
    }
    const Part& part = place.type->parts()[place.part];
    const bool is_basic = part.type->parts().empty();
    if (is_basic && part.type->size() > 0 && !visit(*part.type, part.copies)) return false;
    if (is_basic || ++place.copy == part.copies) {
      ++place.part;
      place.copy = 0;
    }
    if (!is_basic) way.push_back({part.type.get(), 0, 0});
  }
  return true;
}

// Converts element by element; `convert(unit, from, to)`.
template <class Convert>
bool convert_items(const Datatype& type, std::span<const std::byte> from, std::span<std::byte> to, std::size_t Unit::*from_size,
                   std::size_t Unit::*to_size, Convert convert) {
  const std::byte* in = from.data();
  std::byte* out = to.data();
  const std::byte* const end = in + from.size();
  while (in < end) {
    const bool all = for_each_element(type, [&](const Datatype& basic, std::int64_t copies) {
      const Unit unit = unit_of(basic);
      for (std::int64_t i = 0; i < copies * static_cast<std::int64_t>(unit.units); ++i) {
        if (!convert(unit, in, out)) return false;
        in += unit.*from_size;
        out += unit.*to_size;
      }
      return true;
    });
    if (!all) return false;
  }
  return true;
}

}  // namespace

CheckedNumber external_size(const Datatype& type) {
  if (type.parts().empty()) return type.size() == 0 ? CheckedNumber(0) : CheckedNumber(external_size_of_basic(type));
  // Each type once, its parts before it.
  std::unordered_map<const Datatype*, CheckedNumber> sizes;
  std::vector<const Datatype*> way{&type};
  while (!way.empty()) {
    const Datatype* const current = way.back();
    CheckedNumber size = 0;
    const std::size_t before = way.size();
    for (const Part& part : current->parts()) {
      if (part.type->parts().empty()) {
        size = size + CheckedNumber(part.type->size() == 0 ? 0 : external_size_of_basic(*part.type)) * part.copies;
      } else if (const auto known = sizes.find(part.type.get()); known != sizes.end()) {
        size = size + known->second * part.copies;
      } else {
        way.push_back(part.type.get());
      }
    }
    if (way.size() > before) continue;
    sizes.emplace(current, size);
    way.pop_back();
  }
  return sizes.at(&type);
}

bool to_external(const Datatype& type, std::span<const std::byte> native, std::span<std::byte> external) {
  return convert_items(type, native, external, &Unit::native, &Unit::external,
                       [](const Unit& unit, const std::byte* from, std::byte* to) { return to_external(unit, from, to); });
}

bool from_external(const Datatype& type, std::span<const std::byte> external, std::span<std::byte> native) {
  return convert_items(type, external, native, &Unit::external, &Unit::native,
                       [](const Unit& unit, const std::byte* from, std::byte* to) { return from_external(unit, from, to); });
}

}  // namespace lintel::mpi
