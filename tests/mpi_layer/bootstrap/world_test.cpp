#include "mpi_layer/bootstrap/world.h"

#include <gmock/gmock.h>

#include "mpi_layer/bootstrap/singleton_launcher.h"

namespace lintel::mpi {
namespace {

using ::testing::ElementsAre;

constexpr std::uint32_t kLoopback = 0x7f000001;

BusinessCard card_of(std::uint32_t rank) {
  BusinessCard card{"0.1.0", 1, "net", {NodeId{kLoopback}, Pid{30000 + rank}}, "host/boot", {}};
  card.secret_part.bytes[rank] = 0x55;
  return card;
}

std::string refused_world(const std::vector<BusinessCard>& cards) {
  std::vector<std::string> texts;
  for (const BusinessCard& card : cards) texts.push_back(encode(card));
  std::string sentence;
  for (std::uint32_t rank = 0; rank < cards.size(); ++rank) {
    const auto world = make_world(rank, texts);
    EXPECT_FALSE(world.ok());
    if (world.ok()) return "";
    EXPECT_TRUE(rank == 0 || world.sentence() == sentence)
        << "every rank says the same: " << world.sentence();
    sentence = world.sentence();
  }
  return sentence;
}

TEST(World, HasTheProcessesByRankAndOneSecret) {
  auto world = make_world(1, {encode(card_of(0)), encode(card_of(1)), encode(card_of(2))});
  ASSERT_TRUE(world.ok()) << world.sentence();
  EXPECT_EQ(world->rank, 1U);
  EXPECT_EQ(world->size(), 3U);
  EXPECT_THAT(world->processes, ElementsAre(card_of(0).id, card_of(1).id, card_of(2).id));
  EXPECT_THAT(world->on_this_node, ElementsAre(true, true, true));
  JobSecret secret;
  for (std::size_t i = 0; i < 3; ++i) secret.bytes[i] = 0x55;
  EXPECT_EQ(world->secret, secret);
}

TEST(World, OfOneNeedsNobody) {
  SingletonLauncher launcher;
  auto world = open_world(launcher, card_of(0));
  ASSERT_TRUE(world.ok()) << world.sentence();
  EXPECT_EQ(world->rank, 0U);
  EXPECT_THAT(world->processes, ElementsAre(card_of(0).id));
  EXPECT_EQ(world->secret, card_of(0).secret_part);
}

TEST(World, TellsWhoIsOnTheNodeOfTheRank) {
  std::vector<std::string> texts;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    BusinessCard card = card_of(rank);
    card.id.nid.value = 0x0a000001 + rank / 2;
    card.node = rank / 2 == 0 ? "one/a" : "two/b";
    texts.push_back(encode(card));
  }
  EXPECT_THAT(make_world(0, texts)->on_this_node, ElementsAre(true, true, false, false));
  EXPECT_THAT(make_world(3, texts)->on_this_node, ElementsAre(false, false, true, true));
}

TEST(World, TwoVersionsOfLintelAreRefused) {
  BusinessCard other = card_of(2);
  other.lintel_version = "0.2.0";
  EXPECT_EQ(refused_world({card_of(0), card_of(1), other}),
            "rank 2 has Lintel 0.2.0, rank 0 has Lintel 0.1.0; expected one version in all "
            "processes of a job");
}

TEST(World, AnotherVersionIsNamedEvenWhenItsCardsAreOfAnotherForm) {
  const auto world = make_world(0, {encode(card_of(0)), "lintel=7.0.0 quite=other"});
  ASSERT_FALSE(world.ok());
  EXPECT_EQ(world.sentence(),
            "rank 1 has Lintel 7.0.0, rank 0 has Lintel 0.1.0; expected one version in all "
            "processes of a job");
}

TEST(World, TwoVersionsOfTheWireProtocolAreRefused) {
  BusinessCard other = card_of(1);
  other.wire_version = 2;
  EXPECT_EQ(refused_world({card_of(0), other}),
            "rank 1 has wire protocol 2, rank 0 has wire protocol 1; expected one version in all "
            "processes of a job");
}

TEST(World, TwoProvidersAreRefused) {
  BusinessCard other = card_of(1);
  other.provider = "tcp;ofi_rxm";
  EXPECT_EQ(refused_world({card_of(0), other, card_of(2)}),
            "rank 1 has provider tcp;ofi_rxm, rank 0 has provider net; expected one provider in "
            "all processes of a job (LINTEL_PROVIDER)");
}

TEST(World, AMalformedCardIsRefusedWithItsRank) {
  const auto world =
      make_world(0, {encode(card_of(0)), encode(card_of(1)), "lintel=0.1.0 nonsense"});
  ASSERT_FALSE(world.ok());
  EXPECT_EQ(world.sentence(),
            "the start-up card of rank 2 is malformed: 'nonsense' stands where wire= was expected");
}

TEST(World, ACardOfNothingIsRefusedWithItsRank) {
  const auto world = make_world(1, {"", encode(card_of(1))});
  ASSERT_FALSE(world.ok());
  EXPECT_EQ(world.sentence(),
            "the start-up card of rank 0 is malformed: '' stands where lintel= was expected");
}

TEST(World, OneAddressForTwoRanksIsRefused) {
  BusinessCard other = card_of(2);
  other.id = card_of(1).id;
  EXPECT_EQ(refused_world({card_of(0), card_of(1), other}),
            "rank 2 and rank 1 both say that they listen on 127.0.0.1:30001; expected an address "
            "of its own for each");
}

TEST(World, LoopbackIsRefusedBetweenNodes) {
  BusinessCard other = card_of(1);
  other.node = "elsewhere/boot";
  const std::string expected =
      " on another node does not reach it; expected the address of a network that joins them "
      "(LINTEL_INTERFACE)";
  EXPECT_EQ(refused_world({card_of(0), other}),
            "rank 1 listens on 127.0.0.1:30001, where rank 0" + expected);
  other.id.nid.value = 0x0a000001;
  EXPECT_EQ(refused_world({card_of(0), other}),
            "rank 0 listens on 127.0.0.1:30000, where rank 1" + expected);
}

TEST(World, ACardThatNoLauncherTakesIsASentence) {
  SingletonLauncher launcher;
  BusinessCard card = card_of(0);
  card.node = std::string(kMaxBlobBytes, 'n');
  const auto world = open_world(launcher, card);
  ASSERT_FALSE(world.ok());
  EXPECT_THAT(world.sentence(), ::testing::HasSubstr("bytes; expected at most 384"));
}

}  // namespace
}  // namespace lintel::mpi
