#include "mpi_layer/bootstrap/business_card.h"

#include <gmock/gmock.h>

#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {
namespace {

using ::testing::HasSubstr;

BusinessCard example_card() {
  BusinessCard card{"0.1.0", 1, "tcp;ofi_rxm", {NodeId{0x0a000007}, Pid{34567}}, "host/5f0c", {}};
  for (std::size_t i = 0; i < card.secret_part.bytes.size(); ++i)
    card.secret_part.bytes[i] = static_cast<std::uint8_t>(17 * i);
  return card;
}

constexpr const char* kExample =
    "lintel=0.1.0 wire=1 provider=tcp;ofi_rxm id=10.0.0.7:34567 node=host/5f0c "
    "secret=00112233445566778899aabbccddeeff";

std::string refused_card(const std::string& text) {
  const auto card = decode_card(text);
  EXPECT_FALSE(card.ok()) << text;
  return card.ok() ? "" : card.sentence();
}

std::string with(std::string_view what, std::string_view instead) {
  std::string text = kExample;
  return text.replace(text.find(what), what.size(), instead);
}

TEST(BusinessCard, IsTheTextThatItsHeaderShows) { EXPECT_EQ(encode(example_card()), kExample); }

TEST(BusinessCard, IsReadBackAsItIsWritten) {
  auto card = decode_card(kExample);
  ASSERT_TRUE(card.ok()) << card.sentence();
  EXPECT_EQ(*card, example_card());
}

TEST(BusinessCard, HoldsAnyTextAndAnyNumber) {
  BusinessCard card = example_card();
  card.lintel_version = "0.2 (local)\n%41";
  card.provider = "\xc3\xa4 =\x01";
  card.node = "a b=c";
  card.wire_version = 0xffffffff;
  card.id = {NodeId{0xffffffff}, Pid{0xffffffff}};
  auto read = decode_card(encode(card));
  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(*read, card);
}

TEST(BusinessCard, FitsIntoABlobWithTheLongestNamesThatSystemsHave) {
  BusinessCard card = example_card();
  card.lintel_version = std::string(16, '9');
  card.provider = std::string(48, 'p');
  card.node = std::string(64, 'h') + "/" + std::string(36, 'b');
  card.id = {NodeId{0xffffffff}, Pid{0xffffffff}};
  EXPECT_LE(encode(card).size(), kMaxBlobBytes);
}

TEST(BusinessCard, TheVersionIsReadOfCardsOfOtherVersions) {
  auto version = version_of_card("lintel=9.0 a new=kind of card");
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(*version, "9.0");
  EXPECT_FALSE(version_of_card("").ok());
  EXPECT_FALSE(version_of_card("lintel").ok());
  EXPECT_FALSE(version_of_card("lintel= wire=1").ok());
  EXPECT_FALSE(version_of_card("wire=1 lintel=0.1.0").ok());
}

TEST(BusinessCard, WhatIsMissingOrMisplacedIsNamed) {
  EXPECT_EQ(refused_card(""), "'' stands where lintel= was expected");
  EXPECT_EQ(refused_card(with(" wire=1", "")),
            "'provider=tcp;ofi_rxm' stands where wire= was expected");
  EXPECT_EQ(refused_card(with("wire=1", "wire")), "'wire' stands where wire= was expected");
  EXPECT_EQ(refused_card(with(" wire", "  wire")), "'' stands where wire= was expected");
  EXPECT_EQ(refused_card("lintel=0.1.0"), "'' stands where wire= was expected");
}

TEST(BusinessCard, WhatCannotBeIsQuoted) {
  EXPECT_EQ(refused_card(with("wire=1", "wire=-1")), "'-1' is not what wire= can say");
  EXPECT_EQ(refused_card(with("wire=1", "wire=01")), "'01' is not what wire= can say");
  EXPECT_EQ(refused_card(with("wire=1", "wire=4294967296")),
            "'4294967296' is not what wire= can say");
  EXPECT_EQ(refused_card(with("=tcp;ofi_rxm", "=")), "'' is not what provider= can say");
  EXPECT_EQ(refused_card(with("tcp;", "tcp%")), "'tcp%25ofi_rxm' is not what provider= can say");
  EXPECT_EQ(refused_card(with("tcp;", "tcp%41")), "'tcp%2541ofi_rxm' is not what provider= can say")
      << "what needs no escape has none";
  EXPECT_EQ(refused_card(with("10.0.0.7:34567", "10.0.0.7")), "'10.0.0.7' is not what id= can say");
  EXPECT_EQ(refused_card(with("10.0.0.7", "10.0.0")), "'10.0.0:34567' is not what id= can say");
  using namespace std::string_view_literals;
  EXPECT_EQ(refused_card(with("10.0.0.7", "10.0.0.7\0junk"sv)),
            "'10.0.0.7%00junk:34567' is not what id= can say");
  EXPECT_EQ(refused_card(with(":34567", ":x")), "'10.0.0.7:x' is not what id= can say");
  EXPECT_THAT(refused_card(with("ccddeeff", "ccddee")), HasSubstr("is not what secret= can say"));
  EXPECT_THAT(refused_card(with("ccddeeff", "CCDDEEFF")), HasSubstr("is not what secret= can say"));
}

TEST(BusinessCard, NothingMayFollow) {
  EXPECT_EQ(refused_card(std::string(kExample) + " "), "'%20' follows where the end was expected");
  EXPECT_EQ(refused_card(std::string(kExample) + " more=1"),
            "'more=1' follows where the end was expected");
}

}  // namespace
}  // namespace lintel::mpi
