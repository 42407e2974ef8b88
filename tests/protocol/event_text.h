#pragma once
// Sequences of events as text, in the protocol tests of both APIs.

#include <string>

namespace lintel::testing {

// What `text` makes of each event, with a space between each two.
template <class Events, class Text>
std::string join(const Events& events, Text&& text) {
  std::string all;
  for (const auto& event : events) all += (all.empty() ? "" : " ") + text(event);
  return all;
}

}  // namespace lintel::testing
