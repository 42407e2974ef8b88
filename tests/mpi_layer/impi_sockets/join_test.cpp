// A client that joins an IMPI job, with a server and other hosts that send scripted bytes over TCP.

#include "mpi_layer/impi/sockets/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <vector>

#include "mpi_layer/impi/big_endian.h"
#include "mpi_layer/impi/client_offer.h"
#include "mpi_layer/impi/command.h"
#include "tests/mpi_layer/impi/wire_text.h"
#include "tests/mpi_layer/impi_sockets/scripted_peer.h"

namespace lintel::testing {
namespace {

using namespace mpi::impi;
using mpi::Outcome;
using mpi::impi::testing::bytes_of;
using mpi::impi::testing::digits_of;
using mpi::impi::testing::wire;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint32_t kOtherAddress = 0x7f000002;  // 127.0.0.2
constexpr Nanoseconds kShort = std::chrono::milliseconds(200);

// Two clients: the one that joins, and one that the server reports.
class ImpiJoin : public ::testing::Test {
 protected:
  ImpiJoin() {
    HostOffer host;
    host.address = host_id_of(kOtherAddress);
    host.port = others.address().port;
    host.procs = {{host.address, 1}, {host.address, 2}, {host.address, 3}};
    other.hosts.push_back(host);
  }

  ClientSettings settings(std::uint32_t rank) const {
    ClientSettings settings;
    settings.rank = rank;
    settings.server_host = "127.0.0.1";
    settings.server_port = server.address().port;
    settings.authentication = Authentication(true, std::nullopt);
    return settings;
  }

  // Joins in a thread of its own. Meanwhile the test acts as the server.
  void join(const ClientSettings& settings, Nanoseconds timeout = kTimeout) {
    name = "client " + std::to_string(settings.rank) +
           " of IMPI, with the server at 127.0.0.1:" + std::to_string(settings.server_port) + ": ";
    joined = std::async(std::launch::async, [=] {
      return mpi::impi::join(settings, {4001, 4002}, timeout);
    });
  }
  std::string refusal() {
    const Outcome<JoinedJob> outcome = joined.get();
    return outcome.ok() ? "it has joined" : outcome.sentence();
  }

  // Test vector 1 of the reference.
  void admit(ScriptedPeer& peer, std::uint32_t rank) {
    EXPECT_EQ(digits_of(peer.receive(12)), wire("41555448 00000004 00000001"));
    peer.send(bytes_of("00000000 00000000"));
    EXPECT_EQ(digits_of(peer.receive(12)),
              wire("494d5049 00000004 0000000" + std::to_string(rank)));
    peer.send(bytes_of("494d5049 00000004 00000002"));
  }

  // Answers every label. `bend` may change an answer.
  void collect(
      ScriptedPeer& peer, std::uint32_t rank,
      const std::function<void(LabelSet&)>& bend = [](LabelSet&) {}) {
    for (const LabelRow& row : labels()) {
      const std::string header = peer.receive(8);
      ASSERT_EQ(header.substr(0, 4), "COLL") << row.name;
      const std::string payload = peer.receive(number_at<std::uint32_t>(header, 4));
      ASSERT_EQ(number_at<Label>(payload, 0), row.label);
      told[row.label] = payload.substr(sizeof(Label));
      const std::string of_other = contribution(other, row.label);
      LabelSet set{row.label, 3,
                   rank == 0 ? told[row.label] + of_other : of_other + told[row.label]};
      bend(set);
      peer.send(encode(CommandWord::kColl, encode(set)));
    }
    EXPECT_EQ(digits_of(peer.receive(8)), wire("444f4e45 00000000"));
    peer.send(bytes_of("444f4e45 00000000"));
  }

  void start_up(std::uint32_t rank) {
    client.emplace(server.accept());
    admit(*client, rank);
    collect(*client, rank);
  }

  // What the joining client has reported.
  TcpAddress own_host() const {
    HostId address;
    told.at(kHostAddress).copy(reinterpret_cast<char*>(address.bytes.data()), address.bytes.size());
    return {ipv4_of(address).value(),
            static_cast<std::uint16_t>(number_at<std::int32_t>(told.at(kHostPort), 0))};
  }

  ScriptedListener server;
  ScriptedListener others{kOtherAddress};
  ClientOffer other;
  std::optional<ScriptedPeer> client;
  std::map<Label, std::string> told;
  std::string name;
  std::future<Outcome<JoinedJob>> joined;
};

TEST_F(ImpiJoin, FirstClientIsCalledByTheOther) {
  join(settings(0));
  start_up(0);
  ScriptedPeer caller = call(own_host());
  caller.send(bytes_of("00000001"));
  JoinedJob job = value_of(joined.get());
  EXPECT_EQ(job.client, 0U);
  EXPECT_EQ(job.host, 0U);
  ASSERT_EQ(job.layout.procs.size(), 5U);
  EXPECT_EQ(job.layout.procs[1].id, (ProcId{host_id_of(kLoopback), 4002}));
  EXPECT_EQ(job.layout.procs[2].id, other.hosts[0].procs[0]);
  ASSERT_EQ(job.hosts.size(), 2U);
  EXPECT_FALSE(job.hosts[0].is_open());
  EXPECT_TRUE(job.hosts[1].is_open());
  EXPECT_TRUE(job.server.is_open());
  ScriptedPeer own(std::move(job.hosts[1]));
  own.send("packets");
  EXPECT_EQ(caller.receive(7), "packets");
}

TEST_F(ImpiJoin, SecondClientCallsTheFirstAndSaysItsRank) {
  join(settings(1));
  start_up(1);
  ScriptedPeer called = others.accept();
  EXPECT_EQ(digits_of(called.receive(4)), wire("00000001"));
  JoinedJob job = value_of(joined.get());
  EXPECT_EQ(job.host, 1U);
  EXPECT_EQ(job.layout.procs[3].id, (ProcId{host_id_of(kLoopback), 4001}));
  EXPECT_TRUE(job.hosts[0].is_open());
  EXPECT_EQ(called.receive_now(), "");
}

TEST_F(ImpiJoin, TellsTheAddressThatLeadsToTheServerAndCallsFromIt) {
  join(settings(1));
  start_up(1);
  EXPECT_EQ(own_host().ipv4, kLoopback);
  EXPECT_EQ(others.accept().address().ipv4, kLoopback);
  EXPECT_TRUE(joined.get().ok());
}

TEST_F(ImpiJoin, InterfaceOfTheEnvironmentIsToldListenedOnAndCalledFrom) {
  ClientSettings with_interface = settings(1);
  with_interface.interface = "127.0.0.3";
  join(with_interface);
  start_up(1);
  EXPECT_EQ(own_host().ipv4, 0x7f000003U);
  EXPECT_EQ(digits_of(told[kProcAddress]),
            wire("0000000000000000000000007f000003 0000000000000000000000007f000003"));
  EXPECT_EQ(digits_of(told[kProcPid]), wire("0000000000000fa1 0000000000000fa2"));
  EXPECT_EQ(others.accept().address().ipv4, 0x7f000003U);
  EXPECT_TRUE(joined.get().ok());
}

TEST_F(ImpiJoin, KeyIsSentWhenTheServerChoosesIt) {
  ClientSettings with_key = settings(1);
  with_key.authentication = Authentication(false, 5678);
  join(with_key);
  client.emplace(server.accept());
  EXPECT_EQ(digits_of(client->receive(12)), wire("41555448 00000004 00000002"));
  client->send(bytes_of("00000001 00000000"));
  EXPECT_EQ(digits_of(client->receive(20)), wire("000000000000162e 494d5049 00000004 00000001"));
  client->close();
  EXPECT_THAT(refusal(), AllOf(StartsWith(name),
                               HasSubstr("it closed its connection; expected it to take the key"),
                               Not(HasSubstr("5678 "))));
}

TEST_F(ImpiJoin, AnswersMayComeByteByByte) {
  join(settings(0));
  client.emplace(server.accept());
  client->receive(12);
  client->send_one_by_one(bytes_of("00000000 00000000"));
  client->receive(12);
  client->send_one_by_one(bytes_of("494d5049 00000004 00000002"));
  collect(*client, 0);
  ScriptedPeer caller = call(own_host());
  caller.send_one_by_one(bytes_of("00000001"));
  EXPECT_TRUE(joined.get().ok());
}

TEST_F(ImpiJoin, HostListensBeforeItsPortIsTold) {
  join(settings(0));
  client.emplace(server.accept());
  admit(*client, 0);
  std::optional<ScriptedPeer> caller;
  collect(*client, 0, [&](const LabelSet& set) {
    if (set.label != kHostPort) return;
    caller.emplace(call(own_host()));
    caller->send(bytes_of("00000001"));
  });
  EXPECT_TRUE(joined.get().ok());
}

TEST_F(ImpiJoin, WaitsForOtherClientsLongerThanForAnswers) {
  join(settings(0), kShort);
  client.emplace(server.accept());
  client->receive(12);
  client->send(bytes_of("00000000 00000000"));
  client->receive(12);
  EXPECT_EQ(joined.wait_for(3 * kShort), std::future_status::timeout);
  client->send(bytes_of("494d5049 00000004 00000002"));
  collect(*client, 0);
  ScriptedPeer caller = call(own_host());
  caller.send(bytes_of("00000001"));
  EXPECT_TRUE(joined.get().ok());
}

TEST_F(ImpiJoin, ServerThatIsNotThereIsNamed) {
  ClientSettings wrong = settings(1);
  {
    ScriptedListener gone;
    wrong.server_port = gone.address().port;
  }
  join(wrong);
  EXPECT_EQ(refusal(), name + "cannot connect to 127.0.0.1:" + std::to_string(wrong.server_port) +
                           ": connect: Connection refused");
}

TEST_F(ImpiJoin, ServerWithoutAnAddressIsNamed) {
  ClientSettings wrong = settings(1);
  wrong.server_host = "no-such-host.invalid";
  join(wrong);
  EXPECT_THAT(refusal(), HasSubstr("'no-such-host.invalid' has no IPv4 address: "));
}

TEST_F(ImpiJoin, InterfaceThatIsNoneIsNamed) {
  ClientSettings wrong = settings(1);
  wrong.interface = "no-such-0";
  join(wrong);
  EXPECT_THAT(refusal(),
              AllOf(StartsWith(name), HasSubstr("LINTEL_INTERFACE: 'no-such-0' is not usable")));
}

TEST_F(ImpiJoin, ServerThatSaysNothingIsNotWaitedForForever) {
  join(settings(1), kShort);
  client.emplace(server.accept());
  EXPECT_EQ(refusal(),
            name + "start-up with the server of IMPI failed: it has not answered for 200ms");
}

TEST_F(ImpiJoin, ServerThatFallsSilentIsNotWaitedForForever) {
  join(settings(1), kShort);
  client.emplace(server.accept());
  admit(*client, 1);
  client->receive(20);
  client->send(bytes_of("434f4c4c 000000"));  // half an answer
  EXPECT_EQ(refusal(),
            name + "start-up with the server of IMPI failed: it has not answered for 200ms");
}

TEST_F(ImpiJoin, ServerThatGoesIsNamed) {
  join(settings(1));
  client.emplace(server.accept());
  admit(*client, 1);
  client->receive(20);
  client->reset();
  EXPECT_EQ(refusal(), name +
                           "start-up with the server of IMPI failed: its connection has ended: "
                           "recv: Connection reset by peer");
}

struct Refused {
  const char* clause;
  const char* bytes;  // instead of the answer to the first label
  const char* sentence;
};

class ImpiJoinRefuses : public ImpiJoin, public ::testing::WithParamInterface<Refused> {};

TEST_P(ImpiJoinRefuses, InvalidAnswersOfTheServer) {
  join(settings(1));
  client.emplace(server.accept());
  admit(*client, 1);
  client->receive(20);
  client->send(bytes_of(GetParam().bytes));
  EXPECT_THAT(refusal(), AllOf(StartsWith(name), HasSubstr(GetParam().sentence)));
  EXPECT_TRUE(client->is_closed());
}
INSTANTIATE_TEST_SUITE_P(
    All, ImpiJoinRefuses,
    ::testing::Values(Refused{"HostileLength", "434f4c4c 7fffffff",
                              "it sent COLL with 2147483647 bytes; expected 8 to "},
                      Refused{"NegativeLength", "434f4c4c ffffffff",
                              "it sent COLL with 4294967295 bytes; expected 8 to "},
                      Refused{"ShortSet", "434f4c4c 00000004 00001000",
                              "it sent COLL with 4 bytes; expected 8 to "},
                      Refused{"OtherWord", "48545450 00000000", "it sent 0x48545450 (\"HTTP\")"},
                      Refused{"LaterLabel", "434f4c4c 00000008 00001100 00000000",
                              "expected IMPI_C_VERSION (0x1000)"},
                      Refused{"ManyClients", "434f4c4c 00000008 00001000 00000007",
                              "for more than 2 clients"},
                      Refused{"EarlyDone", "444f4e45 00000000",
                              "it sent DONE; expected the answer to label IMPI_C_VERSION"}),
    [](const auto& refused) { return refused.param.clause; });

TEST_F(ImpiJoin, RankThatTheServerDoesNotHaveIsNamed) {
  join(settings(2));
  client.emplace(server.accept());
  admit(*client, 2);
  EXPECT_THAT(refusal(),
              AllOf(StartsWith(name),
                    HasSubstr("it has 2 clients, and this is client 2; expected 0 to 1")));
}

TEST_F(ImpiJoin, ServerThatTellsOthersSomethingElseOfThisClientIsRefused) {
  join(settings(0));
  client.emplace(server.accept());
  admit(*client, 0);
  collect(*client, 0, [](LabelSet& set) {
    if (set.label == kProcPid) set.contributions[7] ^= 1;
  });
  EXPECT_THAT(refusal(),
              AllOf(StartsWith(name), HasSubstr("it tells of client 0 (host 0 at 127.0.0.1:"),
                    HasSubstr("expected what this client has told it")));
}

TEST_F(ImpiJoin, HostThatIsNotThereIsNamed) {
  {
    ScriptedListener gone(kOtherAddress);
    other.hosts[0].port = gone.address().port;
  }
  join(settings(1));
  start_up(1);
  const std::string address = "127.0.0.2:" + std::to_string(other.hosts[0].port);
  EXPECT_EQ(refusal(), name + "client 0 (host 0 at " + address + "): cannot connect to " + address +
                           " from 127.0.0.1: connect: Connection refused");
}

TEST_F(ImpiJoin, HostThatDoesNotCallIsNamed) {
  join(settings(0), kShort);
  start_up(0);
  EXPECT_EQ(refusal(), name +
                           "client 1 (host 1 at 127.0.0.2:" + std::to_string(other.hosts[0].port) +
                           ") has not connected to " + mpi::impi::text_of(own_host()) + " in time");
}

TEST_F(ImpiJoin, HostWithoutAnAddressOfIpv4IsNamed) {
  other.hosts[0].address.bytes[0] = 0x20;
  other.hosts[0].procs.resize(1);
  join(settings(1));
  start_up(1);
  EXPECT_THAT(refusal(),
              HasSubstr("host 0 has the address 2000:0:0:0:0:0:7f00:2; expected one of IPv4"));
}

TEST_F(ImpiJoin, WrongCallersAreClosedAndHoldUpNobody) {
  ::testing::internal::CaptureStderr();
  join(settings(0));
  start_up(0);
  std::vector<ScriptedPeer> wrong;
  for (const char* greeting : {"00000000", "00000002", "ffffffff", "47455420 2f204854"}) {
    wrong.push_back(call(own_host()));
    wrong.back().send(bytes_of(greeting));
    EXPECT_TRUE(wrong.back().is_closed()) << greeting;
  }
  ScriptedPeer silent = call(own_host());
  ScriptedPeer half = call(own_host());
  half.send(bytes_of("0000"));
  ScriptedPeer gone = call(own_host());
  gone.send(bytes_of("000000"));
  gone.close();
  ScriptedPeer right = call(own_host());
  right.send(bytes_of("00000001"));
  JoinedJob job = value_of(joined.get());
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(half.is_closed());
  ScriptedPeer own(std::move(job.hosts[1]));
  own.send("x");
  EXPECT_EQ(right.receive(1), "x");
  const std::string said = ::testing::internal::GetCapturedStderr();
  for (const char* what : {"host 0; expected one above 0 and below 2",
                           "host 2; expected one above 0", "host 4294967295; expected",
                           "host 1195725856; expected", "it has not said which host it is"}) {
    EXPECT_THAT(said, HasSubstr(what));
  }
  EXPECT_THAT(said, HasSubstr("warn: impi: the connection from 127.0.0.1:"));
}

TEST_F(ImpiJoin, HostThatCallsTwiceIsTakenOnce) {
  ClientOffer& three = other;
  three.hosts.push_back(three.hosts[0]);
  three.hosts[1].procs.clear();
  ::testing::internal::CaptureStderr();
  join(settings(0));
  start_up(0);
  ScriptedPeer first = call(own_host());
  first.send(bytes_of("00000001"));
  ScriptedPeer again = call(own_host());
  again.send(bytes_of("00000001"));
  ScriptedPeer second = call(own_host());
  second.send(bytes_of("00000002"));
  EXPECT_TRUE(joined.get().ok());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("says that it is from host 1, which has called already"));
}

TEST_F(ImpiJoin, ListenerIsClosedWhenAllHaveConnected) {
  join(settings(0));
  start_up(0);
  ScriptedPeer caller = call(own_host());
  caller.send(bytes_of("00000001"));
  const JoinedJob job = value_of(joined.get());
  EXPECT_THAT(connect_to(own_host(), std::nullopt, soon()).sentence(),
              HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace lintel::testing
