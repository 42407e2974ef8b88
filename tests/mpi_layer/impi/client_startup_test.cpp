#include "mpi_layer/impi/client_startup.h"

#include <gmock/gmock.h>

#include "mpi_layer/impi/big_endian.h"
#include "mpi_layer/impi/server.h"
#include "offers.h"
#include "wire_text.h"

namespace lintel::mpi::impi {
namespace {

using namespace std::chrono_literals;
using testing::bytes_of;
using testing::client_offer;
using testing::digits_of;
using ::testing::HasSubstr;
using testing::host_offer;
using ::testing::Not;
using testing::sets_of;
using ::testing::StartsWith;
using testing::wire;
using StartupPhase = ClientStartup::StartupPhase;

constexpr Nanoseconds kTimeout = 120s;
const char* const kChoseNone = "00000000 00000000";
const char* const kChoseKey = "00000001 00000000";
const char* const kTwoClients = "494d5049 00000004 00000002";
const char* const kDone = "444f4e45 00000000";

std::string answer(const LabelSet& set) {
  return digits_of(encode(CommandWord::kColl, encode(set)));
}

// Client 1 of 2. Each client has one host with two processes.
class ClientStartupTest : public ::testing::Test {
 protected:
  ClientStartupTest()
      : offers_{client_offer({host_offer(1, {450, 451})}),
                client_offer({host_offer(2, {4001, 4002})})} {
    begin(Authentication(true, std::nullopt));
  }

  void begin(const Authentication& authentication, std::uint32_t rank = 1) {
    startup_ = std::make_unique<ClientStartup>(
        ClientStartup::StartupSettings{rank, authentication, offers_[1], kTimeout}, now_);
  }
  std::string says() { return digits_of(startup_->take_outgoing()); }
  void hears(const std::string& digits) { startup_->take(bytes_of(digits), now_); }
  void pass(Nanoseconds time) {
    now_ = now_ + time;
    startup_->advance(now_);
  }
  std::string problem() {
    EXPECT_EQ(startup_->phase(), StartupPhase::kFailed);
    EXPECT_EQ(says(), "");
    return startup_->phase() == StartupPhase::kFailed ? startup_->problem() : "";
  }
  // Runs the start-up until its first label.
  void join() {
    hears(kChoseNone);
    hears(kTwoClients);
    EXPECT_EQ(startup_->phase(), StartupPhase::kSendingLabels);
    says();
  }
  // Runs the start-up until DONE.
  void tell_all() {
    join();
    for (const auto& [label, set] : sets_of(offers_)) hears(answer(set));
    EXPECT_EQ(startup_->phase(), StartupPhase::kFinishing);
    says();
  }

  std::vector<ClientOffer> offers_;
  TimePoint now_{5};
  std::unique_ptr<ClientStartup> startup_;
};

TEST_F(ClientStartupTest, BeginsWithTheMechanismsThatItHas) {
  EXPECT_EQ(says(), wire("41555448 00000004 00000001"));
  begin(Authentication(true, 5678));
  EXPECT_EQ(says(), wire("41555448 00000004 00000003"));
}

TEST_F(ClientStartupTest, GivesItsRankWhenNoneIsChosen) {
  says();
  hears(kChoseNone);
  EXPECT_EQ(says(), wire("494d5049 00000004 00000001"));
}

TEST_F(ClientStartupTest, GivesItsKeyBareAndThenItsRank) {
  begin(Authentication(false, 5678));
  EXPECT_EQ(says(), wire("41555448 00000004 00000002"));
  hears(kChoseKey);
  EXPECT_EQ(says(), wire("000000000000162e 494d5049 00000004 00000001"));
}

TEST_F(ClientStartupTest, AMechanismThatItDoesNotHaveIsRefused) {
  for (const char* choice :
       {"00000001 00000000", "00000002 00000000", "ffffffff 00000000", "00000020 00000000"}) {
    begin(Authentication(true, std::nullopt));
    says();
    hears(choice);
    EXPECT_THAT(problem(), HasSubstr("; expected NONE")) << choice;
  }
  begin(Authentication(true, std::nullopt));
  says();
  hears("00000000 00000004");
  EXPECT_THAT(problem(),
              HasSubstr("it sent 4 bytes for its authentication mechanism; expected none"));
}

TEST_F(ClientStartupTest, GoesThroughTheLabelsOneAnswerAfterTheOther) {
  says();
  hears(kChoseNone);
  says();
  hears(kTwoClients);
  for (const LabelRow& row : labels()) {
    std::string payload;
    append_number(payload, row.label);
    EXPECT_EQ(says(),
              digits_of(encode(CommandWord::kColl, payload + contribution(offers_[1], row.label))))
        << row.name;
    hears(answer(sets_of(offers_)[row.label]));
  }
  EXPECT_EQ(says(), wire(kDone));
  EXPECT_EQ(startup_->phase(), StartupPhase::kFinishing);
}

TEST_F(ClientStartupTest, NhostsTravelsAsTheSpecificationHasIt) {
  join();
  hears(answer(sets_of(offers_)[kVersion]));
  EXPECT_EQ(says(), wire("434f4c4c 00000008 00001100 00000001"));
  hears("434f4c4c 00000010 00001100 00000003 00000001 00000001");
  EXPECT_THAT(says(), StartsWith(wire("434f4c4c 00000008 00001200")));
}

TEST_F(ClientStartupTest, KnowsTheLayoutWhenAllAreDone) {
  tell_all();
  hears(kDone);
  ASSERT_EQ(startup_->phase(), StartupPhase::kReady);
  EXPECT_EQ(startup_->layout().procs.size(), 4U);
  EXPECT_EQ(startup_->layout().procs[2].id, (ProcId{testing::host_id(2), 4001}));
  EXPECT_EQ(says(), "");
}

TEST_F(ClientStartupTest, SaysFiniAtItsEnd) {
  tell_all();
  hears(kDone);
  startup_->finish();
  EXPECT_EQ(says(), wire("46494e49 00000000"));
}

TEST_F(ClientStartupTest, BytesThatComeOneByOneAreTheSame) {
  std::string all = bytes_of(kChoseNone) + bytes_of(kTwoClients);
  for (const auto& [label, set] : sets_of(offers_)) all += bytes_of(answer(set));
  all += bytes_of(kDone);
  for (const char byte : all) startup_->take({&byte, 1}, now_);
  EXPECT_EQ(startup_->phase(), StartupPhase::kReady);
}

TEST_F(ClientStartupTest, LabelsThatItDidNotSendArePassedOver) {
  join();
  hears(answer({0x0500, 1, "x"}));
  hears(answer(sets_of(offers_)[kVersion]));
  hears(answer({0x1050, 3, ""}));
  hears(answer(sets_of(offers_)[kClientHosts]));
  EXPECT_EQ(startup_->phase(), StartupPhase::kSendingLabels);
  begin(Authentication(true, std::nullopt));
  tell_all();
  hears(answer({0x7000, 1, "more"}));
  hears(kDone);
  EXPECT_EQ(startup_->phase(), StartupPhase::kReady);
}

TEST_F(ClientStartupTest, AnAnswerOutOfOrderIsRefused) {
  join();
  hears(answer(sets_of(offers_)[kClientHosts]));
  EXPECT_THAT(
      problem(),
      HasSubstr("it answered label IMPI_C_NHOSTS (0x1100); expected IMPI_C_VERSION (0x1000)"));
  begin(Authentication(true, std::nullopt));
  join();
  for (int i = 0; i < 2; ++i) hears(answer(sets_of(offers_)[kVersion]));
  EXPECT_THAT(problem(), HasSubstr("it answered label IMPI_C_VERSION (0x1000) after IMPI_C_VERSION "
                                   "(0x1000); expected ascending labels"));
}

TEST_F(ClientStartupTest, AMaskOfClientsThatThereAreNotIsRefused) {
  join();
  LabelSet set = sets_of(offers_)[kVersion];
  set.mask = 7;
  hears(answer(set));
  EXPECT_THAT(problem(), HasSubstr("for more than 2 clients"));
}

TEST_F(ClientStartupTest, ANumberOfClientsThatCannotBeIsRefused) {
  for (const char* size : {"00000000", "00000001", "00000021", "ffffffff"}) {
    begin(Authentication(true, std::nullopt));
    hears(kChoseNone);
    hears(std::string("494d5049 00000004 ") + size);
    EXPECT_THAT(problem(), HasSubstr("; expected ")) << size;
  }
}

TEST_F(ClientStartupTest, WhatIsNotExpectedNowIsRefused) {
  hears(kChoseNone);
  hears(kDone);
  EXPECT_THAT(problem(), HasSubstr("it sent DONE; expected IMPI"));
  begin(Authentication(true, std::nullopt));
  join();
  hears(kDone);
  EXPECT_THAT(problem(),
              HasSubstr("it sent DONE; expected the answer to label IMPI_C_VERSION (0x1000)"));
  begin(Authentication(true, std::nullopt));
  tell_all();
  hears(kTwoClients);
  EXPECT_THAT(problem(), HasSubstr("it sent IMPI; expected DONE"));
  begin(Authentication(true, std::nullopt));
  join();
  hears("48545450 2f312e31");
  EXPECT_THAT(problem(), HasSubstr("0x48545450 (\"HTTP\"); expected IMPI, COLL or DONE"));
}

TEST_F(ClientStartupTest, AJobThatCannotBeLaidOutFailsWithTheReason) {
  offers_[0].max_linear = 9;
  tell_all();
  hears(kDone);
  EXPECT_EQ(problem(),
            "start-up with the server of IMPI failed: client 1 has IMPI_C_COLL_MAXLINEAR (0x1600) "
            "4 and client 0 has 9; expected the same "
            "of all");
}

TEST_F(ClientStartupTest, AServerThatClosesIsALossUntilStartUpIsOver) {
  startup_->lose("it closed its connection");
  EXPECT_THAT(problem(),
              HasSubstr("it closed its connection; expected a mechanism that both have"));
  begin(Authentication(false, 5678));
  hears(kChoseKey);
  startup_->lose("it closed its connection");
  EXPECT_THAT(problem(), HasSubstr("it closed its connection; expected it to take the key"));
  EXPECT_THAT(startup_->problem(), Not(HasSubstr("5678")));
  begin(Authentication(true, std::nullopt));
  tell_all();
  startup_->lose("it closed its connection");
  problem();
  begin(Authentication(true, std::nullopt));
  tell_all();
  hears(kDone);
  startup_->lose("it closed its connection");
  EXPECT_EQ(startup_->phase(), StartupPhase::kReady);
}

TEST_F(ClientStartupTest, ASilentServerIsGivenUpExceptWhileOthersHaveNotJoined) {
  pass(kTimeout - 1ns);
  EXPECT_EQ(startup_->phase(), StartupPhase::kAuthenticating);
  hears(kChoseNone);
  EXPECT_EQ(startup_->next_deadline(), kNever);
  pass(1000 * kTimeout);
  EXPECT_EQ(startup_->phase(), StartupPhase::kJoining);
  hears(kTwoClients);
  EXPECT_EQ(startup_->next_deadline(), now_ + kTimeout);
  pass(kTimeout);
  EXPECT_THAT(problem(), HasSubstr("it has not answered for 120s"));
}

TEST(ClientsAndServer, GoThroughAWholeJobTogether) {
  std::vector<ClientOffer> offers;
  for (std::uint8_t i = 1; i <= 3; ++i)
    offers.push_back(client_offer(
        {host_offer(i, {i, i + 100}), host_offer(static_cast<std::uint8_t>(i + 10), {i})}));
  const TimePoint now{1};
  const Authentication key(false, 5678);
  Server server({3, key, kTimeout});
  std::map<Server::ConnectionId, ClientStartup> clients;
  for (const std::uint32_t rank : {2U, 0U, 1U})
    clients.emplace(server.open("client", now),
                    ClientStartup({rank, key, offers[rank], kTimeout}, now));
  const auto exchange_all = [&] {
    for (bool is_moving = true; is_moving;) {
      is_moving = false;
      for (auto& [connection, client] : clients) {
        const std::string said = client.take_outgoing();
        is_moving = is_moving || !said.empty();
        server.take(connection, said, now);
      }
      for (const auto& [connection, bytes] : server.take_decisions()) {
        if (bytes != nullptr) clients.at(connection).take(*bytes, now);
      }
    }
  };
  exchange_all();
  ASSERT_EQ(server.phase(), Server::ServerPhase::kRunning);
  for (auto& [connection, client] : clients) {
    ASSERT_EQ(client.phase(), StartupPhase::kReady);
    EXPECT_EQ(client.layout().hosts.size(), 6U);
    ASSERT_EQ(client.layout().procs.size(), 9U);
    EXPECT_EQ(client.layout().procs[7].id, (ProcId{testing::host_id(3), 103}));
    client.finish();
  }
  exchange_all();
  EXPECT_EQ(server.phase(), Server::ServerPhase::kSucceeded);
}

}  // namespace
}  // namespace lintel::mpi::impi
