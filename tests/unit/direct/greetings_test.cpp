// Greetings: how they arrive, whom they are for, and what the two sides of a resumption prove.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>

#include "base/file_descriptor.h"
#include "tests/unit/direct/stream_bytes.h"
#include "transport/direct/arriving_greeting.h"
#include "transport/direct/greeter.h"
#include "transport/direct/resumption_exchange.h"

namespace lintel::transport {
namespace {

constexpr ProcessId kA{NodeId(0x7F000001), Pid(10)};
constexpr ProcessId kB{NodeId(0x7F000002), Pid(20)};

Bytes bytes_of(const Greeting& greeting) {
  Bytes bytes;
  append_wire(bytes, greeting);
  return bytes;
}

Greeting greeting_of(GreetingKind kind, ProcessId from = kA, ProcessId to = kB) {
  return {kGreetingMagic,
          kStreamVersion,
          static_cast<std::uint8_t>(kind),
          0,
          from.nid.value,
          from.pid.value,
          to.nid.value,
          to.pid.value,
          1,
          1};
}

// Returns how many of the bytes belong to the greeting.
std::size_t feed(ArrivingGreeting& greeting, std::span<const std::byte> bytes,
                 std::size_t portion) {
  std::size_t fed = 0;
  while (fed < bytes.size() && !greeting.is_complete()) {
    const iovec room = greeting.room();
    const std::size_t take = std::min({room.iov_len, portion, bytes.size() - fed});
    std::memcpy(room.iov_base, bytes.data() + fed, take);
    greeting.arrived(take);
    fed += take;
  }
  return fed;
}

TEST(ArrivingGreetingTest, TakesNothingOfThePiecesBehindIt) {
  Bytes bytes = bytes_of(greeting_of(GreetingKind::kConnect));
  append(bytes, filled(100, 1));
  for (const std::size_t portion : {1U, 7U, 39U, 40U, 1000U}) {
    ArrivingGreeting greeting;
    EXPECT_EQ(feed(greeting, bytes, portion), sizeof(Greeting)) << portion;
    EXPECT_EQ(greeting.greeting().from_pid, kA.pid.value);
  }
}

TEST(ArrivingGreetingTest, TakesTheResumptionThatFollows) {
  Bytes bytes = bytes_of(greeting_of(GreetingKind::kProof));
  Resumption resumption{};
  resumption.received = 4711;
  append_wire(bytes, resumption);
  append(bytes, filled(100, 1));
  for (const std::size_t portion : {1U, 7U, 40U, 96U, 1000U}) {
    ArrivingGreeting greeting;
    EXPECT_EQ(feed(greeting, bytes, portion), sizeof(Greeting) + sizeof(Resumption)) << portion;
    EXPECT_EQ(greeting.resumption().received, 4711U);
  }
}

TEST(ArrivingGreetingTest, AnotherOneMayFollow) {
  ArrivingGreeting greeting;
  feed(greeting, bytes_of(greeting_of(GreetingKind::kConnect)), 1000);
  greeting.begin();
  EXPECT_FALSE(greeting.is_complete());
  feed(greeting, bytes_of(greeting_of(GreetingKind::kAccept)), 1000);
  EXPECT_EQ(greeting.greeting().kind, static_cast<std::uint8_t>(GreetingKind::kAccept));
}

TEST(GreeterTest, SendsItsNameAndALaterGenerationEachTime) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const FileDescriptor near(ends[0]);
  const FileDescriptor far(ends[1]);
  Greeter greeter;
  greeter.set_self(kA);
  for (const std::uint64_t generation : {1U, 2U}) {
    EXPECT_EQ(greeter.next_generation(), generation);
    ASSERT_TRUE(greeter.send(near.get(), kB, GreetingKind::kConnect));
    std::byte wire[sizeof(Greeting) + 1];
    ASSERT_EQ(::recv(far.get(), wire, sizeof wire, 0), static_cast<ssize_t>(sizeof(Greeting)));
    const auto greeting = decode<Greeting>(wire);
    EXPECT_EQ(sender_of(greeting), kA);
    EXPECT_EQ(greeting.to_pid, kB.pid.value);
    EXPECT_EQ(greeting.generation, generation);
    EXPECT_EQ(greeting.incarnation, greeter.incarnation());
  }
}

TEST(GreeterTest, EachHasAnIncarnationOfItsOwn) {
  EXPECT_NE(Greeter().incarnation(), Greeter().incarnation());
}

TEST(GreeterTest, JudgesWhomAGreetingIsFor) {
  Greeter greeter;
  greeter.set_self(kB);
  Greeting greeting = greeting_of(GreetingKind::kConnect);
  EXPECT_EQ(greeter.judge(greeting), Greeter::GreetingVerdict::kForThisProcess);
  greeting.to_pid = kA.pid.value;
  EXPECT_EQ(greeter.judge(greeting), Greeter::GreetingVerdict::kForeign);
  greeting.version = 1;
  EXPECT_EQ(greeter.judge(greeting), Greeter::GreetingVerdict::kOtherVersion);
  greeting.magic = 0;
  EXPECT_EQ(greeter.judge(greeting), Greeter::GreetingVerdict::kForeign);
}

// The two sides of a resumption that has come to the proof of the requester.
class ResumptionExchangeTest : public ::testing::Test {
 protected:
  ResumptionExchangeTest() {
    key.fill(std::byte{7});
    b.note_nonce_of_peer(a.draw(random));
    a.note_nonce_of_peer(b.draw(random));
    proof = a.prove_request(key, party_a, party_b, 5, 1000);
  }
  static ResumptionExchange::Party party(ProcessId name, std::uint64_t incarnation,
                                         std::uint16_t port) {
    ResumptionExchange::Party made{name, incarnation, {}};
    made.end.sin_family = AF_INET;
    made.end.sin_port = port;
    return made;
  }

  RandomNumbers random{1};
  ResumptionKey key;
  ResumptionExchange a, b;  // the requester, and the other side
  ResumptionExchange::Party party_a = party(kA, 11, 1);
  ResumptionExchange::Party party_b = party(kB, 22, 2);
  Resumption proof;
};

TEST_F(ResumptionExchangeTest, BothProveWhatHasArrived) {
  EXPECT_EQ(proof.received, 1000U);
  ASSERT_TRUE(b.is_request_of(key, party_b, party_a, 5, proof));
  const Resumption answer = b.prove_resumed(key, party_b, 9, 2000);
  EXPECT_EQ(answer.received, 2000U);
  EXPECT_TRUE(a.is_resumed_by(key, party_b, 9, answer));
}

TEST_F(ResumptionExchangeTest, AProofHoldsForItsKeyNamesIncarnationEndsAndGeneration) {
  ResumptionKey other = key;
  other[31] ^= std::byte{1};
  EXPECT_FALSE(b.is_request_of(other, party_b, party_a, 5, proof));
  EXPECT_FALSE(b.is_request_of(key, party_a, party_b, 5, proof));
  EXPECT_FALSE(b.is_request_of(key, party_b, party(kA, 12, 1), 5, proof));
  EXPECT_FALSE(b.is_request_of(key, party_b, party(kA, 11, 3), 5, proof));
  EXPECT_FALSE(b.is_request_of(key, party_b, party_a, 6, proof));
}

TEST_F(ResumptionExchangeTest, WhatHasArrivedCannotBeChangedOnItsWay) {
  proof.received = 1001;
  EXPECT_FALSE(b.is_request_of(key, party_b, party_a, 5, proof));
}

TEST_F(ResumptionExchangeTest, AProofIsOfNoUseForAnotherChallenge) {
  b.draw(random);
  EXPECT_FALSE(b.is_request_of(key, party_b, party_a, 5, proof));
}

TEST_F(ResumptionExchangeTest, TheAnswerIsBoundToTheRequest) {
  ASSERT_TRUE(b.is_request_of(key, party_b, party_a, 5, proof));
  Resumption answer = b.prove_resumed(key, party_b, 9, 2000);
  EXPECT_FALSE(a.is_resumed_by(key, party_b, 10, answer));
  answer.received = 2001;
  EXPECT_FALSE(a.is_resumed_by(key, party_b, 9, answer));
  // The proof of the request is none of the other side.
  EXPECT_FALSE(a.is_resumed_by(key, party_b, 9, proof));
}

}  // namespace
}  // namespace lintel::transport
