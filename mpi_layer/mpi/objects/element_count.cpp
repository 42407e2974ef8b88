#include "mpi_layer/mpi/objects/element_count.h"

#include "mpi_layer/mpi/objects/portion.h"

namespace lintel::mpi {

namespace {

constexpr auto kBytes = [](const Datatype& type) { return type.shape().size; };
constexpr auto kElements = [](const Datatype& type) { return type.shape().elements; };

// Nothing if the portion ends within a basic element.
std::optional<std::int64_t> whole(const std::optional<Portion>& portion) {
  if (!portion || portion->rest > 0) return std::nullopt;
  return portion->counterpart;
}

}  // namespace

std::optional<std::int64_t> elements_in_bytes(const Datatype& type, std::int64_t bytes) {
  return whole(portion_of(type, bytes, kBytes, kElements));
}

std::optional<std::int64_t> bytes_of_elements(const Datatype& type, std::int64_t elements) {
  return whole(portion_of(type, elements, kElements, kBytes));
}

}  // namespace lintel::mpi
