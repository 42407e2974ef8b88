#include "mpi_layer/impi/command.h"

#include <gmock/gmock.h>

#include "wire_text.h"

namespace lintel::mpi::impi {
namespace {

using testing::bytes_of;
using testing::digits_of;
using ::testing::HasSubstr;
using testing::wire;

std::string refusal(CommandSender sender, const std::string& digits) {
  CommandReader reader(sender);
  reader.append(bytes_of(digits));
  std::string problem;
  EXPECT_FALSE(reader.next(problem).has_value()) << digits;
  return problem;
}

TEST(Command, TravelsAsWordLengthPayload) {
  EXPECT_EQ(digits_of(encode(CommandWord::kAuth, bytes_of("00000001"))),
            wire("41555448 00000004 00000001"));
  EXPECT_EQ(digits_of(encode(CommandWord::kDone, "")), wire("444f4e45 00000000"));
  EXPECT_EQ(digits_of(encode(CommandWord::kFini, "")), wire("46494e49 00000000"));
}

TEST(CommandReader, CutsBytesIntoCommandsInWhateverPiecesTheyCome) {
  const std::string bytes =
      bytes_of("434f4c4c 00000008 00001100 00000001 444f4e45 00000000 46494e49 00000000");
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    CommandReader reader(CommandSender::kClient);
    std::vector<Command> commands;
    std::string problem;
    for (std::size_t i = 0; i < bytes.size(); i += piece) {
      reader.append(std::string_view(bytes).substr(i, piece));
      while (auto command = reader.next(problem)) commands.push_back(*command);
    }
    EXPECT_EQ(problem, "");
    EXPECT_THAT(commands, ::testing::ElementsAre(
                              Command{CommandWord::kColl, bytes_of("00001100 00000001")},
                              Command{CommandWord::kDone, ""}, Command{CommandWord::kFini, ""}));
    EXPECT_TRUE(reader.is_empty());
  }
}

TEST(CommandReader, GivesBareBytesBetweenCommands) {
  CommandReader reader(CommandSender::kClient);
  reader.append(bytes_of("00000000 0000162e 494d5049 00000004 00000001"));
  EXPECT_EQ(reader.next_bare(8), bytes_of("000000000000162e"));
  std::string problem;
  EXPECT_EQ(reader.next(problem), (Command{CommandWord::kImpi, bytes_of("00000001")}));
  EXPECT_EQ(reader.next_bare(1), std::nullopt);
}

TEST(CommandReader, RefusesWhatIsNoCommand) {
  EXPECT_EQ(refusal(CommandSender::kClient, "47455420 2f204854"),
            "it sent 0x47455420 (\"GET \"); expected AUTH, IMPI, COLL, DONE or FINI");
  EXPECT_EQ(refusal(CommandSender::kClient, "00000001 00000000"),
            "it sent 0x00000001 (\"????\"); expected AUTH, IMPI, COLL, DONE or FINI");
  EXPECT_EQ(refusal(CommandSender::kServer, "41555448 00000004"),
            "it sent AUTH; expected IMPI, COLL or DONE");
  EXPECT_EQ(refusal(CommandSender::kServer, "46494e49 00000000"),
            "it sent FINI; expected IMPI, COLL or DONE");
}

TEST(CommandReader, RefusesALengthBeforeItsBytesHaveCome) {
  EXPECT_EQ(refusal(CommandSender::kClient, "41555448 00000008"),
            "it sent AUTH with 8 bytes; expected 4");
  EXPECT_EQ(refusal(CommandSender::kClient, "494d5049 00000000"),
            "it sent IMPI with 0 bytes; expected 4");
  EXPECT_EQ(refusal(CommandSender::kClient, "434f4c4c 00000003"),
            "it sent COLL with 3 bytes; expected 4 to 1048580");
  EXPECT_EQ(refusal(CommandSender::kClient, "434f4c4c ffffffff"),
            "it sent COLL with 4294967295 bytes; expected 4 to 1048580");
  EXPECT_EQ(refusal(CommandSender::kServer, "434f4c4c 00000004"),
            "it sent COLL with 4 bytes; expected 8 to 33554440");
  EXPECT_EQ(refusal(CommandSender::kClient, "444f4e45 00000001"),
            "it sent DONE with 1 bytes; expected 0");
  EXPECT_EQ(refusal(CommandSender::kClient, "434f4c4c 00100004"), "");
}

TEST(CommandReader, NamesACommandAsSoonAsItsHeaderIsThere) {
  CommandReader reader(CommandSender::kClient);
  std::string problem;
  reader.append(bytes_of("434f4c4c 000000"));
  EXPECT_EQ(reader.next_word(problem), std::nullopt);
  reader.append(bytes_of("08"));
  EXPECT_EQ(reader.next_word(problem), CommandWord::kColl);
  EXPECT_EQ(reader.next(problem), std::nullopt);
  EXPECT_EQ(problem, "");
}

TEST(CommandReader, TakesTheFiniOfOlderLamsFromAClient) {
  CommandReader reader(CommandSender::kClient);
  reader.append(bytes_of("494e4946 00000000"));
  std::string problem;
  EXPECT_EQ(reader.next(problem), (Command{CommandWord::kFini, ""}));
  EXPECT_THAT(refusal(CommandSender::kServer, "494e4946 00000000"), HasSubstr("\"INIF\""));
}

}  // namespace
}  // namespace lintel::mpi::impi
