#include "mpi_layer/impi/server.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "mpi_layer/impi/big_endian.h"
#include "wire_text.h"

namespace lintel::mpi::impi {
namespace {

using namespace std::chrono_literals;
using testing::bytes_of;
using testing::digits_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::wire;
using ServerPhase = Server::ServerPhase;

constexpr Nanoseconds kTimeout = 60s;
const char* const kAuthNone = "41555448 00000004 00000001";
const char* const kChoseNone = "00000000 00000000";
const char* const kDone = "444f4e45 00000000";
const char* const kFini = "46494e49 00000000";

std::string impi(std::uint32_t number) {
  std::string payload;
  append_number(payload, number);
  return digits_of(encode(CommandWord::kImpi, payload));
}

// A client's COLL.
std::string coll(Label label, const std::string& digits) {
  std::string payload;
  append_number(payload, label);
  return digits_of(encode(CommandWord::kColl, payload + bytes_of(digits)));
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { serve(2); }

  // A new server. Its connections are numbered from 1 again.
  void serve(unsigned clients,
             const Authentication& authentication = Authentication(true, std::nullopt)) {
    sent_.clear();
    closed_.clear();
    server_ = std::make_unique<Server>(Server::ServerSettings{clients, authentication, kTimeout});
  }
  Server::ConnectionId connect() {
    const Server::ConnectionId connection =
        server_->open("10.0.0.1:" + std::to_string(++port_), now_);
    take_decisions();
    return connection;
  }
  void send(Server::ConnectionId connection, const std::string& digits) {
    server_->take(connection, bytes_of(digits), now_);
    take_decisions();
  }
  void leave(Server::ConnectionId connection) {
    server_->lose(connection, "it closed its connection");
    take_decisions();
  }
  void pass(Nanoseconds time) {
    now_ = now_ + time;
    server_->advance(now_);
    take_decisions();
  }
  // What was sent to the connection since the last call.
  std::string sent_to(Server::ConnectionId connection) {
    return digits_of(std::exchange(sent_[connection], {}));
  }
  bool is_closed(Server::ConnectionId connection) const { return closed_.contains(connection); }
  // The problems reported since the last call.
  std::vector<std::string> problems() { return std::exchange(problems_, {}); }

  // A connection that has joined, as far as it can before all others have.
  Server::ConnectionId join(std::uint32_t rank) {
    const Server::ConnectionId connection = connect();
    send(connection, kAuthNone);
    EXPECT_EQ(sent_to(connection), wire(kChoseNone));
    send(connection, impi(rank));
    return connection;
  }
  // All clients have joined and been told so. Returns the connections in the order of ranks.
  std::vector<Server::ConnectionId> join_all(unsigned clients) {
    serve(clients);
    std::vector<Server::ConnectionId> joined;
    for (std::uint32_t rank = 0; rank < clients; ++rank) joined.push_back(join(rank));
    for (const Server::ConnectionId connection : joined)
      EXPECT_EQ(sent_to(connection), impi(clients));
    EXPECT_EQ(server_->phase(), ServerPhase::kCollecting);
    return joined;
  }
  // Completes the start-up.
  std::vector<Server::ConnectionId> start_all(unsigned clients) {
    const auto joined = join_all(clients);
    for (const Server::ConnectionId connection : joined) send(connection, kDone);
    for (const Server::ConnectionId connection : joined)
      EXPECT_THAT(sent_to(connection), ::testing::EndsWith(wire(kDone)));
    EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
    return joined;
  }

  void take_decisions() {
    for (const auto& [connection, bytes] : server_->take_decisions()) {
      EXPECT_FALSE(closed_.contains(connection))
          << "connection " << connection << " is named after its end";
      if (bytes == nullptr) {
        closed_.insert(connection);
      } else {
        sent_[connection] += *bytes;
      }
    }
    for (const auto& [is_problem, sentence] : server_->take_notes()) {
      if (is_problem) problems_.push_back(sentence);
      all_notes_ += sentence + "\n";
    }
  }

  std::unique_ptr<Server> server_;
  TimePoint now_{1000};
  int port_ = 0;
  std::map<Server::ConnectionId, std::string> sent_;
  std::set<Server::ConnectionId> closed_;
  std::vector<std::string> problems_;
  std::string all_notes_;
};

// ---- AUTH

TEST_F(ServerTest, AClientThatCanUseNoneIsAnsweredNone) {
  const auto client = connect();
  send(client, kAuthNone);
  EXPECT_EQ(sent_to(client), wire("00000000 00000000"));
}

TEST_F(ServerTest, AKeyIsRequestedWithoutAHeaderAndAcceptedWithoutAnAnswer) {
  serve(2, Authentication(true, 5678));
  const auto client = connect();
  send(client, "41555448 00000004 00000002");
  EXPECT_EQ(sent_to(client), wire("00000001 00000000"));
  send(client, "000000000000162e");
  EXPECT_EQ(sent_to(client), "");
  EXPECT_FALSE(is_closed(client));
  send(client, impi(1));
  EXPECT_FALSE(is_closed(client));
}

TEST_F(ServerTest, TheKeyIsPreferredUnlessTheListSaysOtherwise) {
  serve(2, Authentication(true, 5678));
  const auto first = connect();
  send(first, "41555448 00000004 00000003");
  EXPECT_EQ(sent_to(first), wire("00000001 00000000"));
  serve(2, *Authentication(true, 5678).preferring("0-1"));
  const auto second = connect();
  send(second, "41555448 00000004 00000003");
  EXPECT_EQ(sent_to(second), wire("00000000 00000000"));
}

TEST_F(ServerTest, AWrongKeyEndsTheConnectionWithoutAWord) {
  serve(2, Authentication(false, 5678));
  const auto client = connect();
  send(client, "41555448 00000004 00000002");
  sent_to(client);
  send(client, "000000000000162f");
  EXPECT_TRUE(is_closed(client));
  EXPECT_EQ(sent_to(client), "");
  EXPECT_THAT(problems(), ElementsAre("10.0.0.1:1 was not let in: it sent a wrong key"));
}

TEST_F(ServerTest, NoNoteHasAKey) {
  serve(1, Authentication(false, 5678));
  for (const char* key : {"000000000000162f", "000000000000162e"}) {
    const auto client = connect();
    send(client, "41555448 00000004 00000002");
    send(client, key);
    send(client, impi(0));
  }
  EXPECT_EQ(server_->phase(), ServerPhase::kCollecting);
  for (const char* secret : {"5678", "5679", "162e", "162f"})
    EXPECT_THAT(all_notes_, Not(HasSubstr(secret)));
}

TEST_F(ServerTest, WithoutACommonMechanismTheConnectionEndsWithoutAWord) {
  const auto none = connect();
  send(none, "41555448 00000004 00000000");
  EXPECT_TRUE(is_closed(none));
  EXPECT_EQ(sent_to(none), "");
  const auto key = connect();
  send(key, "41555448 00000004 00000002");
  EXPECT_TRUE(is_closed(key));
  EXPECT_THAT(
      problems(),
      ElementsAre("10.0.0.1:1 was not let in: it can authenticate by nothing; expected NONE",
                  "10.0.0.1:2 was not let in: it can authenticate by KEY; expected NONE"));
}

TEST_F(ServerTest, WhateverComesBeforeAuthEndsTheConnection) {
  for (const std::string& bytes : {impi(0), coll(kVersion, ""), wire(kDone), wire(kFini),
                                   wire("47455420 2f204854"), wire("41555448 00000008")}) {
    const auto client = connect();
    send(client, bytes);
    EXPECT_TRUE(is_closed(client)) << bytes;
    EXPECT_EQ(sent_to(client), "") << bytes;
  }
  EXPECT_THAT(problems().front(), HasSubstr("it sent IMPI; expected AUTH"));
  EXPECT_EQ(server_->phase(), ServerPhase::kJoining);
}

TEST_F(ServerTest, AnUnauthenticatedConnectionIsClosedAtItsFirstWrongCommand) {
  const auto client = connect();
  send(client, "434f4c4c 00100004");
  EXPECT_TRUE(is_closed(client));
}

// ---- IMPI

TEST_F(ServerTest, TheNumberOfClientsIsToldWhenAllHaveSentTheirRank) {
  const auto one = join(1);
  EXPECT_EQ(sent_to(one), "");
  const auto zero = join(0);
  EXPECT_EQ(sent_to(one), wire("494d5049 00000004 00000002"));
  EXPECT_EQ(sent_to(zero), wire("494d5049 00000004 00000002"));
}

TEST_F(ServerTest, BytesThatComeOneByOneAreTheSame) {
  const auto zero = join(0);
  const auto one = connect();
  for (const char byte : bytes_of(kAuthNone) + bytes_of(impi(1))) send(one, digits_of({&byte, 1}));
  EXPECT_EQ(sent_to(one), wire("00000000 00000000 494d5049 00000004 00000002"));
  EXPECT_EQ(sent_to(zero), wire("494d5049 00000004 00000002"));
}

TEST_F(ServerTest, AClientMaySayAllItHasToSayAtOnce) {
  serve(1, Authentication(false, 5678));
  const auto client = connect();
  send(client, "41555448 00000004 00000002 000000000000162e" + impi(0) +
                   coll(kVersion, "0000000000000000") + wire(kDone));
  const std::string said = sent_to(client);
  EXPECT_THAT(said,
              ::testing::StartsWith(wire("00000001 00000000 494d5049 00000004 00000001"
                                         "434f4c4c 00000010 00001000 00000001 0000000000000000")));
  EXPECT_THAT(said, ::testing::EndsWith(wire(kDone)));
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
}

TEST_F(ServerTest, ClientsThatJoinAtOnceDoNotBlockEachOther) {
  const auto silent = connect();
  const auto half = connect();
  send(half, "415554");
  const auto waiting = connect();
  send(waiting, kAuthNone);
  const auto one = join(1);
  const auto zero = join(0);
  EXPECT_EQ(sent_to(zero), impi(2));
  EXPECT_EQ(sent_to(one), impi(2));
  for (const auto stranger : {silent, half, waiting}) EXPECT_TRUE(is_closed(stranger));
  EXPECT_FALSE(server_->accepts());
}

TEST_F(ServerTest, ThirtyTwoClientsJoin) {
  const auto clients = join_all(32);
  for (std::uint32_t rank = 0; rank < 32; ++rank)
    send(clients[rank], coll(kVersion, "") + wire(kDone));
  EXPECT_THAT(sent_to(clients[31]),
              ::testing::StartsWith(wire("434f4c4c 00000008 00001000 ffffffff")));
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
}

TEST_F(ServerTest, ARankThatThereIsNotIsRefused) {
  for (const std::uint32_t rank : {2U, 31U, 0xffffffffU}) {
    const auto client = join(rank);
    EXPECT_TRUE(is_closed(client)) << rank;
    EXPECT_EQ(sent_to(client), "") << rank;
  }
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("it is client 2; expected a number from 0 to 1"),
                                      HasSubstr("client 31;"), HasSubstr("client -1;")));
  EXPECT_TRUE(server_->accepts());
}

TEST_F(ServerTest, ARankThatIsTakenIsRefusedAndItsFirstOwnerStays) {
  const auto first = join(0);
  const auto second = join(0);
  EXPECT_TRUE(is_closed(second));
  EXPECT_FALSE(is_closed(first));
  EXPECT_THAT(problems(), ElementsAre("10.0.0.1:2 was not let in: it is client 0, which has joined "
                                      "already; expected one that has not"));
  join(1);
  EXPECT_EQ(sent_to(first), impi(2));
}

TEST_F(ServerTest, TheRankOfAClientThatLeavesBeforeAllHaveJoinedIsFreeAgain) {
  const auto first = join(0);
  send(first, coll(kVersion, "0000000000000001"));
  leave(first);
  EXPECT_THAT(problems(), ElementsAre("client 0 (10.0.0.1:1) was lost before all had joined: it "
                                      "closed its connection; another may take its place"));
  const auto second = join(0);
  const auto other = join(1);
  EXPECT_EQ(sent_to(second), impi(2));
  sent_to(other);
  send(second, coll(kVersion, "0000000000000000"));
  send(other, coll(kVersion, "0000000000000000"));
  EXPECT_EQ(sent_to(other),
            wire("434f4c4c 00000018 00001000 00000003 0000000000000000 0000000000000000"));
}

TEST_F(ServerTest, UnauthenticatedConnectionsAreBoundedAndTheOldestIsClosedFirst) {
  const auto zero = join(0);
  std::vector<Server::ConnectionId> strangers;
  for (std::size_t i = 0; i <= Server::kMaxUnknownConnections; ++i) strangers.push_back(connect());
  EXPECT_TRUE(is_closed(strangers[0]));
  EXPECT_FALSE(is_closed(strangers[1]));
  EXPECT_FALSE(is_closed(zero));
}

// ---- COLL

TEST_F(ServerTest, ACompleteSetGoesToAllAtOnceInTheOrderOfRanks) {
  const auto clients = join_all(2);
  for (const auto client : clients) send(client, coll(kVersion, ""));
  for (const auto client : clients) sent_to(client);
  send(clients[1], "434f4c4c 00000008 00001100 00000002");
  EXPECT_EQ(sent_to(clients[0]), "");
  send(clients[0], "434f4c4c 00000008 00001100 00000001");
  for (const auto client : clients)
    EXPECT_EQ(sent_to(client), wire("434f4c4c 00000010 00001100 00000003 00000001 00000002"));
}

TEST_F(ServerTest, ContributionsMayDifferInLength) {
  const auto clients = join_all(2);
  send(clients[0], coll(kVersion, "0000000000000000"));
  send(clients[1], coll(kVersion, "0000000000000000 0000000000000001"));
  for (const auto client : clients)
    EXPECT_EQ(sent_to(client), wire("434f4c4c 00000020 00001000 00000003 0000000000000000 "
                                    "0000000000000000 0000000000000001"));
}

TEST_F(ServerTest, ALabelThatAClientSkipsIsAnsweredWithAPartialMask) {
  const auto clients = join_all(2);
  for (const auto client : clients) send(client, coll(kVersion, "") + coll(kClientHosts, ""));
  for (const auto client : clients) sent_to(client);
  send(clients[0], coll(kClientProcs, "00000003"));
  send(clients[1], coll(kDataLength, "00000100"));
  for (const auto client : clients)
    EXPECT_EQ(sent_to(client), wire("434f4c4c 0000000c 00001200 00000001 00000003"));
}

TEST_F(ServerTest, ALabelThatAllSkipIsAnsweredEmpty) {
  const auto clients = join_all(2);
  for (const auto client : clients) send(client, coll(kDataLength, ""));
  for (const auto client : clients) sent_to(client);
  for (const auto client : clients) send(client, coll(kCollectiveCrossoverSize, "ffffffff"));
  for (const auto client : clients)
    EXPECT_EQ(sent_to(client),
              wire("434f4c4c 00000008 00001400 00000000 434f4c4c 00000010 00001500 "
                   "00000003 ffffffff ffffffff"));
}

TEST_F(ServerTest, LabelsOutOfOrderEndTheJob) {
  const auto clients = join_all(2);
  send(clients[1], coll(kClientProcs, "00000003"));
  send(clients[1], coll(kClientHosts, "00000001"));
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
  for (const auto client : clients) EXPECT_TRUE(is_closed(client));
  EXPECT_THAT(problems(), ElementsAre("client 1 (10.0.0.1:2) was lost during start-up: it sent "
                                      "label IMPI_C_NHOSTS (0x1100) after IMPI_C_NPROCS "
                                      "(0x1200); expected ascending labels; the job cannot start"));
}

TEST_F(ServerTest, WhatIsNoCommandEndsTheJob) {
  const auto clients = join_all(2);
  send(clients[0], "00001100 00000004");
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
  EXPECT_THAT(
      problems(),
      ElementsAre(HasSubstr("client 0 (10.0.0.1:1) was lost during start-up: it sent 0x00001100")));
}

TEST_F(ServerTest, JoiningTwiceEndsTheJob) {
  const auto clients = join_all(2);
  send(clients[0], kAuthNone);
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("it sent AUTH twice")));
}

// ---- DONE

TEST_F(ServerTest, DoneIsToldWhenAllHaveSentItAndAllLabelsAreAnswered) {
  const auto clients = join_all(2);
  for (const LabelRow& row : labels()) {
    for (const auto client : clients) send(client, coll(row.label, "00"));
  }
  for (const auto client : clients) sent_to(client);
  send(clients[0], kDone);
  EXPECT_EQ(sent_to(clients[0]), "");
  send(clients[1], kDone);
  for (const auto client : clients) EXPECT_EQ(sent_to(client), wire(kDone));
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
}

TEST_F(ServerTest, WhatAClientWhoIsDoneHasNotSentIsAnsweredWithoutIt) {
  const auto clients = join_all(2);
  send(clients[0], kDone);
  send(clients[1], coll(kVersion, "0000000000000000"));
  EXPECT_EQ(sent_to(clients[0]), wire("434f4c4c 00000010 00001000 00000002 0000000000000000"));
}

TEST_F(ServerTest, NothingMayFollowDoneButFini) {
  for (const std::string& bytes : {coll(kProcPid, ""), wire(kDone), wire(kFini)}) {
    const auto clients = join_all(2);
    send(clients[0], wire(kDone) + bytes);
    EXPECT_EQ(server_->phase(), ServerPhase::kFailed) << bytes;
    EXPECT_THAT(problems(), ElementsAre(HasSubstr("client 0"))) << bytes;
  }
}

TEST_F(ServerTest, ALabelAfterStartUpIsALossOfThatClientAlone) {
  const auto clients = start_all(2);
  send(clients[0], coll(kProcPid, ""));
  EXPECT_TRUE(is_closed(clients[0]));
  EXPECT_FALSE(is_closed(clients[1]));
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
}

// ---- FINI

TEST_F(ServerTest, TheJobHasSucceededWhenAllHaveSaidFini) {
  const auto clients = start_all(2);
  send(clients[1], kFini);
  EXPECT_TRUE(is_closed(clients[1]));
  EXPECT_EQ(sent_to(clients[1]), "");
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
  send(clients[0], kFini);
  EXPECT_EQ(server_->phase(), ServerPhase::kSucceeded);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(ServerTest, TheFiniOfOlderLamsCounts) {
  const auto clients = start_all(1);
  send(clients[0], "494e4946 00000000");
  EXPECT_EQ(server_->phase(), ServerPhase::kSucceeded);
}

TEST_F(ServerTest, AClientThatIsLostBeforeFiniIsNamedAndTheOthersAreWaitedFor) {
  const auto clients = start_all(3);
  leave(clients[1]);
  EXPECT_THAT(
      problems(),
      ElementsAre("client 1 (10.0.0.1:2) was lost before its FINI: it closed its connection"));
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
  send(clients[0], kFini);
  EXPECT_EQ(server_->phase(), ServerPhase::kRunning);
  send(clients[2], kFini);
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
}

TEST_F(ServerTest, AClientThatIsLostDuringStartUpIsNamedAndEndsTheJob) {
  const auto clients = join_all(3);
  send(clients[0], coll(kVersion, ""));
  leave(clients[2]);
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
  EXPECT_THAT(problems(), ElementsAre("client 2 (10.0.0.1:3) was lost during start-up: it closed "
                                      "its connection; the job cannot start"));
  for (const auto client : clients) EXPECT_TRUE(is_closed(client));
}

TEST_F(ServerTest, TheEndOfAConnectionAfterFiniIsNoLoss) {
  const auto clients = start_all(2);
  send(clients[0], kFini);
  leave(clients[0]);
  EXPECT_THAT(problems(), IsEmpty());
}

// ---- Time

TEST_F(ServerTest, WhoeverDoesNotJoinInTimeIsClosed) {
  const auto silent = connect();
  pass(kTimeout / 2);
  const auto half = connect();
  send(half, kAuthNone);
  pass(kTimeout / 2 - 1ns);
  EXPECT_FALSE(is_closed(silent));
  EXPECT_EQ(server_->next_deadline(), now_ + 1ns);
  pass(1ns);
  EXPECT_TRUE(is_closed(silent));
  EXPECT_FALSE(is_closed(half));
  EXPECT_THAT(problems(), ElementsAre("10.0.0.1:1 was not let in: it did not join within 60s"));
  send(half, "494d");  // single bytes do not extend the time
  pass(kTimeout / 2);
  EXPECT_TRUE(is_closed(half));
}

TEST_F(ServerTest, AClientThatHasJoinedWaitsForTheOthersAsLongAsItTakes) {
  const auto zero = join(0);
  EXPECT_EQ(server_->next_deadline(), kNever);
  pass(1000 * kTimeout);
  EXPECT_FALSE(is_closed(zero));
}

TEST_F(ServerTest, AClientThatKeepsTheOthersWaitingIsLost) {
  const auto clients = join_all(3);
  send(clients[0], coll(kVersion, ""));
  send(clients[1], kDone);
  pass(kTimeout - 1ns);
  EXPECT_EQ(server_->phase(), ServerPhase::kCollecting);
  pass(1ns);
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
  EXPECT_THAT(problems(), ElementsAre("client 2 (10.0.0.1:3) was lost during start-up: it did not "
                                      "send its next label, or DONE, within 60s; the job cannot "
                                      "start"));
}

TEST_F(ServerTest, TheTimeForTheNextLabelBeginsWithTheAnswerToTheLast) {
  const auto clients = join_all(2);
  send(clients[0], coll(kVersion, ""));
  pass(kTimeout - 1ns);
  send(clients[1], coll(kVersion, ""));
  EXPECT_EQ(server_->next_deadline(), now_ + kTimeout);
  pass(kTimeout - 1ns);
  EXPECT_EQ(server_->phase(), ServerPhase::kCollecting);
}

TEST_F(ServerTest, HalfALabelIsNoLabel) {
  const auto clients = join_all(2);
  send(clients[0], coll(kVersion, ""));
  pass(kTimeout / 2);
  send(clients[1], "434f4c4c 00000008 0000");
  pass(kTimeout / 2);
  EXPECT_EQ(server_->phase(), ServerPhase::kFailed);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("client 1")));
}

TEST_F(ServerTest, ARunningJobMayBeSilentForEver) {
  const auto clients = start_all(2);
  EXPECT_EQ(server_->next_deadline(), kNever);
  pass(10000 * kTimeout);
  for (const auto client : clients) EXPECT_FALSE(is_closed(client));
}

}  // namespace
}  // namespace lintel::mpi::impi
