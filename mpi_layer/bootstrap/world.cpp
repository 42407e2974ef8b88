#include "mpi_layer/bootstrap/world.h"

#include <map>

namespace lintel::mpi {
namespace {

std::string rank_text(std::size_t rank) { return "rank " + std::to_string(rank); }

Problem mismatch(const char* what, std::size_t rank, const std::string& value,
                 const std::string& first_value, const char* expected) {
  return Problem{rank_text(rank) + " has " + what + " " + value + ", rank 0 has " + what + " " +
                 first_value + "; expected " + expected};
}

Problem malformed(std::size_t rank, const std::string& problem) {
  return Problem{"the start-up card of " + rank_text(rank) + " is malformed: " + problem};
}

// Decodes the cards, which must all be of one version.
Outcome<std::vector<BusinessCard>> decode_all(const std::vector<std::string>& texts) {
  std::string first_version;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    Outcome<std::string> version = version_of_card(texts[rank]);
    if (!version) return malformed(rank, version.sentence());
    if (rank == 0) first_version = *version;
    if (*version != first_version)
      return mismatch("Lintel", rank, *version, first_version,
                      "one version in all processes of a job");
  }
  std::vector<BusinessCard> cards;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    Outcome<BusinessCard> card = decode_card(texts[rank]);
    if (!card) return malformed(rank, card.sentence());
    cards.push_back(std::move(*card));
  }
  return cards;
}

// Fails for the first rank that does not fit the ranks before it.
Outcome<> check(const std::vector<BusinessCard>& cards) {
  constexpr std::uint32_t kLoopbackNet = 127;
  const BusinessCard& first = cards.front();
  std::map<ProcessId, std::size_t> ranks;
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    const BusinessCard& card = cards[rank];
    if (card.wire_version != first.wire_version) {
      return mismatch("wire protocol", rank, std::to_string(card.wire_version),
                      std::to_string(first.wire_version), "one version in all processes of a job");
    }
    if (card.provider != first.provider) {
      return mismatch("provider", rank, card.provider, first.provider,
                      "one provider in all processes of a job (LINTEL_PROVIDER)");
    }
    if (card.node != first.node) {
      const std::size_t local = card.id.nid.value >> 24 == kLoopbackNet ? rank : 0;
      const ProcessId id = cards[local].id;
      if (id.nid.value >> 24 == kLoopbackNet) {
        return Problem{rank_text(local) + " listens on " + text_of(id) + ", where " +
                       rank_text(rank - local) +
                       " on another node does not reach it; expected the address of a network that "
                       "joins them (LINTEL_INTERFACE)"};
      }
    }
    const auto [same, is_new] = ranks.emplace(card.id, rank);
    if (!is_new) {
      return Problem{rank_text(rank) + " and " + rank_text(same->second) +
                     " both say that they listen on " + text_of(card.id) +
                     "; expected an address of its own for each"};
    }
  }
  return {};
}

}  // namespace

Outcome<World> open_world(Launcher& launcher, const BusinessCard& own) {
  const std::string card = encode(own);
  if (card.size() > kMaxBlobBytes) {
    return Problem{"the start-up card of this process has " + std::to_string(card.size()) +
                   " bytes; expected at most " + std::to_string(kMaxBlobBytes)};
  }
  Outcome<std::vector<std::string>> cards = launcher.exchange("lintel-card", card);
  if (!cards) return cards.failure();
  LINTEL_ASSERT(cards->size() == launcher.size());
  return make_world(launcher.rank(), *cards);
}

Outcome<World> make_world(std::uint32_t rank, const std::vector<std::string>& cards) {
  LINTEL_ASSERT(rank < cards.size());
  Outcome<std::vector<BusinessCard>> all = decode_all(cards);
  if (!all) return all.failure();
  if (const Outcome<> fit = check(*all); !fit) return fit.failure();
  World world;
  world.rank = rank;
  for (const BusinessCard& card : *all) {
    world.processes.push_back(card.id);
    world.on_this_node.push_back(card.node == (*all)[rank].node);
    world.secret ^= card.secret_part;
  }
  return world;
}

}  // namespace lintel::mpi
