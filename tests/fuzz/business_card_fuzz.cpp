// libFuzzer entry: the start-up cards of a job, one per line, any of which may be malformed.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/bootstrap/world.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lintel::mpi;
  std::vector<std::string> cards(1);
  for (const char c : std::string_view(reinterpret_cast<const char*>(data), size)) {
    if (c == '\n') {
      cards.emplace_back();
    } else {
      cards.back() += c;
    }
  }
  bool all_decoded = true;
  for (const std::string& text : cards) {
    auto card = decode_card(text);
    all_decoded = all_decoded && card.ok();
    if (card.ok() && (encode(*card) != text || *version_of_card(text) != card->lintel_version))
      std::abort();
  }
  auto world = make_world(static_cast<std::uint32_t>(cards.size() - 1), cards);
  if (world.ok() && (!all_decoded || world->size() != cards.size() || !world->on_this_node.back()))
    std::abort();
  if (!world.ok() && world.sentence().empty()) std::abort();
  return 0;
}
