#include "mpi_layer/mpi/functions/external32.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/objects/machine_number.h"

namespace lintel::mpi {

namespace {

// ---- Rows of numbers

// Converts `count` consecutive numbers. False: one does not fit in the other format.
using Conversion = bool (*)(const std::byte* from, std::byte* to, std::int64_t count);

template <class Number>
Number reversed(Number number) {
  if constexpr (sizeof(Number) == 16) {
    return Number{reversed(static_cast<std::uint64_t>(number))} << 64 |
           reversed(static_cast<std::uint64_t>(number >> 64));
  } else if constexpr (sizeof(Number) == 8) {
    return __builtin_bswap64(number);
  } else if constexpr (sizeof(Number) == 4) {
    return __builtin_bswap32(number);
  } else if constexpr (sizeof(Number) == 2) {
    return __builtin_bswap16(number);
  } else {
    return number;
  }
}

template <class Number>
Number big_endian(Number number) {
  if constexpr (std::endian::native == std::endian::little) number = reversed(number);
  return number;
}

// For equal sizes: at most the order of the bytes differs.
template <class Number>
bool swap(const std::byte* from, std::byte* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(Number), to += sizeof(Number)) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    number = big_endian(number);
    std::memcpy(to, &number, sizeof number);
  }
  return true;
}

// For integers that have fewer bytes in external32.
template <class Native, class External>
bool narrow(const std::byte* from, std::byte* to, std::int64_t count) {
  bool fits = true;
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(Native), to += sizeof(External)) {
    Native native;
    std::memcpy(&native, from, sizeof native);
    const auto external = static_cast<External>(native);
    fits = fits && static_cast<Native>(external) == native;
    const auto number = big_endian(static_cast<std::make_unsigned_t<External>>(external));
    std::memcpy(to, &number, sizeof number);
  }
  return fits;
}
template <class Native, class External>
bool widen(const std::byte* from, std::byte* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(External), to += sizeof(Native)) {
    std::make_unsigned_t<External> number;
    std::memcpy(&number, from, sizeof number);
    const auto native = static_cast<Native>(static_cast<External>(big_endian(number)));
    std::memcpy(to, &native, sizeof native);
  }
  return true;
}

// The bytes that have a meaning: ten for the x87 format.
constexpr std::size_t kLongDoubleBytes = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double);

bool long_double_to_quad(const std::byte* from, std::byte* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(long double), to += sizeof(Quad)) {
    long double value;
    std::memcpy(&value, from, sizeof value);
    const Quad quad = static_cast<Quad>(value);
    swap<UInt128>(reinterpret_cast<const std::byte*>(&quad), to, 1);
  }
  return true;
}
bool quad_to_long_double(const std::byte* from, std::byte* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(Quad), to += sizeof(long double)) {
    Quad quad;
    swap<UInt128>(from, reinterpret_cast<std::byte*>(&quad), 1);
    const long double value = static_cast<long double>(quad);
    std::memset(to, 0, sizeof value);
    std::memcpy(to, &value, kLongDoubleBytes);
  }
  return true;
}

// ---- Basic elements

// A basic element consists of `units` numbers, which are converted one by one.
struct Unit {
  std::size_t native;
  std::size_t external;
  std::size_t units;
  Conversion to_external;
  Conversion from_external;

  std::int64_t native_size() const { return static_cast<std::int64_t>(native * units); }
  std::int64_t external_size() const { return static_cast<std::int64_t>(external * units); }
  bool is_native() const {
    return native == 1 || (std::endian::native == std::endian::big && to_external == from_external);
  }
};

template <class Native, class External>
constexpr Unit integer() {
  if constexpr (sizeof(Native) == sizeof(External)) {
    constexpr Conversion kSwap = swap<std::make_unsigned_t<Native>>;
    return {sizeof(Native), sizeof(External), 1, kSwap, kSwap};
  } else {
    return {sizeof(Native), sizeof(External), 1, narrow<Native, External>, widen<Native, External>};
  }
}

Conversion swap_of(std::size_t size) {
  switch (size) {
    case 2: return swap<std::uint16_t>;
    case 4: return swap<std::uint32_t>;
    case 8: return swap<std::uint64_t>;
    case 16: return swap<UInt128>;
    default: return swap<std::uint8_t>;
  }
}

Unit unit_of(const Datatype& type) {
  using WideCharacter = std::conditional_t<sizeof(wchar_t) == 2, std::uint16_t, std::uint32_t>;
  const std::uintptr_t number = type.number();
  if (number == number_of(MPI_LONG)) return integer<long, std::int32_t>();
  if (number == number_of(MPI_UNSIGNED_LONG)) return integer<unsigned long, std::uint32_t>();
  if (number == number_of(MPI_WCHAR)) return integer<WideCharacter, std::uint16_t>();
  const bool is_complex = type.form() == Form::kLongDoubleComplex;
  if (is_complex || type.form() == Form::kLongDouble) {
    return {sizeof(long double), sizeof(Quad), is_complex ? std::size_t{2} : std::size_t{1},
            long_double_to_quad, quad_to_long_double};
  }
  const std::size_t units = type.family() == Family::kComplex ? 2 : 1;
  const std::size_t size = static_cast<std::size_t>(type.size()) / units;
  return {size, size, units, swap_of(size), swap_of(size)};
}

// Calls `visit(basic type, copies)` for the basic elements of items, one item after the other, in
// the order of the type map, until it returns false. Not recursive, because programs may nest types
// to any depth. REQUIRES: the type has elements.
template <class Visit>
void for_each_element(const Datatype& type, Visit visit) {
  struct TypeCursor {
    const Datatype* type;
    std::size_t part;
    std::int64_t copy;
  };
  std::vector<TypeCursor> way;
  for (;;) {
    if (way.empty()) way.push_back({&type, 0, 0});
    TypeCursor& place = way.back();
    if (place.part == place.type->parts().size()) {
      way.pop_back();
      continue;
    }
    const Part& part = place.type->parts()[place.part];
    const bool is_basic = part.type->parts().empty();
    if (is_basic && part.type->size() > 0 && !visit(*part.type, part.copies)) return;
    if (is_basic || ++place.copy == part.copies) {
      ++place.part;
      place.copy = 0;
    }
    if (!is_basic) way.push_back({part.type.get(), 0, 0});
  }
}

// Converts the elements of `from`, which are complete, to `to`, which has room for them.
// `size_from` and `size_to` select the sizes of an element in both.
bool convert(const Datatype& type, std::span<const std::byte> from, std::byte* to,
             Conversion Unit::*conversion, std::int64_t (Unit::*size_from)() const,
             std::int64_t (Unit::*size_to)() const) {
  const std::byte* in = from.data();
  auto left = static_cast<std::int64_t>(from.size());
  if (left == 0) return true;
  bool fits = true;
  const auto take = [&](const Datatype& basic, std::int64_t copies) {
    const Unit unit = unit_of(basic);
    const std::int64_t elements = std::min(copies, left / (unit.*size_from)());
    fits = fits && (unit.*conversion)(in, to, elements * static_cast<std::int64_t>(unit.units));
    in += elements * (unit.*size_from)();
    to += elements * (unit.*size_to)();
    left -= elements * (unit.*size_from)();
    return left > 0 && elements == copies;
  };
  if (type.parts().empty()) {
    take(type, left / (unit_of(type).*size_from)());
  } else {
    for_each_element(type, take);
  }
  return fits;
}

bool to_external(const Datatype& type, std::span<const std::byte> native, std::byte* external) {
  return convert(type, native, external, &Unit::to_external, &Unit::native_size,
                 &Unit::external_size);
}
void from_external(const Datatype& type, std::span<const std::byte> external, std::byte* native) {
  static_cast<void>(convert(type, external, native, &Unit::from_external, &Unit::external_size,
                            &Unit::native_size));
}

// ---- Types

ExternalForm form_of_basic(const Datatype& type) {
  if (type.size() == 0) return {};
  const Unit unit = unit_of(type);
  return {unit.external_size(), unit.is_native()};
}

// The external forms of a type and of all types in it, each computed once.
class ExternalForms {
 public:
  explicit ExternalForms(const Datatype& type) {
    if (!type.parts().empty()) add(type);
  }

  ExternalForm of(const Datatype& type) const {
    return type.parts().empty() ? form_of_basic(type) : forms_.at(&type);
  }

 private:
  // Adds the parts of a type before the type.
  void add(const Datatype& type) {
    std::vector<const Datatype*> way{&type};
    while (!way.empty()) {
      const Datatype* const current = way.back();
      ExternalForm form;
      const std::size_t before = way.size();
      for (const Part& part : current->parts()) {
        if (!part.type->parts().empty() && !forms_.contains(part.type.get())) {
          way.push_back(part.type.get());
          continue;
        }
        const ExternalForm inner = of(*part.type);
        form.size = form.size + inner.size * part.copies;
        form.is_native = form.is_native && inner.is_native;
      }
      if (way.size() > before) continue;
      forms_.emplace(current, form);
      way.pop_back();
    }
  }

  std::unordered_map<const Datatype*, ExternalForm> forms_;
};

template <class Counterpart>
std::optional<Portion> portion_of_external(const Datatype& type, std::int64_t bytes,
                                           Counterpart counterpart) {
  const ExternalForms forms(type);
  if (!forms.of(type).size.fits()) return std::nullopt;
  return portion_of(
      type, bytes, [&forms](const Datatype& inner) { return forms.of(inner).size.value(); },
      counterpart);
}

std::unique_ptr<std::byte[]> room_for(std::int64_t bytes) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

}  // namespace

ExternalForm external_form(const Datatype& type) {
  return type.parts().empty() ? form_of_basic(type) : ExternalForms(type).of(type);
}

bool pack_external(const Datatype& type, std::uintptr_t address, std::int64_t count,
                   std::span<std::byte> external) {
  const Items items = type.items(address, count);
  const auto bytes = static_cast<std::size_t>(items.packed_bytes());
  if (bytes == 0) return true;
  if (items.is_contiguous()) return to_external(type, {items.begin(), bytes}, external.data());
  const auto native = room_for(items.packed_bytes());
  pack(items, 0, {native.get(), bytes});
  return to_external(type, {native.get(), bytes}, external.data());
}

void unpack_external(const Datatype& type, std::uintptr_t address, std::int64_t count,
                     std::span<const std::byte> external) {
  const std::optional<Portion> portion =
      native_portion(type, static_cast<std::int64_t>(external.size()));
  if (!portion || portion->counterpart == 0) return;
  const Items items = type.items(address, count);
  const std::span<const std::byte> whole =
      external.first(external.size() - static_cast<std::size_t>(portion->rest));
  if (items.is_contiguous()) return from_external(type, whole, items.begin());
  const auto native = room_for(portion->counterpart);
  from_external(type, whole, native.get());
  unpack(items, 0, {native.get(), static_cast<std::size_t>(portion->counterpart)});
}

std::optional<std::int64_t> elements_in_external(const Datatype& type, std::int64_t bytes) {
  const std::optional<Portion> portion = portion_of_external(
      type, bytes, [](const Datatype& inner) { return inner.shape().elements; });
  if (!portion || portion->rest > 0) return std::nullopt;
  return portion->counterpart;
}

std::optional<Portion> native_portion(const Datatype& type, std::int64_t bytes) {
  return portion_of_external(type, bytes, [](const Datatype& inner) { return inner.size(); });
}

}  // namespace lintel::mpi
