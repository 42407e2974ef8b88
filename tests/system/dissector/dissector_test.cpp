// tools/wireshark/lintel.lua on captures written here: every message and frame of
// doc/wire_format.md, and the ways in which a TCP stream can be cut, mixed and broken. The framing
// is libfabric's. direct_dissector_test.cpp has that of `direct`.

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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Dissector : public testing::Test {
 protected:
  ~Dissector() override { std::remove(path_.c_str()); }

  std::vector<DecodedPacket> decoded(const std::vector<std::string>& fields,
                                     const std::string& options = "") {
    capture_.close();
    return decode(path_, fields, options);
  }

  std::string path_ = testing::TempDir() + "lintel_dissector_" + std::to_string(getpid()) + ".pcap";
  CaptureFile capture_{path_};
};

// The name under which the dissector shows a field of the document's tables, or "" for one shown as
// bytes only.
std::string filter_name(const std::string& layer, std::string name, std::size_t offset) {
  if (name == "reserved" || name.empty()) return "";
  if (name.starts_with("clear ")) name.erase(0, name.find(' ') + 1);
  if (layer == "frame" && offset < sizeof(lintel::transport::FrameHeader))
    return "lintel.frame." + name;
  if (layer == "frame") return "lintel.session." + name;
  if (name.starts_with("segment ") && name != "segment_count")
    return "lintel.segment." + name.substr(name.rfind(' ') + 1);
  for (const char* process : {"initiator_", "target_"}) {
    if (name.starts_with(process)) name[name.find('_')] = '.';
  }
  return "lintel." + name;
}

std::string hex(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    constexpr char kDigits[] = "0123456789abcdef";
    digits += kDigits[static_cast<unsigned char>(c) >> 4];
    digits += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return digits;
}

// tshark's "16", "0x10" or "10.0.0.1" as a number.
std::uint64_t number(const std::string& shown) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (std::sscanf(shown.c_str(), "%u.%u.%u.%u", &a, &b, &c, &d) == 4)
    return std::uint64_t{a} << 24 | b << 16 | c << 8 | d;
  return std::stoull(shown, nullptr, 0);
}

void expect_shown(const Example& example, const DecodedPacket& packet) {
  std::map<std::string, std::size_t> seen;
  for (const ExampleField& field : example.fields) {
    const std::string name = filter_name(example.layer, field.name, field.offset);
    if (name.empty()) continue;
    SCOPED_TRACE(example.layer + " " + example.name + ": " + name);
    const auto& values = packet.at(name);
    const std::size_t index = seen[name]++;
    ASSERT_LT(index, values.size());
    if (field.value) {
      EXPECT_EQ(number(values[index]), *field.value);
    } else if (!field.text) {  // bytes without a meaning of their own
      const auto* bytes = reinterpret_cast<const char*>(example.bytes.data() + field.offset);
      EXPECT_EQ(values[index], hex(std::string(bytes, field.size)));
    } else if (field.name == "data") {
      EXPECT_EQ(values[index], hex(*field.text));
    } else if (field.name == "operand") {  // bytes, with their padding
      EXPECT_TRUE(values[index].starts_with(hex(*field.text))) << values[index];
    } else {
      EXPECT_EQ(values[index], *field.text);
    }
  }
}

std::vector<std::string> all_filter_names() {
  std::vector<std::string> names;
  for (const Example& example : document().examples) {
    for (const ExampleField& field : example.fields) {
      if (example.layer == "stream") continue;
      if (example.layer == "frame" && example.name == "data" &&
          field.offset >= sizeof(lintel::transport::FrameHeader))
        continue;
      const std::string name = filter_name(example.layer, field.name, field.offset);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}

TEST_F(Dissector, ShowsEveryFieldOfEveryMessageOfTheDocument) {
  std::vector<const Example*> messages;
  for (const Example& example : document().examples) {
    if (example.layer == "message") messages.push_back(&example);
  }
  for (const Example* message : messages) capture_.add(xnet_message(data_frame({message->bytes})));
  const auto packets = decoded(all_filter_names());
  ASSERT_EQ(packets.size(), messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) expect_shown(*messages[i], packets[i]);
}

TEST_F(Dissector, ShowsEveryFieldOfEveryFrameOfTheDocument) {
  std::vector<const Example*> frames;
  for (const Example& example : document().examples) {
    if (example.layer == "frame" && example.name != "data") frames.push_back(&example);
  }
  for (const Example* frame : frames) capture_.add(xnet_message(frame->bytes));
  const auto packets = decoded(all_filter_names());
  ASSERT_EQ(packets.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) expect_shown(*frames[i], packets[i]);
}

TEST_F(Dissector, ShowsEveryRecordOfADataFrame) {
  capture_.add(xnet_message(document().example("frame", "data").bytes));
  const auto packets =
      decoded({"_ws.col.Info", "lintel.kind", "lintel.record.length", "lintel.malformed"});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("1", "18"));
  EXPECT_THAT(packets[0].at("lintel.record.length"), ElementsAre("77", "16"));
  EXPECT_THAT(packets[0].at("_ws.col.Info"),
              ElementsAre("Lintel DATA, PUT length 5 match bits 0x0000000000000033, DISCARD token "
                          "0x0000000000000102"));
  EXPECT_THAT(packets[0].at("lintel.malformed"), IsEmpty());
}

TEST_F(Dissector, NamesEachMessageInTheInformationColumn) {
  for (const char* name :
       {"put", "ack", "get", "reply", "getput", "announced-put", "clear", "written", "discard"}) {
    capture_.add(xnet_message(data_frame({example_message(name)})));
  }
  std::vector<std::string> shown;
  for (const DecodedPacket& packet : decoded({"_ws.col.Protocol", "_ws.col.Info"})) {
    EXPECT_THAT(packet.at("_ws.col.Protocol"), ElementsAre("Lintel"));
    shown.push_back(packet.at("_ws.col.Info").at(0));
  }
  EXPECT_THAT(
      shown,
      ElementsAre("Lintel DATA, PUT length 8 match bits 0x0123456789abcdef",                   //
                  "Lintel DATA, ACK length 6 of 8 match bits 0x0123456789abcdef",              //
                  "Lintel DATA, GET length 6 match bits 0x0123456789abcdef",                   //
                  "Lintel DATA, REPLY length 6 of 6 match bits 0x0123456789abcdef",            //
                  "Lintel DATA, GETPUT length 4 match bits 0x0123456789abcdef",                //
                  "Lintel DATA, PUT announced, length 1048576 match bits 0xfedcba9876543210",  //
                  "Lintel DATA, CLEAR length 1000000 segments 2 immediate 9",                  //
                  "Lintel DATA, WRITTEN writes 2",                                             //
                  "Lintel DATA, DISCARD token 0x0000000000000102"));
}

TEST_F(Dissector, ShowsTheClearThatAGetCarriesWithinIt) {
  capture_.add(xnet_message(data_frame({example_message("cleared-get")})));
  const auto packets = decoded({"_ws.col.Info", "lintel.kind", "lintel.flags.cleared",
                                "lintel.immediate", "lintel.segment.length", "lintel.malformed"});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("_ws.col.Info"),
              ElementsAre("Lintel DATA, GET length 2097152 match bits 0x0123456789abcdef with "
                          "CLEAR length 2097152 segments 2 immediate 11"));
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("3", "16"));
  EXPECT_EQ(number(packets[0].at("lintel.immediate").at(0)), 11U);
  EXPECT_THAT(packets[0].at("lintel.segment.length"), ElementsAre("1572864", "524288"));
  EXPECT_THAT(packets[0].at("lintel.malformed"), IsEmpty());
}

TEST_F(Dissector, MarksAClearedGetWithoutAClear) {
  using lintel::portals::wire::MessageHeader;
  Bytes other = example_message("cleared-get");
  other[96 + offsetof(MessageHeader, kind)] = std::byte{3};  // in place of the CLEAR
  Bytes none = example_message("get");
  none[offsetof(MessageHeader, flags)] |= std::byte{lintel::portals::wire::kFlagCleared};
  for (const Bytes& get : {other, none}) capture_.add(xnet_message(data_frame({get})));
  const auto packets = decoded({"_ws.expert.message"});
  ASSERT_EQ(packets.size(), 2U);
  for (const DecodedPacket& packet : packets)
    EXPECT_THAT(packet.at("_ws.expert.message"), ElementsAre("no CLEAR where there should be one"));
}

TEST_F(Dissector, FiltersByTheValueOfAField) {
  for (const char* name : {"put", "announced-put", "get"})
    capture_.add(xnet_message(data_frame({example_message(name)})));
  EXPECT_EQ(decoded({"lintel.kind"},
                    "-R 'lintel.kind == 1 && lintel.match_bits == 0xfedcba9876543210' -2")
                .size(),
            1U);
}

TEST_F(Dissector, PutsAMessageTogetherThatCameInSmallSegments) {
  // The first segment must include the frame's magic, by which the connection is recognised.
  const Bytes stream = xnet_message(data_frame({example_message("put")}));
  constexpr std::size_t kSegment = 19;
  for (std::size_t at = 0; at < stream.size(); at += kSegment) {
    capture_.add(std::span(stream).subspan(at, std::min(kSegment, stream.size() - at)));
  }
  const auto packets = decoded({"lintel.kind", "lintel.data"});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("1"));
  EXPECT_THAT(packets[0].at("lintel.data"), ElementsAre(hex("portals!")));
}

TEST_F(Dissector, ShowsAllMessagesOfASegmentThatBeginsAndEndsInTheMiddleOfOne) {
  Bytes stream;
  for (const char* name : {"put", "get", "getput"}) {
    const Bytes message = xnet_message(data_frame({example_message(name)}));
    stream.insert(stream.end(), message.begin(), message.end());
  }
  const std::span<const std::byte> all(stream);
  capture_.add(all.first(40));
  capture_.add(all.subspan(40, stream.size() - 60));
  capture_.add(all.last(20));
  const auto packets = decoded({"lintel.kind", "_ws.col.Info"});
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("1", "3"));
  EXPECT_THAT(packets[0].at("_ws.col.Info").at(0), HasSubstr("PUT length 8"));
  EXPECT_THAT(packets[0].at("_ws.col.Info").at(0), HasSubstr("; Lintel DATA, GET length 6"));
  EXPECT_THAT(packets[1].at("lintel.kind"), ElementsAre("5"));
}

TEST_F(Dissector, ShowsTheWritesOfALargeTransferWithTheImmediateOfItsClear) {
  capture_.add(xnet_message(data_frame({example_message("clear")})));
  constexpr std::uint64_t kOneOfSeveral = 0x80000000;
  capture_.add(xnet_write(0x7f0012340000, 0xc01, 9 | kOneOfSeveral, bytes_of("the data")),
               Direction::kToInitiator);
  capture_.add(xnet_write(0x7f0056780000, 0xc02, 10, bytes_of("others")), Direction::kToInitiator);
  capture_.add(xnet_message(data_frame({example_message("written")})), Direction::kToInitiator);
  const auto packets = decoded(
      {"lintel.immediate", "xnet.rma.address", "xnet.rma.key", "xnet.rma.length", "_ws.col.Info"});
  ASSERT_EQ(packets.size(), 4U);
  EXPECT_THAT(packets[0].at("lintel.immediate"), ElementsAre("9"));
  EXPECT_THAT(packets[1].at("lintel.immediate"), ElementsAre("9"));
  EXPECT_THAT(packets[1].at("xnet.rma.address"), ElementsAre("0x00007f0012340000"));
  EXPECT_THAT(packets[1].at("xnet.rma.key"), ElementsAre("0x0000000000000c01"));
  EXPECT_THAT(packets[1].at("xnet.rma.length"), ElementsAre("8"));
  EXPECT_THAT(packets[1].at("_ws.col.Info"),
              ElementsAre("Lintel write length 8 immediate 9, one of several"));
  EXPECT_THAT(packets[2].at("_ws.col.Info"), ElementsAre("Lintel write length 6 immediate 10"));
}

TEST_F(Dissector, DecodeAsShowsTheHandshakeToo) {
  capture_.add(xnet_connect_request());
  capture_.add(xnet_message(document().example("frame", "hello").bytes));
  const auto packets =
      decoded({"xnet.handshake", "lintel.frame.kind"},
              "-d tcp.port==" + std::to_string(CaptureFile::kTargetPort) + ",xnet");
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[0].at("xnet.handshake"), ElementsAre("0"));
  EXPECT_THAT(packets[1].at("lintel.frame.kind"), ElementsAre("1"));
}

TEST_F(Dissector, FindsFramesBelowTheRxmProvider) {
  capture_.add(rxm_message(data_frame({example_message("put")})));
  const auto packets = decoded({"lintel.kind"});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("lintel.kind"), ElementsAre("1"));
}

TEST_F(Dissector, LeavesOtherTrafficAlone) {
  capture_.add(bytes_of("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"));
  capture_.add(xnet_message(bytes_of("a message of another program on libfabric")));
  EXPECT_THAT(decoded({"xnet.operation"}), IsEmpty());
}

TEST_F(Dissector, MarksARecordThatIsLongerThanItsFrame) {
  Bytes frame = data_frame({example_message("put")});
  frame[sizeof(lintel::transport::FrameHeader)] = std::byte{0x7f};
  capture_.add(xnet_message(frame));
  const auto packets = decoded({"lintel.malformed", "_ws.expert.message"});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("_ws.expert.message"),
              ElementsAre("a record is longer than its frame"));
}

TEST_F(Dissector, MarksAPutWhoseAckFlagContradictsItsDescriptor) {
  Bytes put = example_message("put");
  put[offsetof(lintel::portals::wire::MessageHeader, flags)] =
      std::byte{lintel::portals::wire::kFlagTracked};
  capture_.add(xnet_message(data_frame({put})));
  const auto packets = decoded({"_ws.expert.message"});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_THAT(packets[0].at("_ws.expert.message"),
              ElementsAre("'ack wanted' does not agree with the memory descriptor"));
}

Bytes first(const Bytes& bytes, std::size_t size) {
  return Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
}

TEST_F(Dissector, NoTruncationOfAFrameMakesItFail) {
  for (const Example& example : document().examples) {
    if (example.layer == "stream") continue;
    const Bytes frame = example.layer == "frame" ? example.bytes : data_frame({example.bytes});
    for (std::size_t size = 2; size < frame.size(); ++size)
      capture_.add(xnet_message(first(frame, size)));
  }
  capture_.close();
  expect_no_script_error(decode_verbosely(path_));
}

TEST_F(Dissector, NoTruncationOfAMessageMakesItFail) {
  for (const Example& example : document().examples) {
    if (example.layer != "message") continue;
    for (std::size_t size = 0; size < example.bytes.size(); ++size)
      capture_.add(xnet_message(data_frame({first(example.bytes, size)})));
  }
  capture_.close();
  expect_no_script_error(decode_verbosely(path_));
}

TEST_F(Dissector, NoChangedByteMakesItFail) {
  std::mt19937 random(20060420);
  for (int round = 0; round < 100; ++round) {
    for (const Example& example : document().examples) {
      if (example.layer == "stream") continue;
      Bytes packet =
          xnet_message(example.layer == "frame" ? example.bytes : data_frame({example.bytes}));
      // unchanged: a wrong size would hide everything that follows
      constexpr std::size_t kFraming = 16;
      packet[kFraming + random() % (packet.size() - kFraming)] = static_cast<std::byte>(random());
      capture_.add(packet);
    }
  }
  capture_.close();
  expect_no_script_error(decode_verbosely(path_));
}

}  // namespace
