#include "mpi_layer/impi/label_set.h"

#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {

std::string encode(const LabelSet& set) {
  std::string payload;
  payload.reserve(2 * sizeof(std::uint32_t) + set.contributions.size());
  append_number(payload, set.label);
  append_number(payload, set.mask);
  return payload.append(set.contributions);
}

LabelSet decode_set(std::string_view payload) {
  constexpr std::size_t kSetHeaderBytes = sizeof(Label) + sizeof(std::uint32_t);
  return {number_at<Label>(payload, 0), number_at<std::uint32_t>(payload, sizeof(Label)),
          std::string(payload.substr(kSetHeaderBytes))};
}

}  // namespace lintel::mpi::impi
