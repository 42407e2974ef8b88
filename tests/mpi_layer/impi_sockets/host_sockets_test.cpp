// The connections of a host with others that send scripted bytes over TCP.

#include "mpi_layer/impi/sockets/host_sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tests/mpi_layer/impi_host/hex.h"
#include "tests/mpi_layer/impi_host/job_of_vectors.h"
#include "tests/mpi_layer/impi_sockets/scripted_peer.h"

namespace lintel::testing {
namespace {

using namespace mpi::impi;
using mpi::impi::testing::digits_of;
using mpi::impi::testing::wire;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Told = std::vector<std::string>;

// Process 4 is that of client 2, at 10.77.0.3.
ProcId any_process(int rank) {
  return rank < 4 ? process(rank) : ProcId{host_id_of(0x0a4d0003), 7000};
}

Packet packet(PacketType type, int source, int destination, std::uint32_t length = 0, int tag = 0) {
  Packet packet;
  packet.type = type;
  packet.length = length;
  packet.source = any_process(source);
  packet.destination = any_process(destination);
  packet.message_length = length;
  packet.tag = tag;
  return packet;
}

std::vector<std::byte> data_of(std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + i / 251) & 0xff);
  return bytes;
}

std::string with_data(const Packet& packet) {
  const auto data = data_of(packet.length);
  return std::string(text_of(encoded(packet))) + std::string(text_of(data));
}

Packet decoded(const std::string& bytes) {
  return decode(std::as_bytes(std::span(bytes)).first<kHeaderBytes>());
}

// Client 0 of three. The other ends of its connections are scripted peers.
class ImpiHostSockets : public ::testing::Test, public HostSockets::PacketHandler {
 protected:
  void open(ChannelLimits limits = {1000, 3, 5},
            Nanoseconds peer_timeout = std::chrono::seconds(6)) {
    listener.emplace();
    if (has_little_room) listener->give_little_room();
    JoinedJob job;
    job.layout.data_length = limits.data_bytes;
    job.layout.ackmark = limits.ackmark;
    job.layout.hiwater = limits.hiwater;
    job.layout.hosts = {{process(0).host, 4001, 0, 0, 2},
                        {process(2).host, 4002, 1, 2, 2},
                        {any_process(4).host, 4003, 2, 4, 1}};
    for (int rank = 0; rank < 5; ++rank)
      job.layout.procs.push_back({any_process(rank), rank < 2 ? 0U : rank < 4 ? 1U : 2U});
    job.hosts.resize(3);
    for (std::optional<ScriptedPeer>* peer : {&server, &one, &two}) {
      Socket& own = peer == &server ? job.server : job.hosts[peer == &one ? 1 : 2];
      own = value_of(connect_to(listener->address(), std::nullopt, soon()));
      peer->emplace(listener->accept());
    }
    own_descriptor = job.hosts[1].get();
    sockets = value_of(HostSockets::open(job, peer_timeout, *this));
  }

  // Polls while there is something to find, until `holds`. Returns false if that takes too long.
  bool until(const std::function<bool()>& holds) {
    const Socket watch(::dup(sockets->fd()));
    const TimePoint deadline = soon();
    while (!holds()) {
      if (!wait_for(watch, POLLIN, deadline)) return false;
      sockets->poll();
    }
    return true;
  }
  bool until_told(std::size_t many) {
    return until([&] { return told.size() >= many; });
  }
  // Handles everything that has arrived.
  void settle() {
    const Socket watch(::dup(sockets->fd()));
    while (wait_for(watch, POLLIN, monotonic_now() + std::chrono::milliseconds(20)))
      sockets->poll();
  }
  void send(const Packet& packet, std::uint32_t host = 1) {
    sockets->send(host, packet, data_of(packet.length));
  }

  Error on_packet(std::uint32_t host, const Packet& packet,
                  std::span<const std::byte> data) override {
    told.push_back(std::to_string(host) + ": type " +
                   std::to_string(static_cast<unsigned>(packet.type)) + " tag " +
                   std::to_string(packet.tag));
    packets.push_back(packet);
    contents.emplace_back(data.begin(), data.end());
    in_place += data.data() == place.data() ? 1 : 0;
    if (on_each) on_each(packet);
    return refused;
  }
  std::span<std::byte> place_for(std::uint32_t, const Packet& packet) override {
    return place.size() == packet.length ? std::span(place) : std::span<std::byte>();
  }
  void on_room(std::uint32_t host) override { moved |= 1U << host; }
  void on_lost(std::uint32_t host, const std::string& sentence) override {
    told.push_back(std::to_string(host) + " is lost: " + sentence);
  }

  std::optional<ScriptedListener> listener;
  std::optional<ScriptedPeer> server, one, two;
  bool has_little_room = false;  // limits how much the others' sockets hold before they read
  int own_descriptor = -1;
  std::unique_ptr<HostSockets> sockets;
  Told told;
  std::vector<Packet> packets;
  std::vector<std::vector<std::byte>> contents;
  std::vector<std::byte> place;
  unsigned in_place = 0;
  unsigned moved = 0;
  Error refused;
  std::function<void(const Packet&)> on_each;
};

constexpr char kOne[] =
    "1 is lost: the connection with client 1 (host 1 at 10.77.0.2:4002) is lost: ";

TEST_F(ImpiHostSockets, EveryKindOfPacketIsHandedOn) {
  open({1000, 10, 20});
  unsigned tag = 0;
  for (const PacketType type :
       {PacketType::kData, PacketType::kDatasync, PacketType::kSyncack, PacketType::kCancel,
        PacketType::kCancelyes, PacketType::kCancelno}) {
    one->send(with_data(packet(type, 2, 0, carries_data(type) ? 5 : 0, static_cast<int>(++tag))));
  }
  ASSERT_TRUE(until_told(6));
  EXPECT_THAT(told, ElementsAre("1: type 0 tag 1", "1: type 1 tag 2", "1: type 3 tag 3",
                                "1: type 4 tag 4", "1: type 5 tag 5", "1: type 6 tag 6"));
  EXPECT_EQ(contents[0], data_of(5));
  EXPECT_TRUE(contents[2].empty());
}

TEST_F(ImpiHostSockets, HeaderOnlyPacketsOfLamHaveNoDataWhateverTheirLength) {
  open();
  Packet lam = packet(PacketType::kCancelno, 2, 0, 0, -1);
  lam.length = 128;
  lam.message_length = 128;
  one->send(encoded(lam));
  one->send(with_data(packet(PacketType::kData, 2, 0, 3, 9)));
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(told[1], "1: type 0 tag 9");
}

TEST_F(ImpiHostSockets, PacketsMayComeByteByByte) {
  open();
  one->send_one_by_one(with_data(packet(PacketType::kDatasync, 3, 1, 40, 1)) +
                       with_data(packet(PacketType::kData, 3, 1, 0, 2)));
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(packets[0], packet(PacketType::kDatasync, 3, 1, 40, 1));
  EXPECT_EQ(contents[0], data_of(40));
}

TEST_F(ImpiHostSockets, HostsAreHeardApart) {
  open();
  two->send(with_data(packet(PacketType::kData, 4, 1, 3, 1)));
  ASSERT_TRUE(until_told(1));
  one->send(with_data(packet(PacketType::kData, 2, 1, 3, 2)));
  ASSERT_TRUE(until_told(2));
  EXPECT_THAT(told, ElementsAre("2: type 0 tag 1", "1: type 0 tag 2"));
}

TEST_F(ImpiHostSockets, PacketLeavesAtOnceWithTheBytesOfVector3) {
  open();
  Packet sent = packet(PacketType::kData, 0, 3, 4, 7);
  const auto data = bytes_of("01020304");
  sockets->send(1, sent, data);
  EXPECT_EQ(digits_of(one->receive(132)),
            wire(std::string("00000000 00000004") + kRank0 + kRank3 +
                 "0000000000000000 0000000000000000 0000000000000004"
                 "00000000 00000007 0000000000000000 0000000000000001"
                 "0000000000000000 0000000000000000 0000000000000000 01020304"));
  EXPECT_EQ(sockets->backlog(1), 0U);
}

TEST_F(ImpiHostSockets, NoMorePacketsLeaveThanTheHighWaterMark) {
  open();
  for (int tag = 0; tag < 9; ++tag) send(packet(PacketType::kData, 0, 2, 10, tag));
  EXPECT_FALSE(sockets->takes_more(1, process(0), process(2)));
  EXPECT_TRUE(sockets->takes_more(1, process(0), process(3))) << "another pair";
  EXPECT_EQ(one->receive(5 * (kHeaderBytes + 10)).size(), 5 * (kHeaderBytes + 10));
  EXPECT_EQ(one->receive_now(), "");
  one->send(encoded(packet(PacketType::kProtoack, 2, 0)));
  ASSERT_TRUE(until([&] { return moved != 0; }));
  const std::string followed = one->receive(3 * (kHeaderBytes + 10));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(decoded(followed.substr(i * (kHeaderBytes + 10), kHeaderBytes)).tag,
              5 + static_cast<int>(i));
  EXPECT_EQ(one->receive_now(), "");
}

TEST_F(ImpiHostSockets, AckmarkPacketsAreAnsweredByOneProtoack) {
  open();
  for (int i = 0; i < 2; ++i) one->send(with_data(packet(PacketType::kData, 2, 0, 7)));
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(one->receive_now(), "");
  one->send(encoded(packet(PacketType::kSyncack, 2, 0)));
  ASSERT_TRUE(until_told(3));
  const Packet answer = decoded(one->receive(kHeaderBytes));
  EXPECT_EQ(answer.type, PacketType::kProtoack);
  EXPECT_EQ(answer.source, process(0));
  EXPECT_EQ(answer.destination, process(2));
}

TEST_F(ImpiHostSockets, PacketsSentFromWithinOnPacketFollowTheProtoack) {
  open();
  on_each = [this](const Packet& come) {
    if (come.tag == 3) send(packet(PacketType::kSyncack, 0, 2));
  };
  for (int tag = 1; tag <= 3; ++tag)
    one->send(with_data(packet(PacketType::kDatasync, 2, 0, 7, tag)));
  ASSERT_TRUE(until_told(3));
  EXPECT_EQ(decoded(one->receive(kHeaderBytes)).type, PacketType::kProtoack);
  EXPECT_EQ(decoded(one->receive(kHeaderBytes)).type, PacketType::kSyncack);
}

TEST_F(ImpiHostSockets, WhatTheConnectionDoesNotTakeFollowsWhole) {
  open({65536, 1000, 2000});
  std::size_t sent = 0;
  while (sockets->takes_more(1, process(0), process(2)))
    send(packet(PacketType::kData, 0, 2, 65536, static_cast<int>(sent++)));
  ASSERT_GT(sent, 1U);
  EXPECT_GT(sockets->backlog(1), 0U);
  EXPECT_LT(sockets->backlog(1), kHeaderBytes + 65536);
  EXPECT_TRUE(sockets->takes_more(2, process(0), any_process(4))) << "another host";
  settle();
  EXPECT_EQ(moved, 0U);
  send(packet(PacketType::kData, 0, 2, 1, static_cast<int>(sent++)));
  const std::size_t all = (sent - 1) * (kHeaderBytes + 65536) + kHeaderBytes + 1;
  std::string received = one->receive(all - sockets->backlog(1));
  ASSERT_TRUE(until([&] { return sockets->backlog(1) == 0; }));
  received += one->receive(all - received.size());
  ASSERT_EQ(received.size(), all);
  EXPECT_EQ(moved, 2U);
  EXPECT_TRUE(sockets->takes_more(1, process(0), process(2)));
  const auto data = data_of(65536);
  for (std::size_t i = 0; i + 1 < sent; ++i) {
    const std::size_t at = i * (kHeaderBytes + 65536);
    ASSERT_EQ(decoded(received.substr(at, kHeaderBytes)).tag, static_cast<int>(i));
    ASSERT_TRUE(received.compare(at + kHeaderBytes, 65536, text_of(data)) == 0) << i;
  }
}

TEST_F(ImpiHostSockets, LargePacketsComeWhole) {
  open({65536, 10, 20});
  std::string all;
  for (int tag = 0; tag < 20; ++tag) all += with_data(packet(PacketType::kData, 2, 0, 65536, tag));
  for (std::size_t at = 0; at < all.size(); at += 100'000) {
    one->send(std::string_view(all).substr(at, 100'000));
    sockets->poll();
  }
  ASSERT_TRUE(until_told(20));
  for (const auto& content : contents) EXPECT_TRUE(content == data_of(65536));
}

TEST_F(ImpiHostSockets, PacketThatComesInPiecesIsReadWhereItIsWanted) {
  open({65536, 10, 20});
  place.resize(60'000);
  const std::string one_packet = with_data(packet(PacketType::kData, 2, 0, 60'000, 1));
  one->send(std::string_view(one_packet).substr(0, kHeaderBytes));
  settle();
  one->send(std::string_view(one_packet).substr(kHeaderBytes));
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 2)));
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(in_place, 1U);
  EXPECT_TRUE(place == data_of(60'000));
  EXPECT_EQ(contents[1], data_of(5));
}

TEST_F(ImpiHostSockets, OfAPacketThatIsRefusedNothingIsReadWhereItIsWanted) {
  open({65536, 10, 20});
  place.resize(60'000);
  one->send(with_data(packet(PacketType::kData, 4, 0, 60'000, 1)));
  ASSERT_TRUE(until_told(1));
  EXPECT_THAT(told[0], HasSubstr("from a process that the other host does not have"));
  EXPECT_TRUE(place == std::vector<std::byte>(60'000));
}

struct Hostile {
  const char* clause;
  std::function<Packet()> packet;
  const char* sentence;
};

class ImpiHostSocketsRefuse : public ImpiHostSockets,
                              public ::testing::WithParamInterface<Hostile> {};

TEST_P(ImpiHostSocketsRefuse, WhatNoHostSendsAndGoOnWithTheOthers) {
  open();
  one->send(encoded(GetParam().packet()));
  ASSERT_TRUE(until_told(1));
  EXPECT_THAT(told, ElementsAre(kOne + std::string(GetParam().sentence)));
  EXPECT_TRUE(one->is_closed());
  EXPECT_TRUE(sockets->is_lost(1));
  EXPECT_FALSE(sockets->takes_more(1, process(0), process(2)));
  send(packet(PacketType::kData, 0, 2, 10));  // to nobody
  two->send(with_data(packet(PacketType::kData, 4, 0, 10, 5)));
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(told[1], "2: type 0 tag 5");
}
INSTANTIATE_TEST_SUITE_P(
    All, ImpiHostSocketsRefuse,
    ::testing::Values(
        Hostile{"MoreDataThanAgreed", [] { return packet(PacketType::kData, 2, 0, 1001); },
                "IMPI packet: it has more data than the hosts agreed upon (IMPI_C_DATALEN)"},
        Hostile{"HostileLength",
                [] {
                  Packet one = packet(PacketType::kDatasync, 2, 0, 0xffffffff);
                  one.message_length = UINT64_MAX;
                  return one;
                },
                "IMPI packet: it has more data than the hosts agreed upon (IMPI_C_DATALEN)"},
        Hostile{"MoreDataThanTheMessage",
                [] {
                  Packet one = packet(PacketType::kData, 2, 0, 10);
                  one.message_length = 9;
                  return one;
                },
                "IMPI packet: it has more data than its message"},
        Hostile{"ForAStranger", [] { return packet(PacketType::kCancel, 2, 3); },
                "IMPI channel: a packet is for a process that this host does not have"},
        Hostile{"FromAnothersProcess", [] { return packet(PacketType::kCancel, 4, 0); },
                "IMPI channel: a packet is from a process that the other host does not have"},
        Hostile{"ProtoackForNothing", [] { return packet(PacketType::kProtoack, 2, 0); },
                "IMPI channel: PROTOACK takes back more packets than were sent"}),
    [](const auto& hostile) { return hostile.param.clause; });

TEST_F(ImpiHostSockets, WhatTheOwnerRefusesEndsTheConnection) {
  open();
  refused = {Loss::kPeer, "IMPI packet", "it goes on with a message that was not accepted"};
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 1)));
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(told[1],
            std::string(kOne) + "IMPI packet: it goes on with a message that was not accepted");
}

TEST_F(ImpiHostSockets, EndBeforeFiniIsALoss) {
  open();
  one->close();
  ASSERT_TRUE(until_told(1));
  EXPECT_THAT(told, ElementsAre(std::string(kOne) +
                                "the other host has closed its connection before it said FINI"));
  EXPECT_FALSE(sockets->finished());
}

TEST_F(ImpiHostSockets, EndInTheMiddleOfAPacketIsALossBehindWhatCameBefore) {
  open();
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 1)));
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 2)).substr(0, kHeaderBytes + 3));
  one->close();
  ASSERT_TRUE(until_told(2));
  EXPECT_EQ(told[0], "1: type 0 tag 1");
  EXPECT_EQ(told[1],
            std::string(kOne) + "the other host has closed its connection before it said FINI");
}

TEST_F(ImpiHostSockets, CrashIsALossWithTheSystemsWord) {
  open();
  one->reset();
  ASSERT_TRUE(until_told(1));
  EXPECT_THAT(told, ElementsAre(std::string(kOne) +
                                "its connection has ended: recvmsg: Connection reset by peer"));
}

TEST_F(ImpiHostSockets, ACrashFoundByWritingIsReportedByPollOnly) {
  open();
  one->reset();
  for (int tag = 0; tag < 5; ++tag) send(packet(PacketType::kData, 0, 2, 10, tag));
  EXPECT_THAT(told, IsEmpty());
  ASSERT_TRUE(until_told(1));
  EXPECT_THAT(told[0], HasSubstr(kOne));
  EXPECT_EQ(sockets->backlog(1), 0U);
}

TEST_F(ImpiHostSockets, WhatCameBeforeACrashIsHandedOn) {
  open();
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 1)));
  one->reset();
  for (int tag = 0; tag < 5; ++tag) send(packet(PacketType::kData, 0, 2, 10, tag));
  ASSERT_TRUE(until_told(2));
  EXPECT_THAT(told, ElementsAre("1: type 0 tag 1", HasSubstr(kOne)));
}

TEST_F(ImpiHostSockets, FiniOfBothSidesEndsTheConnectionsWithoutAWord) {
  open();
  sockets->finish();
  EXPECT_EQ(decoded(one->receive(kHeaderBytes)).type, PacketType::kFini);
  EXPECT_EQ(decoded(two->receive(kHeaderBytes)).type, PacketType::kFini);
  EXPECT_FALSE(sockets->finished());
  one->send(encoded(packet(PacketType::kFini, 2, 0)));
  two->send(encoded(packet(PacketType::kFini, 4, 0)));
  settle();
  for (ScriptedPeer* peer : {&*one, &*two}) {
    EXPECT_TRUE(peer->is_closed());
    peer->close();
  }
  ASSERT_TRUE(until([&] { return sockets->finished(); }));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(ImpiHostSockets, HostThatHasSaidFiniMayCloseFirst) {
  open();
  one->send(encoded(packet(PacketType::kFini, 2, 0)));
  settle();
  EXPECT_FALSE(sockets->finished());
  two->send(encoded(packet(PacketType::kFini, 4, 0)));
  sockets->finish();
  one->close();
  two->close();
  ASSERT_TRUE(until([&] { return sockets->finished(); }));
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(ImpiHostSockets, FiniFollowsWhatIsHeldBack) {
  open();
  for (int tag = 0; tag < 6; ++tag) send(packet(PacketType::kData, 0, 2, 0, tag));
  sockets->finish();
  one->receive(5 * kHeaderBytes);
  EXPECT_EQ(one->receive_now(), "");
  one->send(encoded(packet(PacketType::kProtoack, 2, 0)));
  ASSERT_TRUE(until([&] { return moved != 0; }));
  EXPECT_EQ(decoded(one->receive(kHeaderBytes)).tag, 5);
  EXPECT_EQ(decoded(one->receive(kHeaderBytes)).type, PacketType::kFini);
}

TEST_F(ImpiHostSockets, ProtoackThatFollowsFiniTakesNothingAlongThatIsStillToBeHeard) {
  has_little_room = true;
  open({65536, 3, 1000});
  std::size_t sent = 0;
  for (; sockets->takes_more(1, process(0), process(2)); ++sent)
    send(packet(PacketType::kData, 0, 2, 65536));
  sockets->finish();
  one->send(encoded(packet(PacketType::kFini, 2, 0)));
  std::size_t received = one->receive(kHeaderBytes + 65536).size();
  while (sockets->backlog(1) > 0) {
    received += one->receive(65536).size();
    sockets->poll();
  }
  settle();
  one->send(encoded(packet(PacketType::kProtoack, 2, 0)));
  settle();
  const std::size_t all = sent * (kHeaderBytes + 65536) + kHeaderBytes;
  received += one->receive(all - received).size();
  EXPECT_EQ(received, all);
  EXPECT_TRUE(one->is_closed());
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(ImpiHostSockets, AnswerToWhatComesAfterFiniIsDropped) {
  open();
  on_each = [this](const Packet&) { send(packet(PacketType::kCancelno, 0, 2)); };
  sockets->finish();
  EXPECT_FALSE(sockets->takes_more(1, process(0), process(2)));
  one->receive(kHeaderBytes);
  one->send(encoded(packet(PacketType::kCancel, 2, 0)));
  one->send(encoded(packet(PacketType::kFini, 2, 0)));
  settle();
  EXPECT_THAT(told, ElementsAre("1: type 4 tag 0"));
  EXPECT_TRUE(one->is_closed());
}

TEST_F(ImpiHostSockets, LostHostsAreNotWaitedForAtTheEnd) {
  open();
  one->close();
  two->close();
  ASSERT_TRUE(until_told(2));
  sockets->finish();
  EXPECT_TRUE(sockets->finished());
}

TEST_F(ImpiHostSockets, ServerIsToldTheEnd) {
  open();
  sockets->send_fini();
  EXPECT_EQ(digits_of(server->receive(8)), wire("46494e49 00000000"));
  EXPECT_TRUE(server->is_closed());
}

TEST_F(ImpiHostSockets, TheEndOfTheServerHasNoEffectAndWakesNobody) {
  open();
  server->close();
  const Socket watch(::dup(sockets->fd()));
  EXPECT_FALSE(wait_for(watch, POLLIN, monotonic_now() + std::chrono::milliseconds(50)));
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 1)));
  ASSERT_TRUE(until_told(1));
  sockets->send_fini();
}

TEST_F(ImpiHostSockets, PollWithoutAnythingDoesNothing) {
  open();
  EXPECT_EQ(sockets->poll(), 0U);
  one->send(with_data(packet(PacketType::kData, 2, 0, 5, 1)));
  const Socket watch(::dup(sockets->fd()));
  ASSERT_TRUE(wait_for(watch, POLLIN, soon()));
  EXPECT_EQ(sockets->poll(), 1U);
  EXPECT_EQ(sockets->poll(), 0U);
}

TEST_F(ImpiHostSockets, SilentMachineIsNoticedInThePeerTimeout) {
  open();
  const auto option = [this](int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(own_descriptor, level, name, &value, &size);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE) +
                option(IPPROTO_TCP, TCP_KEEPINTVL) * option(IPPROTO_TCP, TCP_KEEPCNT),
            6);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 6000);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
}

// Moves into a network namespace of its own, whose loopback device stands for the network.
bool switch_network(bool on) {
  const Socket any(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq device{};
  device.ifr_name[0] = 'l';
  device.ifr_name[1] = 'o';
  device.ifr_flags = on ? IFF_UP : 0;
  return ::ioctl(any.get(), SIOCSIFFLAGS, &device) == 0;
}

TEST_F(ImpiHostSockets, MachineThatVanishesIsALossWhetherSomethingIsSentToItOrNot) {
  bool is_apart = false;
  std::thread([&] {
    if (::unshare(CLONE_NEWNET) != 0) return;
    is_apart = true;
    ASSERT_TRUE(switch_network(true));
    open({1000, 3, 5}, std::chrono::seconds(1));
    ASSERT_TRUE(switch_network(false));
    send(packet(PacketType::kData, 0, 2, 10));
    ASSERT_TRUE(until_told(2));
  }).join();
  if (!is_apart) GTEST_SKIP() << "a network namespace of its own is not permitted";
  EXPECT_THAT(
      told, UnorderedElementsAre(HasSubstr("1 is lost: the connection with client 1 (host 1 at "
                                           "10.77.0.2:4002) is lost: its connection has ended: "),
                                 HasSubstr("2 is lost: the connection with client 2 (host 2 at "
                                           "10.77.0.3:4003) is lost: its connection has ended: ")));
}

}  // namespace
}  // namespace lintel::testing
