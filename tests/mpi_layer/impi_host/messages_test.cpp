// The message protocols of IMPI (reference section 7): short, synchronous, long, cancel.

#include <gtest/gtest.h>

#include "tests/mpi_layer/impi_host/hex.h"
#include "tests/mpi_layer/impi_host/host_pair.h"

namespace lintel::testing {
namespace {

using namespace mpi::impi;
using Told = std::vector<std::string>;

class ImpiMessages : public ::testing::Test {
 protected:
  HostPair hosts{ChannelLimits{1000, 3, 5}};
  Host& first = hosts.first;
  Host& second = hosts.second;
};

TEST_F(ImpiMessages, ShortOneIsASinglePacketAndHasEndedWhenItWasGiven) {
  const auto bytes = content(1000);
  EXPECT_EQ(first.messages.send(envelope(0, 3, 7, 1000), false, bytes), 0U);
  EXPECT_EQ(first.joined.channel().unwritten_bytes(), kHeaderBytes + 1000);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.take_told(), Told{"arrival 1 tag 7"});
  EXPECT_EQ(second.contents[1], bytes);
  EXPECT_EQ(second.envelopes[1], envelope(0, 3, 7, 1000));
  second.messages.accept(1);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.messages.arrivals_open(), 0U);
  EXPECT_TRUE(first.told.empty());
}

TEST_F(ImpiMessages, EmptyOneIsAHeader) {
  EXPECT_EQ(first.messages.send(envelope(0, 3, 7, 0), false, {}), 0U);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.take_told(), Told{"arrival 1 tag 7"});
}

TEST_F(ImpiMessages, SynchronousOneEndsWhenItWasAccepted) {
  const auto bytes = content(10);
  const SendNumber sent = first.messages.send(envelope(0, 3, 7, 10), true, bytes);
  ASSERT_TRUE(hosts.settle());
  EXPECT_TRUE(first.told.empty());
  second.messages.accept(1);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(first.take_told(), Told{"sent " + std::to_string(sent)});
  EXPECT_EQ(first.messages.sends_under_way(), 0U);
}

TEST_F(ImpiMessages, LongOneSendsItsFirstPacketAndTheRestWhenItWasAccepted) {
  const auto bytes = content(200'000);
  first.messages.send(envelope(0, 3, 12, bytes.size()), false, bytes);
  EXPECT_EQ(first.joined.channel().unwritten_bytes(), kHeaderBytes + 1000);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.contents[1].size(), 1000U);
  second.messages.accept(1);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.contents[1], bytes);
  EXPECT_EQ(second.take_told(), (Told{"arrival 1 tag 12", "whole 1"}));
  EXPECT_EQ(first.take_told(), Told{"sent 1"});
}

TEST_F(ImpiMessages, LongOneHasTheBytesOfVector4) {
  const auto bytes = content(200'000);
  const SendNumber sent = first.messages.send(envelope(0, 3, 12, bytes.size()), false, bytes);
  ASSERT_EQ(sent, 1U);
  const auto out = first.take_out();
  const std::string zeros(48, '0');
  EXPECT_EQ(hex_of(std::span(out).first(kHeaderBytes)),
            hex_of(bytes_of(std::string("00000001 000003e8") + kRank0 + kRank3 +
                            "0000000000000001 0000000000000000 0000000000030d40 00000000 0000000c "
                            "0000000000000000 0000000000000001" +
                            zeros)));
  const auto ack = bytes_of(std::string("00000003 00000000") + kRank3 + kRank0 +
                            "0000000000000001 000000000000004d 0000000000000000 00000000 00000000 "
                            "0000000000000000 0000000000000003" +
                            zeros);
  ASSERT_TRUE(first.joined.receive(ack).ok());
  const auto second_packet = first.take_out(kHeaderBytes);
  EXPECT_EQ(hex_of(second_packet),
            hex_of(bytes_of(std::string("00000000 000003e8") + kRank0 + kRank3 +
                            "0000000000000001 000000000000004d 0000000000030d40 00000000 0000000c "
                            "0000000000000000 0000000000000002" +
                            zeros)));
}

TEST_F(ImpiMessages, LaterShortOnePassesALongOneThatWaits) {
  const auto bytes = content(5000);
  first.messages.send(envelope(0, 3, 1, 5000), false, bytes);
  first.messages.send(envelope(0, 3, 2, 3), false, content(3));
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.take_told(), (Told{"arrival 1 tag 1", "arrival 2 tag 2"}));
}

TEST_F(ImpiMessages, ManyLongOnesInBothDirectionsOfAllPairsAllArriveWhole) {
  first.accept_at_once = second.accept_at_once = true;
  std::vector<std::vector<std::byte>> kept;
  for (unsigned i = 0; i < 40; ++i) kept.push_back(content(1001 + 997 * i, i));
  for (unsigned i = 0; i < 40; ++i) {
    const int here = static_cast<int>(i % 2);
    const int there = 2 + static_cast<int>(i / 2 % 2);
    first.messages.send(envelope(here, there, static_cast<int>(i), kept[i].size()), i % 3 == 0,
                        kept[i]);
    second.messages.send(envelope(there, here, static_cast<int>(i), kept[i].size()), i % 5 == 0,
                         kept[i]);
  }
  ASSERT_TRUE(hosts.settle());
  for (Host* host : {&first, &second}) {
    EXPECT_EQ(host->messages.sends_under_way(), 0U);
    EXPECT_EQ(host->messages.arrivals_open(), 0U);
    ASSERT_EQ(host->contents.size(), 40U);
    for (const auto& [number, bytes] : host->contents)
      EXPECT_EQ(bytes, kept[static_cast<std::size_t>(host->envelopes[number].tag)]) << number;
  }
}

TEST_F(ImpiMessages, CancelTakesBackWhatWasNotAccepted) {
  const auto bytes = content(5000);
  const SendNumber sent = first.messages.send(envelope(0, 3, 1, 5000), false, bytes);
  first.messages.cancel(sent);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.take_told(), (Told{"arrival 1 tag 1", "withdrawn 1"}));
  EXPECT_EQ(first.take_told(), Told{"cancelled 1"});
  EXPECT_EQ(first.messages.sends_under_way() + second.messages.arrivals_open(), 0U);
}

TEST_F(ImpiMessages, CancelOfWhatWasAcceptedIsRefusedAndTheSendGoesOn) {
  second.accept_at_once = true;
  const auto bytes = content(5000);
  const SendNumber sent = first.messages.send(envelope(0, 3, 1, 5000), false, bytes);
  first.messages.cancel(sent);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.contents[1], bytes);
  EXPECT_EQ(first.take_told(), (Told{"too late 1", "sent 1"}));
}

TEST_F(ImpiMessages, CancelOfWhatIsAboutToBeAcceptedIsRefused) {
  second.accept_when_wanted_back = true;
  const auto bytes = content(10);
  const SendNumber sent = first.messages.send(envelope(0, 3, 1, 10), true, bytes);
  first.messages.cancel(sent);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(second.take_told(), Told{"arrival 1 tag 1"});
  EXPECT_EQ(first.take_told(), Told{"sent 1"});
}

TEST_F(ImpiMessages, CancelThatCrossesTheAcceptanceIsNoNews) {
  const auto bytes = content(10);
  const SendNumber sent = first.messages.send(envelope(0, 3, 1, 10), true, bytes);
  ASSERT_TRUE(hosts.settle());
  second.messages.accept(1);
  first.messages.cancel(sent);
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(first.take_told(), Told{"sent 1"});
}

TEST_F(ImpiMessages, CancelWithoutAMessageIsAnsweredNoAsInVector6) {
  Packet cancel;
  cancel.type = PacketType::kCancel;
  cancel.source = process(3);
  cancel.destination = process(0);
  cancel.source_request = 123;
  std::vector<std::byte> bytes = encoded(cancel);
  ASSERT_TRUE(first.joined.receive(bytes).ok());
  const auto out = first.take_out();
  ASSERT_EQ(out.size(), kHeaderBytes);
  const Packet answer = decode(std::span<const std::byte, kHeaderBytes>(out.data(), kHeaderBytes));
  EXPECT_EQ(answer.type, PacketType::kCancelno);
  EXPECT_EQ(answer.source_request, 123U);
  EXPECT_EQ(answer.source, process(0));
  EXPECT_EQ(answer.destination, process(3));
}

TEST_F(ImpiMessages, WhatWasUnderWayWithAProcessIsForgottenAndWithAnotherGoesOn) {
  const auto bytes = content(9000);
  for (const int there : {2, 3}) {
    first.messages.send(envelope(0, there, there, 9000), false, bytes);
    second.messages.send(envelope(there, 0, there, 5), true, std::span(bytes).first(5));
  }
  ASSERT_TRUE(hosts.settle());
  for (const ArrivalNumber arrival : {1U, 2U}) second.messages.accept(arrival);
  ASSERT_TRUE(first.joined.receive(second.take_out()).ok());  // both are sent now
  first.messages.forget(process(2));
  EXPECT_EQ(first.messages.sends_under_way(), 1U);
  EXPECT_EQ(first.messages.arrivals_open(), 1U);
  first.take_told();
  ASSERT_TRUE(hosts.settle());
  EXPECT_EQ(first.take_told(), Told{"sent 2"});
  EXPECT_EQ(second.contents[2], bytes);
}

// Packets that no correct host sends.
class ImpiHostileMessages : public ImpiMessages, public ::testing::WithParamInterface<std::string> {
 protected:
  static Packet sound() {
    Packet packet;
    packet.source = process(2);
    packet.destination = process(0);
    packet.source_request = 1;
    return packet;
  }
};

TEST_P(ImpiHostileMessages, BreakTheChannel) {
  const auto bytes = content(5000);
  first.messages.send(envelope(0, 2, 1, 5000), false, bytes);
  first.take_out();
  Packet packet = sound();
  std::vector<std::byte> data;
  if (GetParam() == "rest of nothing") {
    packet.message_length = 10;
    packet.length = 5;
    packet.destination_request = 9;
    data = content(5);
  } else if (GetParam() == "acknowledgement of nothing") {
    packet.type = PacketType::kSyncack;
    packet.source_request = 77;
  } else if (GetParam() == "acknowledgement of another's") {
    packet.type = PacketType::kSyncack;
    packet.source = process(3);
  } else if (GetParam() == "cancel answered unasked") {
    packet.type = PacketType::kCancelyes;
  }
  std::vector<std::byte> frame = encoded(packet);
  frame.insert(frame.end(), data.begin(), data.end());
  EXPECT_EQ(first.joined.receive(frame).loss(), Loss::kPeer);
  EXPECT_TRUE(first.take_out().empty());
}
INSTANTIATE_TEST_SUITE_P(All, ImpiHostileMessages,
                         ::testing::Values("rest of nothing", "acknowledgement of nothing",
                                           "acknowledgement of another's",
                                           "cancel answered unasked"),
                         [](const auto& hostile) {
                           std::string name = hostile.param;
                           std::erase_if(name, [](char c) {
                             return std::isalnum(static_cast<unsigned char>(c)) == 0;
                           });
                           return name;
                         });

TEST_F(ImpiMessages, MessageThatGetsLongerThanItSaidBreaksTheChannel) {
  Packet packet;
  packet.type = PacketType::kDatasync;
  packet.source = process(2);
  packet.destination = process(0);
  packet.length = 3;
  packet.message_length = 8;
  const auto comes = [this](const Packet& one) {
    std::vector<std::byte> frame = encoded(one);
    frame.resize(kHeaderBytes + one.length);
    return first.joined.receive(frame);
  };
  ASSERT_TRUE(comes(packet).ok());
  first.messages.accept(1);
  packet.type = PacketType::kData;
  packet.destination_request = 1;
  packet.length = 6;
  EXPECT_EQ(comes(packet).loss(), Loss::kPeer);
}

}  // namespace
}  // namespace lintel::testing
