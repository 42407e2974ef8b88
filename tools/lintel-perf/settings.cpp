#include "settings.h"

#include <algorithm>

namespace lintel::perf {

std::uint64_t Settings::latency_iterations(std::uint64_t size) const {
  return iterations.value_or(std::clamp<std::uint64_t>((std::uint64_t{256} << 20) / size, 100, 10'000));
}

std::uint64_t Settings::window_iterations(std::uint64_t size) const {
  return iterations.value_or(std::clamp<std::uint64_t>((std::uint64_t{512} << 20) / size, 64, 50'000));
}

std::uint64_t Settings::warm_up_for(std::uint64_t chosen_iterations) const {
  return warm_up.value_or(std::clamp<std::uint64_t>(chosen_iterations / 10, 1, 1'000));
}

SideParameters Settings::side(std::uint64_t size) const {
  SideParameters parameters;
  parameters.api = api;
  parameters.notify = notify;
  parameters.size = size;
  parameters.pieces = pieces;
  return parameters;
}

}  // namespace lintel::perf
