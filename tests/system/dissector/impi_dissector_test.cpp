// tools/wireshark/impi.lua on captures written here: start-up with a server and packets between
// hosts, as in the protocol's test vectors, and the ways in which a TCP stream can be cut and
// broken.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "capture_file.h"
#include "tests/mpi_layer/impi_host/hex.h"
#include "tests/mpi_layer/impi_host/job_of_vectors.h"
#include "tshark.h"

namespace {

using namespace lintel::test;
using lintel::testing::bytes_of;
using lintel::testing::kRank0;
using lintel::testing::kRank2;
using lintel::testing::kRank3;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Bytes = std::vector<std::byte>;

constexpr Direction kToServer = Direction::kToTarget;
constexpr Direction kToClient = Direction::kToInitiator;
const std::string kAsImpi = "-d tcp.port==" + std::to_string(CaptureFile::kTargetPort) + ",impi";

// Vector 3: rank 0 to rank 3, tag 7, an int; and the first packet of vector 4.
const std::string kShort = "00000000 00000004" + std::string(kRank0) + kRank3 +
                           "0000000000000000 0000000000000000 0000000000000004"
                           "00000000 00000007 0000000000000000 0000000000000001" +
                           std::string(48, '0') + "01020304";
const std::string kLong = "00000001 000003e8" + std::string(kRank0) + kRank3 +
                          "0000000000000001 0000000000000000 0000000000030d40"
                          "00000000 0000000c 0000000000000000 0000000000000006" +
                          std::string(48, '0') + std::string(2000, 'a');
const std::string kSyncack = "00000003 00000000" + std::string(kRank3) + kRank0 +
                             "0000000000000001 000000000000004d 0000000000000000"
                             "00000000 00000000 0000000000000000 0000000000000003" +
                             std::string(48, '0');
// Vector 6: a header only, as LAM writes it, with the header's length as that of the data.
const std::string kFini = "00000007 00000080" + std::string(32, '0') + "ffffffffffffffff" +
                          std::string(32, '0') +
                          "ffffffffffffffff 0000000000000000 0000000000000000 0000000000000080"
                          "ffffffff ffffffff 0000000000000000 00000000000000ee ffffffffffffffff "
                          "0000000000000000 0000000000000000";
const std::string kCancelno =
    "00000006 00000080" + std::string(kRank0) + kRank3 +
    "000000000000007b 0000000000000000 0000000000000080"
    "ffffffff ffffffff 4900000000000000 00000000000000e7 ffffffffffffffff" +
    std::string(32, '0');

class ImpiDissector : public testing::Test {
 protected:
  ~ImpiDissector() override { std::remove(path_.c_str()); }

  void add(const std::string& digits, Direction direction = Direction::kToTarget) {
    capture_.add(bytes_of(digits), direction);
  }
  std::vector<DecodedPacket> decoded(const std::vector<std::string>& fields,
                                     const std::string& options = "") {
    capture_.close();
    return decode(path_, fields, options);
  }
  // The information column of every IMPI packet.
  std::vector<std::string> shown(const std::string& options = "") {
    std::vector<std::string> lines;
    for (const DecodedPacket& packet : decoded({"_ws.col.Protocol", "_ws.col.Info"}, options)) {
      EXPECT_THAT(packet.at("_ws.col.Protocol"), ElementsAre("IMPI"));
      lines.push_back(packet.at("_ws.col.Info").at(0));
    }
    return lines;
  }
  // tshark reports the errors of a script in the packet's tree.
  void expect_no_script_error(const std::string& options = "") {
    capture_.close();
    const std::string output = decode_verbosely(path_, options);
    for (const char* error : {"Lua Error", "Lua: ", "Dissector bug"})
      EXPECT_THAT(output, Not(HasSubstr(error)));
  }

  std::string path_ = testing::TempDir() + "impi_dissector_" + std::to_string(getpid()) + ".pcap";
  CaptureFile capture_{path_};
};

// Vectors 1 and 2.
void start_up_with_key(CaptureFile& capture) {
  const auto add = [&](const char* digits, Direction direction) {
    capture.add(bytes_of(digits), direction);
  };
  add("41555448 00000004 00000002", kToServer);
  add("00000001 00000000", kToClient);
  add("000000000000162e", kToServer);
  add("494d5049 00000004 00000001", kToServer);
  add("494d5049 00000004 00000002", kToClient);
  add("434f4c4c 00000008 00001100 00000002", kToServer);
  add("434f4c4c 00000010 00001100 00000003 00000001 00000002", kToClient);
  add("444f4e45 00000000", kToServer);
  add("444f4e45 00000000", kToClient);
  add("46494e49 00000000", kToServer);
}

TEST_F(ImpiDissector, ShowsTheWholeStartUpWithAServer) {
  start_up_with_key(capture_);
  EXPECT_THAT(
      shown(),
      ElementsAre("IMPI AUTH mechanisms 0x2", "IMPI AUTH by KEY", "IMPI key", "IMPI IMPI rank 1",
                  "IMPI IMPI size 2", "IMPI COLL IMPI_C_NHOSTS",
                  "IMPI COLL IMPI_C_NHOSTS of clients 0x3", "IMPI DONE", "IMPI DONE", "IMPI FINI"));
}

TEST_F(ImpiDissector, NeverShowsAKey) {
  start_up_with_key(capture_);
  capture_.close();
  const std::string output = decode_verbosely(path_);
  const auto begin = output.find("IMPI, key, not shown");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(output.find("162e", begin), std::string::npos);
  EXPECT_EQ(output.find("5678", begin), std::string::npos);
}

TEST_F(ImpiDissector, ShowsTheFieldsOfTheStartUp) {
  start_up_with_key(capture_);
  const auto packets =
      decoded({"impi.command", "impi.auth.mask", "impi.auth.key", "impi.auth.which", "impi.rank",
               "impi.size", "impi.label", "impi.client_mask", "impi.c.nhosts", "impi.malformed"});
  ASSERT_EQ(packets.size(), 10U);
  EXPECT_THAT(packets[0].at("impi.command"), ElementsAre("0x41555448"));
  EXPECT_THAT(packets[0].at("impi.auth.mask"), ElementsAre("0x00000002"));
  // tshark 4.4 shows a bit as a word.
  EXPECT_THAT(packets[0].at("impi.auth.key"), ElementsAre(AnyOf("1", "True")));
  EXPECT_THAT(packets[1].at("impi.auth.which"), ElementsAre("1"));
  EXPECT_THAT(packets[3].at("impi.rank"), ElementsAre("1"));
  EXPECT_THAT(packets[4].at("impi.size"), ElementsAre("2"));
  EXPECT_THAT(packets[5].at("impi.label"), ElementsAre("0x00001100"));
  EXPECT_THAT(packets[5].at("impi.c.nhosts"), ElementsAre("2"));
  EXPECT_THAT(packets[5].at("impi.client_mask"), IsEmpty());
  EXPECT_THAT(packets[6].at("impi.c.nhosts"), ElementsAre("1", "2"));
  EXPECT_THAT(packets[6].at("impi.client_mask"), ElementsAre("0x00000003"));
  for (const DecodedPacket& packet : packets) EXPECT_THAT(packet.at("impi.malformed"), IsEmpty());
}

struct LabelVector {
  const char* label;
  const char* name;
  const char* contributions;
  const char* field;
  std::vector<std::string> values;
};

TEST_F(ImpiDissector, NamesEveryLabelAndItsElements) {
  const std::vector<LabelVector> labels = {
      {"00001000",
       "IMPI_C_VERSION",
       "0000000000000000 0000000000000001",
       "impi.version.minor",
       {"0", "1"}},
      {"00001100", "IMPI_C_NHOSTS", "00000001 00000002", "impi.c.nhosts", {"1", "2"}},
      {"00001200", "IMPI_C_NPROCS", "00000003 00000004", "impi.c.nprocs", {"3", "4"}},
      {"00001300", "IMPI_C_DATALEN", "00010000 000003e8", "impi.c.datalen", {"65536", "1000"}},
      {"00001400", "IMPI_C_TAGUB", "7fffffff 00007fff", "impi.c.tagub", {"2147483647", "32767"}},
      {"00001500", "IMPI_C_COLL_XSIZE", "ffffffff 00000400", "impi.c.coll_xsize", {"-1", "1024"}},
      {"00001600",
       "IMPI_C_COLL_MAXLINEAR",
       "ffffffff 00000004",
       "impi.c.coll_maxlinear",
       {"-1", "4"}},
      {"00002000",
       "IMPI_H_IPV6",
       "0000000000000000000000000a4d0001 00000000000000000000ffff0a4d0002",
       "impi.h.ipv6",
       {"::10.77.0.1", "::ffff:10.77.0.2"}},
      {"00002100", "IMPI_H_PORT", "0000a3c1 00000001", "impi.h.port", {"41921", "1"}},
      {"00002200", "IMPI_H_NPROCS", "00000003 00000004", "impi.h.nprocs", {"3", "4"}},
      {"00002300", "IMPI_H_ACKMARK", "0000000a 00000003", "impi.h.ackmark", {"10", "3"}},
      {"00002400", "IMPI_H_HIWATER", "00000014 00000005", "impi.h.hiwater", {"20", "5"}},
      {"00003000",
       "IMPI_P_IPV6",
       "0000000000000000000000000a4d0001 00000000000000000000ffff0a4d0002",
       "impi.p.ipv6",
       {"::10.77.0.1", "::ffff:10.77.0.2"}},
      {"00003100",
       "IMPI_P_PID",
       "00000000000001c2 0000000000000fa1",
       "impi.p.pid",
       {"450", "4001"}},
  };
  std::vector<std::string> fields = {"_ws.col.Info", "impi.malformed"};
  for (const LabelVector& label : labels) {
    const Bytes body = bytes_of(std::string(label.label) + "00000003" + label.contributions);
    char length[9];
    std::snprintf(length, sizeof length, "%08x", static_cast<unsigned>(body.size()));
    add("434f4c4c" + std::string(length) + lintel::testing::hex_of(body), kToClient);
    fields.push_back(label.field);
  }
  const auto packets = decoded(fields, kAsImpi);
  ASSERT_EQ(packets.size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    SCOPED_TRACE(labels[i].name);
    EXPECT_THAT(packets[i].at("_ws.col.Info"),
                ElementsAre("IMPI COLL " + std::string(labels[i].name) + " of clients 0x3"));
    EXPECT_EQ(packets[i].at(labels[i].field), labels[i].values);
    EXPECT_THAT(packets[i].at("impi.malformed"), IsEmpty());
  }
}

TEST_F(ImpiDissector, ALabelThatNobodySentAndOneThatIsUnknownAreShown) {
  add("434f4c4c 00000008 00001400 00000000", kToClient);
  add("434f4c4c 0000000c 00001350 00000001 00000007", kToClient);
  EXPECT_THAT(shown(kAsImpi), ElementsAre("IMPI COLL IMPI_C_TAGUB of clients 0x0",
                                          "IMPI COLL label 0x1350 of clients 0x1"));
}

TEST_F(ImpiDissector, ShowsEveryFieldOfAPacket) {
  add("00000001" + kShort);
  const auto packets =
      decoded({"impi.host_rank", "impi.type", "impi.len", "impi.src.hostid", "impi.src.pid",
               "impi.dest.hostid", "impi.dest.pid", "impi.srqid", "impi.drqid", "impi.msglen",
               "impi.lsrank", "impi.tag", "impi.cid", "impi.seqnum", "impi.count", "impi.dtype",
               "impi.reserved", "impi.data", "impi.malformed"});
  ASSERT_EQ(packets.size(), 1U);
  const std::vector<std::pair<const char*, const char*>> expected = {
      {"impi.host_rank", "1"},
      {"impi.type", "0"},
      {"impi.len", "4"},
      {"impi.src.pid", "450"},
      {"impi.srqid", "0"},
      {"impi.src.hostid", "::10.77.0.1"},
      {"impi.dest.pid", "4002"},
      {"impi.drqid", "0"},
      {"impi.dest.hostid", "::ffff:10.77.0.2"},
      {"impi.msglen", "4"},
      {"impi.lsrank", "0"},
      {"impi.tag", "7"},
      {"impi.cid", "0"},
      {"impi.seqnum", "1"},
      {"impi.count", "0"},
      {"impi.data", "01020304"},
      {"impi.reserved", "0000000000000000"},
      {"impi.dtype", "0x0000000000000000"},
  };
  for (const auto& [field, value] : expected)
    EXPECT_THAT(packets[0].at(field), ElementsAre(value)) << field;
  EXPECT_THAT(packets[0].at("impi.malformed"), IsEmpty());
}

TEST_F(ImpiDissector, NamesEachKindOfPacket) {
  for (const char* type :
       {"00000000", "00000001", "00000002", "00000003", "00000004", "00000005"}) {
    add(type + std::string("00000000") + kRank0 + kRank2 + std::string(144, '0'));
  }
  add(kCancelno);
  add(kFini);
  EXPECT_THAT(
      shown(),
      ElementsAre(
          "IMPI DATA from 10.77.0.1:450 to 10.77.0.2:4001 length 0 of 0 tag 0 context 0",      //
          "IMPI DATASYNC from 10.77.0.1:450 to 10.77.0.2:4001 length 0 of 0 tag 0 context 0",  //
          "IMPI PROTOACK from 10.77.0.1:450 to 10.77.0.2:4001 request 0",                      //
          "IMPI SYNCACK from 10.77.0.1:450 to 10.77.0.2:4001 request 0",                       //
          "IMPI CANCEL from 10.77.0.1:450 to 10.77.0.2:4001 request 0",                        //
          "IMPI CANCELYES from 10.77.0.1:450 to 10.77.0.2:4001 request 0",                     //
          "IMPI CANCELNO from 10.77.0.1:450 to 10.77.0.2:4002 request 123",                    //
          "IMPI FINI"));
}

TEST_F(ImpiDissector, NothingFollowsAHeaderThatOnlySaysSo) {
  add(kCancelno + kShort + kFini);
  EXPECT_THAT(
      shown(),
      ElementsAre("IMPI CANCELNO from 10.77.0.1:450 to 10.77.0.2:4002 request 123; "
                  "DATA from 10.77.0.1:450 to 10.77.0.2:4002 length 4 of 4 tag 7 context 0; FINI"));
}

TEST_F(ImpiDissector, FiltersByTheValueOfAField) {
  for (const std::string& packet : {kShort, kLong, kSyncack}) add(packet);
  EXPECT_EQ(
      decoded({"impi.tag"}, "-R 'impi.tag == 12 && impi.src.hostid == ::10.77.0.1' -2").size(), 1U);
}

TEST_F(ImpiDissector, PutsHalfPacketsTogether) {
  // The first segment must be recognisable as IMPI.
  const Bytes stream = bytes_of("00000001" + kShort + kLong + kShort);
  std::size_t size = 80;
  for (std::size_t at = 0; at < stream.size(); at += size, size = 37) {
    size = std::min(size, stream.size() - at);
    capture_.add(std::span(stream).subspan(at, size));
  }
  add(kSyncack, Direction::kToInitiator);
  std::vector<std::string> types;
  for (const DecodedPacket& packet : decoded({"impi.type", "impi.data"})) {
    for (const std::string& type : packet.at("impi.type")) types.push_back(type);
    for (const std::string& data : packet.at("impi.data"))
      EXPECT_THAT(data.size(), testing::AnyOf(8U, 2000U));
  }
  EXPECT_THAT(types, ElementsAre("0", "1", "0", "3"));
}

TEST_F(ImpiDissector, NamedPortsNeedNoFirstLook) {
  // Byte by byte, starting with the host's rank.
  for (const std::byte byte : bytes_of("00000001" + kShort)) capture_.add(std::span(&byte, 1));
  const auto packets = decoded({"impi.host_rank", "impi.type", "impi.data"}, kAsImpi);
  ASSERT_EQ(packets.size(), 2U);
  EXPECT_THAT(packets[0].at("impi.host_rank"), ElementsAre("1"));
  EXPECT_THAT(packets[1].at("impi.type"), ElementsAre("0"));
  EXPECT_THAT(packets[1].at("impi.data"), ElementsAre("01020304"));
}

TEST_F(ImpiDissector, CommandsMayComeTogetherAndInParts) {
  const Bytes stream = bytes_of(
      "41555448 00000004 00000001 494d5049 00000004 00000001 434f4c4c 00000008 00001100 00000002");
  const std::span<const std::byte> all(stream);
  capture_.add(all.first(9));
  capture_.add(all.subspan(9, 18));
  capture_.add(all.subspan(27));
  EXPECT_THAT(shown(),
              ElementsAre("IMPI AUTH mechanisms 0x1; IMPI rank 1", "IMPI COLL IMPI_C_NHOSTS"));
}

TEST_F(ImpiDissector, LeavesOtherTrafficAlone) {
  capture_.add(std::as_bytes(std::span("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")));
  add(std::string(400, '0'));
  add("00000000 00000000 ffffffffffffffffffffffffffffffff" + std::string(300, '1'), kToClient);
  EXPECT_THAT(decoded({"impi.type"}), IsEmpty());
}

TEST_F(ImpiDissector, MarksWhatNobodyWrites) {
  add(kShort);
  add("00000009" + kShort.substr(8, kShort.size() - 16));
  add("00000000 7fffffff" + kShort.substr(17));
  std::vector<std::string> messages;
  for (const DecodedPacket& packet : decoded({"_ws.expert.message"})) {
    for (const std::string& message : packet.at("_ws.expert.message")) messages.push_back(message);
  }
  EXPECT_THAT(messages, ElementsAre("unknown type of packet", "no packet has data that long"));
}

TEST_F(ImpiDissector, MarksContributionsThatAreNoWholeElements) {
  add("434f4c4c 0000000a 00001100 00000001 0001", kToClient);
  add("434f4c4c 00000002 0001", kToClient);
  add("494d5049 00000005 0000000100", kToClient);
  std::vector<std::string> messages;
  for (const DecodedPacket& packet : decoded({"_ws.expert.message"}, kAsImpi)) {
    for (const std::string& message : packet.at("_ws.expert.message")) messages.push_back(message);
  }
  EXPECT_THAT(messages, ElementsAre("the contributions are no multiple of 4 bytes",
                                    "shorter than a COLL", "IMPI has four bytes"));
}

TEST_F(ImpiDissector, NoChangedByteMakesItFail) {
  std::mt19937 random(20000105);
  const std::vector<std::string> packets = {kShort, kSyncack, kFini, kCancelno};
  for (int round = 0; round < 500; ++round) {
    Bytes packet = bytes_of(packets[static_cast<std::size_t>(round) % packets.size()]);
    packet[8 + random() % (packet.size() - 8)] = static_cast<std::byte>(random());
    capture_.add(packet);
  }
  expect_no_script_error(kAsImpi);
}

TEST_F(ImpiDissector, NoCommandMakesItFail) {
  std::mt19937 random(20000106);
  for (int round = 0; round < 500; ++round) {
    Bytes command = bytes_of("434f4c4c 00000010 00001100 00000003 00000001 00000002");
    if (round % 2 == 0) command = bytes_of("494d5049 00000004 00000001");
    command[8 + random() % (command.size() - 8)] = static_cast<std::byte>(random());
    capture_.add(command, round % 3 == 0 ? kToServer : kToClient);
  }
  // Lengths that do not fit their contents.
  for (const char* word :
       {"41555448", "494d5049", "434f4c4c", "444f4e45", "46494e49", "00000001"}) {
    for (unsigned size = 0; size < 20; ++size) {
      char length[9];
      std::snprintf(length, sizeof length, "%08x", size);
      add(word + std::string(length) + std::string(2 * std::size_t{size}, '0'), kToClient);
    }
  }
  add("434f4c4c ffffffff", kToClient);
  expect_no_script_error(kAsImpi);
}

}  // namespace
