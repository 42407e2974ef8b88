#pragma once
// Sequences of events as text, for the protocol tests of both APIs.

#include <string>

namespace lintel::testing {

// Joins text(event) of all events with spaces.
template <class Events, class Text>
std::string join(const Events& events, Text&& text) {
  std::string all;
  for (const auto& event : events) all += (all.empty() ? "" : " ") + text(event);
  return all;
}

}  // namespace lintel::testing
