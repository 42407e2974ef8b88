// What two processes say in a handshake, and what each finds in what the other has said. There is
// no network: each half is handed to the other side.
#include "transport/session/introductions.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string_view>

namespace lintel::transport {
namespace {

constexpr ProcessId kCallerName{NodeId{0x7f000001}, Pid{100}};
constexpr ProcessId kCalledName{NodeId{0x7f000001}, Pid{200}};
constexpr BindingBytes kConnection{std::byte{1}};
constexpr BindingBytes kOtherConnection{std::byte{2}};

// One of the two processes, with what it knows of the other.
struct Side {
  Side(ProcessId self, ProcessId other, std::uint64_t incarnation, const std::string& provider,
       std::string_view secret) {
    auto job_key = std::make_shared<JobKey>();
    if (!secret.empty()) job_key->give(std::as_bytes(std::span(secret.data(), secret.size())));
    introductions = std::make_unique<Introductions>(
        self, incarnation, provider, std::move(job_key),
        SessionNumbers({static_cast<std::byte>(incarnation)}, incarnation));
    peer.id = PeerId(static_cast<std::uint32_t>(incarnation));
    peer.name = other;
  }
  void begin() { peer.local_epoch = introductions->begin(peer, peer.handshake); }
  HandshakeHalf hello() const { return {kFrameVersion, introductions->make_hello(peer)}; }
  // Accepts the hello, which is proved by `key`, and answers it.
  HandshakeHalf welcome(const HandshakeHalf& hello, std::uint8_t key) {
    begin();
    peer.take_introduction(hello);
    peer.handshake.key = key;
    introductions->prepare_welcome(peer, peer.local_epoch, peer.handshake, kConnection, hello);
    return {kFrameVersion, introductions->make_welcome(peer, peer.local_epoch, peer.handshake,
                                                       hello.introduction.epoch)};
  }
  // What the welcome says counts from now on.
  void accept(const HandshakeHalf& welcome) {
    peer.take_introduction(welcome);
    peer.handshake.key = Introductions::key_of_welcome(welcome.introduction);
    std::memcpy(peer.handshake.remote_nonce.data(), welcome.introduction.nonce, sizeof(Nonce));
  }

  std::unique_ptr<Introductions> introductions;
  PeerSession peer;
};

class IntroductionsTest : public ::testing::Test {
 protected:
  static Side make_caller(std::string_view secret = "", const std::string& provider = "net 1.0") {
    return {kCallerName, kCalledName, 11, provider, secret};
  }
  static Side make_called(std::string_view secret = "", const std::string& provider = "net 1.0") {
    return {kCalledName, kCallerName, 22, provider, secret};
  }
  // The two have opened a session, and have a contact key since.
  static void meet(Side& caller, Side& called) {
    caller.begin();
    caller.accept(called.welcome(caller.hello(), 0));
    for (Side* const side : {&caller, &called})
      side->peer.contact = {side->peer.incarnation,
                            side->introductions->make_keys(side->peer).contact};
  }
};

TEST_F(IntroductionsTest, AHelloSaysWhoSendsItAndWhatItIsToBeAnsweredWith) {
  Side caller = make_caller();
  caller.begin();
  const Introduction hello = caller.hello().introduction;
  EXPECT_EQ((ProcessId{NodeId{hello.nid}, Pid{hello.pid}}), kCallerName);
  EXPECT_EQ(hello.incarnation, 11U);
  EXPECT_EQ(hello.slot, caller.peer.id.value);
  EXPECT_EQ(hello.epoch, caller.peer.local_epoch);
  EXPECT_STREQ(hello.provider, "net 1.0");
  EXPECT_TRUE(Introductions::is_well_formed(caller.hello()));
}

TEST_F(IntroductionsTest, AProviderTextThatIsTooLongEndsAtItsRoom) {
  const Side caller = make_caller("", std::string(100, 'x'));
  EXPECT_EQ(std::strlen(caller.introductions->provider()), sizeof(Introductions::ProviderText) - 1);
}

TEST_F(IntroductionsTest, WithoutIncarnationEpochOrEndOfTheProviderItIsMalformed) {
  Side caller = make_caller();
  caller.begin();
  HandshakeHalf half = caller.hello();
  half.introduction.incarnation = 0;
  EXPECT_FALSE(Introductions::is_well_formed(half));
  half = caller.hello();
  half.introduction.epoch = 0;
  EXPECT_FALSE(Introductions::is_well_formed(half));
  half = caller.hello();
  half.introduction.oldest_version = kFrameVersion + 1;
  EXPECT_FALSE(Introductions::is_well_formed(half));
  half = caller.hello();
  std::memset(half.introduction.provider, 'x', sizeof half.introduction.provider);
  EXPECT_FALSE(Introductions::is_well_formed(half));
}

TEST_F(IntroductionsTest, AHelloOfAnotherVersionIsRefused) {
  Side caller = make_caller();
  caller.begin();
  HandshakeHalf half = caller.hello();
  half.version = kOldestFrameVersion - 1;
  EXPECT_EQ(make_called().introductions->objection(half), RefuseReason::kVersion);
  half = caller.hello();
  half.introduction.oldest_version = kFrameVersion + 1;
  EXPECT_EQ(make_called().introductions->objection(half), RefuseReason::kVersion);
}

TEST_F(IntroductionsTest, AHelloOfAnotherProviderIsRefusedButNotOfAnotherVersionOfIt) {
  Side caller = make_caller();
  caller.begin();
  EXPECT_EQ(make_called("", "net 2.0").introductions->objection(caller.hello()), std::nullopt);
  EXPECT_EQ(make_called("", "network 1.0").introductions->objection(caller.hello()),
            RefuseReason::kProvider);
}

TEST_F(IntroductionsTest, OnlyProcessesWithTheSameSecretOrWithoutOneAreAccepted) {
  Side without = make_caller();
  Side with = make_caller("secret");
  without.begin();
  with.begin();
  EXPECT_EQ(make_called().introductions->objection(without.hello()), std::nullopt);
  EXPECT_EQ(make_called("secret").introductions->objection(with.hello()), std::nullopt);
  EXPECT_EQ(make_called().introductions->objection(with.hello()), RefuseReason::kSecretUnknown);
  EXPECT_EQ(make_called("secret").introductions->objection(without.hello()),
            RefuseReason::kSecretMissing);
  EXPECT_EQ(make_called("another").introductions->objection(with.hello()),
            RefuseReason::kOtherSecret);
}

TEST_F(IntroductionsTest, ARefusalRepeatsTheNumbersOfTheHello) {
  Side caller = make_caller();
  caller.begin();
  const RefuseBody refusal = make_called("secret").introductions->make_refusal(
      caller.hello().introduction, RefuseReason::kSecretMissing);
  EXPECT_EQ(refusal.echoed_epoch, caller.peer.local_epoch);
  EXPECT_EQ(std::memcmp(refusal.echoed_nonce, caller.peer.handshake.nonce.data(), sizeof(Nonce)),
            0);
  EXPECT_EQ(refusal.reason, static_cast<std::uint8_t>(RefuseReason::kSecretMissing));
  EXPECT_STREQ(refusal.provider, "net 1.0");
}

TEST_F(IntroductionsTest, AFirstHelloIsProvedByNoKey) {
  Side caller = make_caller();
  caller.begin();
  const Side called = make_called();
  EXPECT_EQ(called.introductions->key_of_hello(called.peer, caller.hello()), 0);
}

TEST_F(IntroductionsTest, AHelloWithTheSecretIsProvedByIt) {
  Side caller = make_caller("secret");
  caller.begin();
  const Side called = make_called("secret");
  EXPECT_EQ(called.introductions->key_of_hello(called.peer, caller.hello()), kProvedBySecret);
}

TEST_F(IntroductionsTest, ALaterHelloIsProvedByTheKeyOfTheFirstContact) {
  Side caller = make_caller();
  Side called = make_called();
  meet(caller, called);
  EXPECT_EQ(caller.peer.contact.key, called.peer.contact.key);
  caller.begin();
  EXPECT_EQ(called.introductions->key_of_hello(called.peer, caller.hello()), kProvedByContact);
}

TEST_F(IntroductionsTest, TheContactKeyProvesNoOtherIncarnation) {
  Side caller = make_caller();
  Side called = make_called();
  meet(caller, called);
  called.peer.contact.incarnation = 12;
  caller.begin();
  EXPECT_EQ(called.introductions->key_of_hello(called.peer, caller.hello()), 0);
}

TEST_F(IntroductionsTest, AWelcomeProvesItselfToWhoSaidTheHello) {
  Side caller = make_caller("secret");
  Side called = make_called("secret");
  caller.begin();
  const HandshakeHalf welcome = called.welcome(caller.hello(), kProvedBySecret);
  EXPECT_TRUE(caller.introductions->proves(caller.peer, kConnection, welcome));
}

TEST_F(IntroductionsTest, AWelcomeHoldsOnNoOtherConnection) {
  Side caller = make_caller("secret");
  Side called = make_called("secret");
  caller.begin();
  const HandshakeHalf welcome = called.welcome(caller.hello(), kProvedBySecret);
  EXPECT_FALSE(caller.introductions->proves(caller.peer, kOtherConnection, welcome));
}

TEST_F(IntroductionsTest, AWelcomeHoldsForNoLaterHello) {
  Side caller = make_caller("secret");
  Side called = make_called("secret");
  caller.begin();
  const HandshakeHalf welcome = called.welcome(caller.hello(), kProvedBySecret);
  caller.begin();
  EXPECT_FALSE(caller.introductions->proves(caller.peer, kConnection, welcome));
}

TEST_F(IntroductionsTest, AWelcomeWithoutTheSecretDoesNotCountForWhoHasIt) {
  Side caller = make_caller("secret");
  Side called = make_called();
  caller.begin();
  const HandshakeHalf welcome = called.welcome(caller.hello(), 0);
  EXPECT_FALSE(caller.introductions->proves(caller.peer, kConnection, welcome));
}

TEST_F(IntroductionsTest, TheConfirmationIsTheOneThatTheWelcomeExpects) {
  Side caller = make_caller();
  Side called = make_called();
  caller.begin();
  const HandshakeHalf welcome = called.welcome(caller.hello(), 0);
  EXPECT_EQ(caller.introductions->confirm(caller.peer, kConnection, welcome),
            called.peer.handshake.expected);
  EXPECT_NE(caller.introductions->confirm(caller.peer, kOtherConnection, welcome),
            called.peer.handshake.expected);
}

TEST_F(IntroductionsTest, BothSidesHaveTheSameKeysOfTheSession) {
  for (const char* const secret : {"", "secret"}) {
    Side caller = make_caller(secret);
    Side called = make_called(secret);
    caller.begin();
    const std::uint8_t key = *secret == 0 ? std::uint8_t{0} : kProvedBySecret;
    caller.accept(called.welcome(caller.hello(), key));
    EXPECT_EQ(caller.introductions->make_keys(caller.peer).resumption,
              called.introductions->make_keys(called.peer).resumption);
  }
}

TEST_F(IntroductionsTest, EachHandshakeHasAnotherKeyOfItsSession) {
  Side caller = make_caller("secret");
  Side called = make_called("secret");
  caller.begin();
  caller.accept(called.welcome(caller.hello(), kProvedBySecret));
  const SessionKeys first = caller.introductions->make_keys(caller.peer);
  caller.begin();
  caller.accept(called.welcome(caller.hello(), kProvedBySecret));
  EXPECT_NE(caller.introductions->make_keys(caller.peer).resumption, first.resumption);
}

}  // namespace
}  // namespace lintel::transport
