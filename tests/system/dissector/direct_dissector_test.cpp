// tools/wireshark/lintel.lua on captures of the `direct` stream written here: greetings and pieces
// as in doc/wire_format.md, and the ways in which a TCP stream can be cut and broken.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "capture_file.h"
#include "frame_bytes.h"
#include "script_errors.h"
#include "tshark.h"
#include "wire_examples.h"

namespace {

using namespace lintel::test;
using lintel::transport::FrameKind;
using lintel::transport::GreetingKind;
using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

const std::string kAsDirect =
    "-d tcp.port==" + std::to_string(CaptureFile::kTargetPort) + ",lintel_direct";

class DirectDissector : public testing::Test {
 protected:
  ~DirectDissector() override { std::remove(path_.c_str()); }

  std::vector<DecodedPacket> decoded(const std::vector<std::string>& fields,
                                     const std::string& options = "") {
    capture_.close();
    return decode(path_, fields, options);
  }

  std::string path_ =
      testing::TempDir() + "lintel_direct_dissector_" + std::to_string(getpid()) + ".pcap";
  CaptureFile capture_{path_};
};

TEST_F(DirectDissector, ShowsBothGreetingsOfTheDocument) {
  capture_.add(example_of_stream("connect"));
  capture_.add(example_of_stream("accept"), Direction::kToInitiator);
  const auto packets =
      decoded({"_ws.col.Protocol", "_ws.col.Info", "lintel_direct.magic", "lintel_direct.version",
               "lintel_direct.greeting", "lintel_direct.from.nid", "lintel_direct.from.pid",
               "lintel_direct.to.nid", "lintel_direct.to.pid", "lintel_direct.incarnation",
               "lintel_direct.generation"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_EQ(packets[0], (DecodedPacket{{"_ws.col.Protocol", {"Lintel"}},
                                       {"_ws.col.Info", {"Lintel greeting, connect"}},
                                       {"lintel_direct.magic", {"0x4c4e5444"}},
                                       {"lintel_direct.version", {"2"}},
                                       {"lintel_direct.greeting", {"1"}},
                                       {"lintel_direct.from.nid", {"10.0.0.1"}},
                                       {"lintel_direct.from.pid", {"1000"}},
                                       {"lintel_direct.to.nid", {"10.0.0.2"}},
                                       {"lintel_direct.to.pid", {"2000"}},
                                       {"lintel_direct.incarnation", {"0x5eed0000000000c3"}},
                                       {"lintel_direct.generation", {"1"}}}));
  EXPECT_THAT(packets[1].at("_ws.col.Info"), ElementsAre("Lintel greeting, accept"));
  EXPECT_THAT(packets[1].at("lintel_direct.from.pid"), ElementsAre("2000"));
}

TEST_F(DirectDissector, ShowsTheRequestAndTheProofOfAResumptionOfTheDocument) {
  capture_.add(example_of_stream("resume"));
  capture_.add(example_of_stream("proof"));
  const auto packets = decoded({"_ws.col.Info", "lintel_direct.greeting", "lintel_direct.received",
                                "lintel_direct.nonce", "lintel_direct.proof"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[0].at("_ws.col.Info"), ElementsAre("Lintel greeting, resume"));
  EXPECT_THAT(packets[0].at("lintel_direct.greeting"), ElementsAre("4"));
  EXPECT_THAT(packets[0].at("lintel_direct.nonce"),
              ElementsAre("9c3a5107e26df814b5208b4f76c10d93"));
  EXPECT_THAT(packets[1].at("_ws.col.Info"), ElementsAre("Lintel greeting, proof"));
  EXPECT_THAT(packets[1].at("lintel_direct.received"), ElementsAre("4294967336"));
  EXPECT_THAT(packets[1].at("lintel_direct.proof"), ElementsAre(testing::SizeIs(64)));
}

TEST_F(DirectDissector, FindsThePiecesBehindAHandshakeThatResumes) {
  capture_.add(example_of_stream("resume"));
  capture_.add(joined({direct_greeting(GreetingKind::kChallenge), Bytes(56)}),
               Direction::kToInitiator);
  capture_.add(example_of_stream("proof"));
  capture_.add(joined({direct_greeting(GreetingKind::kResumed), Bytes(56),
                       direct_message(bare_frame(FrameKind::kPing))}),
               Direction::kToInitiator);
  capture_.add(direct_message(bare_frame(FrameKind::kAck)));
  const auto packets = decoded({"_ws.col.Info"});
  ASSERT_EQ(packets.size(), 5U);
  EXPECT_THAT(packets[1].at("_ws.col.Info"), ElementsAre("Lintel greeting, challenge"));
  EXPECT_THAT(packets[3].at("_ws.col.Info"), ElementsAre("Lintel greeting, resumed; Lintel PING"));
  EXPECT_THAT(packets[4].at("_ws.col.Info"), ElementsAre("Lintel ACK"));
}

TEST_F(DirectDissector, ShowsAGreetingThatRefusesAResumption) {
  capture_.add(example_of_stream("resume"));
  capture_.add(direct_greeting(GreetingKind::kNoStream), Direction::kToInitiator);
  const auto packets = decoded({"_ws.col.Info"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[1].at("_ws.col.Info"), ElementsAre("Lintel greeting, no stream"));
}

TEST_F(DirectDissector, ShowsAcknowledgementsAndTheFlagsOfPieces) {
  capture_.add(direct_greeting(GreetingKind::kConnect));
  capture_.add(joined({example_of_stream("acknowledge"), example_of_stream("message")}));
  capture_.add(example_of_stream("write"));
  const auto packets = decoded(
      {"_ws.col.Info", "lintel_direct.acknowledged", "lintel_direct.length", "lintel_direct.flags",
       "lintel_direct.flags.acknowledge_when_idle", "lintel_direct.flags.acknowledge_soon"});
  ASSERT_EQ(packets.size(), 3U);
  EXPECT_THAT(packets[1].at("_ws.col.Info"),
              ElementsAre("Lintel acknowledgement up to 40; Lintel PING"));
  EXPECT_THAT(packets[1].at("lintel_direct.acknowledged"), ElementsAre("40"));
  EXPECT_THAT(packets[1].at("lintel_direct.length"), ElementsAre("24"))
      << "an acknowledgement has no length";
  EXPECT_THAT(packets[2].at("lintel_direct.flags"), ElementsAre("0x0001"));
  EXPECT_THAT(packets[2].at("lintel_direct.flags.acknowledge_when_idle"),
              ElementsAre(AnyOf("1", "True")));
  EXPECT_THAT(packets[2].at("lintel_direct.flags.acknowledge_soon"),
              ElementsAre(AnyOf("0", "False")));
}

// Its position may look like a greeting's magic, and be larger than any piece.
TEST_F(DirectDissector, ShowsAcknowledgementsOfAnyPosition) {
  capture_.add(direct_greeting(GreetingKind::kConnect));
  capture_.add(joined({direct_acknowledgement(lintel::transport::kGreetingMagic),
                       direct_acknowledgement(0xfffffff0), direct_acknowledgement(0)}));
  const auto packets = decoded({"lintel_direct.acknowledged"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[1].at("lintel_direct.acknowledged"),
              ElementsAre("1280201796", "4294967280", "0"));
}

TEST_F(DirectDissector, ShowsThePiecesOfTheDocumentBehindAGreeting) {
  capture_.add(direct_greeting(GreetingKind::kConnect));
  capture_.add(example_of_stream("message"));
  capture_.add(example_of_stream("write"));
  const auto packets =
      decoded({"_ws.col.Info", "lintel_direct.piece", "lintel_direct.length", "lintel.frame.kind",
               "lintel_direct.write.key", "lintel_direct.write.address", "lintel.immediate",
               "lintel_direct.data"});
  ASSERT_EQ(packets.size(), 3U);
  EXPECT_THAT(packets[1].at("_ws.col.Info"), ElementsAre("Lintel PING"));
  EXPECT_THAT(packets[1].at("lintel_direct.piece"), ElementsAre("1"));
  EXPECT_THAT(packets[1].at("lintel_direct.length"), ElementsAre("24"));
  EXPECT_THAT(packets[1].at("lintel.frame.kind"), ElementsAre("6"));
  EXPECT_EQ(packets[2], (DecodedPacket{{"_ws.col.Info", {"Lintel write length 8 immediate 9"}},
                                       {"lintel_direct.piece", {"2"}},
                                       {"lintel_direct.length", {"8"}},
                                       {"lintel.frame.kind", {}},
                                       {"lintel_direct.write.key", {"0x0000000000000c01"}},
                                       {"lintel_direct.write.address", {"0x0000000000001000"}},
                                       {"lintel.immediate", {"9"}},
                                       {"lintel_direct.data", {"706f7274616c7321"}}}));
}

TEST_F(DirectDissector, ShowsTheWritesOfALargeTransferWithTheImmediateOfItsClear) {
  constexpr std::uint32_t kOneOfSeveral = 0x80000000;
  capture_.add(direct_greeting(GreetingKind::kConnect));
  capture_.add(direct_message(data_frame({example_message("clear")})));
  capture_.add(direct_write(0xc01, 0, 9 | kOneOfSeveral, bytes_of("the data")),
               Direction::kToInitiator);
  capture_.add(direct_write(0xc02, 0, 10, bytes_of("others")), Direction::kToInitiator);
  const auto packets = decoded({"lintel.immediate", "lintel.several_writes", "_ws.col.Info"},
                               "-R lintel.immediate -2");
  ASSERT_EQ(packets.size(), 3U);
  EXPECT_THAT(packets[0].at("lintel.immediate"), ElementsAre("9"));
  EXPECT_THAT(packets[1].at("lintel.immediate"), ElementsAre("9"));
  EXPECT_THAT(packets[1].at("_ws.col.Info"),
              ElementsAre("Lintel write length 8 immediate 9, one of several"));
  EXPECT_THAT(packets[2].at("_ws.col.Info"), ElementsAre("Lintel write length 6 immediate 10"));
}

TEST_F(DirectDissector, ShowsTheMessageOfAPlacedMessage) {
  const Bytes frame = data_frame({example_message("announced-put")});
  ASSERT_LE(frame.size(), 128U);
  const Bytes placed_message = direct_placed(0x70000002a, frame, Bytes(100'000, std::byte{0x4c}));
  capture_.add(direct_greeting(GreetingKind::kConnect));
  constexpr std::size_t kSegment = 60'000;
  for (std::size_t at = 0; at < placed_message.size(); at += kSegment) {
    capture_.add(
        std::span(placed_message).subspan(at, std::min(kSegment, placed_message.size() - at)));
  }
  const auto packets = decoded(
      {"_ws.col.Info", "lintel_direct.placed.key", "lintel_direct.message_bytes", "lintel.kind"},
      "-R lintel -2");
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("_ws.col.Info"),
              ElementsAre("Lintel DATA, PUT announced, length 1048576 match bits "
                          "0xfedcba9876543210, placed message of 100000 bytes"));
  EXPECT_THAT(packets[0].at("lintel_direct.placed.key"), ElementsAre("0x000000070000002a"));
  EXPECT_THAT(packets[0].at("lintel_direct.message_bytes"),
              ElementsAre(std::to_string(frame.size())));
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("1"));
}

TEST_F(DirectDissector, PutsPiecesTogetherThatCameInSmallSegments) {
  // The first segment must include the greeting's magic, by which the connection is recognised.
  const Bytes stream =
      joined({direct_greeting(GreetingKind::kConnect), direct_acknowledgement(1),
              example_of_stream("proof"), direct_message(data_frame({example_message("put")})),
              direct_write(1, 2, 3, bytes_of("written")),
              direct_message(bare_frame(FrameKind::kGoodbye))});
  constexpr std::size_t kSegment = 5;
  for (std::size_t at = 0; at < stream.size(); at += kSegment) {
    capture_.add(std::span(stream).subspan(at, std::min(kSegment, stream.size() - at)));
  }
  const auto packets = decoded({"lintel_direct.greeting", "lintel_direct.acknowledged",
                                "lintel.frame.kind", "lintel.data", "lintel.immediate"});
  ASSERT_EQ(packets.size(), 6U);
  EXPECT_THAT(packets[0].at("lintel_direct.greeting"), ElementsAre("1"));
  EXPECT_THAT(packets[1].at("lintel_direct.acknowledged"), ElementsAre("1"));
  EXPECT_THAT(packets[2].at("lintel_direct.greeting"), ElementsAre("6"));
  EXPECT_THAT(packets[3].at("lintel.data"), ElementsAre("706f7274616c7321"));
  EXPECT_THAT(packets[4].at("lintel.immediate"), ElementsAre("3"));
  EXPECT_THAT(packets[5].at("lintel.frame.kind"), ElementsAre("7"));
}

TEST_F(DirectDissector, ShowsAllPiecesOfASegment) {
  capture_.add(direct_greeting(GreetingKind::kConnect));
  capture_.add(joined({direct_greeting(GreetingKind::kAccept),
                       direct_message(data_frame({example_message("get")})),
                       direct_write(1, 2, 3, bytes_of("written"))}),
               Direction::kToInitiator);
  const auto packets = decoded({"_ws.col.Info"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(
      packets[1].at("_ws.col.Info"),
      ElementsAre(
          "Lintel greeting, accept; Lintel DATA, GET length 6 match bits 0x0123456789abcdef; "
          "Lintel write length 7 immediate 3"));
}

TEST_F(DirectDissector, TakesUpAConnectionInTheMiddleWithTheFirstSegmentThatBeginsWithAFrame) {
  capture_.add(bytes_of("the end of a write"));
  capture_.add(direct_message(data_frame({example_message("put")})));
  capture_.add(direct_write(1, 2, 3, bytes_of("written")));
  const auto packets = decoded({"lintel.kind", "lintel.immediate"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("1"));
  EXPECT_THAT(packets[1].at("lintel.immediate"), ElementsAre("3"));
}

TEST_F(DirectDissector, DecodeAsTakesUpAConnectionWithAnySegmentThatBeginsWithAPiece) {
  capture_.add(bytes_of("the end of a write"));
  capture_.add(direct_write(1, 2, 3, bytes_of("written")));
  const auto packets = decoded({"lintel.immediate"}, kAsDirect);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("lintel.immediate"), ElementsAre("3"));
}

TEST_F(DirectDissector, LeavesOtherTrafficAlone) {
  capture_.add(bytes_of("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"));
  capture_.add(direct_message(bytes_of("what another program sends in such a form")));
  capture_.add(xnet_message(data_frame({example_message("put")})));
  EXPECT_THAT(decoded({"lintel_direct.piece"}, "-R lintel_direct -2"), IsEmpty());
}

TEST_F(DirectDissector, TakesNothingForAPieceThatBreaksTheConnection) {
  for (const std::size_t changed : {0U, 4U, 5U}) {  // the length, the kind, the length of the
                                                    // message
    Bytes piece = direct_write(1, 2, 3, bytes_of("written"));
    piece[changed] = std::byte{0x7f};
    capture_.add(piece);
  }
  EXPECT_THAT(decoded({"lintel_direct.piece"}, kAsDirect), IsEmpty());
}

std::vector<Bytes> one_of_each() {
  return {
      direct_greeting(GreetingKind::kConnect),
      example_of_stream("proof"),
      direct_acknowledgement(5),
      direct_message(data_frame({example_message("clear")})),
      direct_write(1, 2, 3, bytes_of("written")),
      direct_placed(4, data_frame({example_message("announced-put")}), bytes_of("the payload"))};
}

TEST_F(DirectDissector, NoTruncationOfAMessageMakesItFail) {
  const Bytes frame = data_frame({example_message("announced-put")});
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    capture_.add(direct_message(cut));
    capture_.add(direct_placed(4, cut, bytes_of("the payload")));
  }
  capture_.close();
  expect_no_script_error(decode_verbosely(path_, kAsDirect));
}

TEST_F(DirectDissector, NoChangedByteMakesItFail) {
  std::mt19937 random(20060420);
  for (int round = 0; round < 200; ++round) {
    for (Bytes piece : one_of_each()) {
      // unchanged: a wrong length would hide everything that follows
      constexpr std::size_t kLength = 4;
      piece[kLength + random() % (piece.size() - kLength)] = static_cast<std::byte>(random());
      capture_.add(piece);
    }
  }
  capture_.close();
  expect_no_script_error(decode_verbosely(path_, kAsDirect));
}

}  // namespace
