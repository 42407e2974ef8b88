// Who gets a session, and who ends one: proofs by a job's secret, and by the key of a first
// contact.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = FrameKind;
using State = PeerState;

RefuseReason refused_for(const Bytes& frame) {
  EXPECT_EQ(kind_of(frame), Kind::kRefuse);
  return static_cast<RefuseReason>(decode<RefuseBody>(frame.data() + sizeof(FrameHeader)).reason);
}

class SessionProof : public SessionTest {
 protected:
  // The peer has the secret `text` from now on, or none.
  void peer_has(std::string_view text) {
    peer_key = *secret(text)->key();
    key_flag = kProvedBySecret;
  }
  void peer_has_no_secret() {
    peer_key = kOpenKey;
    key_flag = 0;
  }
  Frame data(const Bytes& welcome_frame, std::string_view message) const {
    const Introduction ours = introduction_of(welcome_frame);
    return {.kind = Kind::kData,
            .slot = ours.slot,
            .epoch = ours.epoch,
            .sequence = 1,
            .body = records({message})};
  }
  // The open session still works in both directions.
  void expect_alive() {
    receive(of_session(Kind::kData, 1, 0, records({"from the peer"})));
    EXPECT_THAT(sink.messages, ElementsAre("from the peer"));
    EXPECT_THAT(sink.failures, IsEmpty());
    EXPECT_EQ(session->state_of(peer), State::kOpen);
    EXPECT_EQ(send("to the peer"), PostStatus::kOk);
  }
  // Advances the time to the next deadline.
  void sleep() {
    ASSERT_NE(session->next_deadline(), kNever);
    poll(session->next_deadline() - now);
  }
};

// ---- The proofs of a contact

TEST_F(SessionProof, NothingIsDeliveredBeforeTheConfirmation) {
  receive(hello());
  const Bytes answer = take_sent();
  receive(data(answer, "too early"));
  EXPECT_THAT(sink.messages, IsEmpty());
  EXPECT_EQ(session->counters().stale_epoch, 1U);
  receive(confirmation(hello(), answer));
  receive(data(answer, "in time"));
  EXPECT_THAT(sink.messages, ElementsAre("in time"));
}

TEST_F(SessionProof, NothingButOurHelloIsSentBeforeTheConfirmation) {
  receive(hello());
  const Bytes answer = take_sent();
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kHello));
  receive(confirmation(hello(), answer));
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionProof, TheConfirmationLeavesBeforeTheFirstData) {
  send("a");
  const Bytes said = take_sent();
  fake->room = false;
  receive(welcome(said));
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock) << "it has not left yet";
  fake->room = true;
  poll(1ms);
  EXPECT_EQ(send("a"), PostStatus::kOk);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kConfirm, Kind::kData));
}

TEST_F(SessionProof, ConfirmationWithAnotherProofIsDropped) {
  for (const bool with_secret : {false, true}) {
    with_secret ? start_with_secret() : start();
    receive(hello());
    Frame wrong = confirmation(hello(), take_sent());
    wrong.body.back() ^= std::byte{1};
    receive(wrong);
    EXPECT_EQ(session->state_of(peer), State::kWelcoming);
    EXPECT_EQ(session->counters().unproved, 1U);
  }
}

TEST_F(SessionProof, ConfirmationThatAnswersNoWelcomeIsStale) {
  Frame zeros{.kind = Kind::kConfirm, .body = Bytes(sizeof(ConfirmBody))};
  receive(zeros);
  send("a");
  zeros.epoch = introduction_of(take_sent()).epoch;
  receive(zeros);
  EXPECT_EQ(session->counters().stale_epoch, 2U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionProof, RepeatedWelcomeMeansThatTheConfirmationIsLost) {
  send("a");
  const Bytes said = take_sent();
  receive(welcome(said));
  const Bytes first = take_sent();
  receive(welcome(said));
  EXPECT_EQ(take_sent(), first);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, WelcomeIsRepeatedUntilItIsConfirmed) {
  receive(hello());
  const Bytes first = take_sent();
  sleep();
  EXPECT_EQ(take_sent(), first);
}

TEST_F(SessionProof, CallerThatConfirmsNothingIsForgottenWithoutAReport) {
  receive(hello());
  for (int i = 0; i < 100 && session->state_of(peer) != State::kClosed; ++i) sleep();
  EXPECT_EQ(session->state_of(peer), State::kClosed);
  EXPECT_THAT(sink.failures, IsEmpty()) << "nobody here waits for it";
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionProof, CallerThatGoesBeforeItConfirmsIsForgottenWithoutAReport) {
  receive(hello());
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(session->state_of(peer), State::kClosed);
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_THAT(fake->disconnected, IsEmpty()) << "there may be another connection by now";
  EXPECT_THAT(fake->admitted, IsEmpty());
}

TEST_F(SessionProof, TheConnectionOfACallerIsAdmittedWhenTheCallerHasProvedItself) {
  receive(hello());
  const Bytes answer = take_sent();
  EXPECT_THAT(fake->admitted, IsEmpty());
  receive(confirmation(hello(), answer));
  EXPECT_THAT(fake->admitted, ElementsAre(lower_peer));
}

TEST_F(SessionProof, CallerThatGoesBeforeItConfirmsFailsNobodysMessages) {
  receive(hello());
  take_sent();
  send("a");
  fake->fails(lower_peer);
  poll();
  EXPECT_THAT(sink.failures, IsEmpty());
  sleep();
  const Bytes said = take_sent();
  EXPECT_EQ(kind_of(said), Kind::kHello) << "who waits for the peer calls it";
  receive(welcome(said));
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionProof, WhileSomebodyElseHasSaidHelloThePeerIsCalledToo) {
  receive(hello(kOtherEpoch, 666));
  take_sent();
  send("a");
  const Bytes said = take_sent();
  EXPECT_EQ(kind_of(said), Kind::kHello);
  receive(welcome(said));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_EQ(send("a"), PostStatus::kOk);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kConfirm, Kind::kData));
}

TEST_F(SessionProof, ALaterHelloTakesThePlaceOfOneThatWasNotConfirmed) {
  receive(hello());
  const Bytes first = take_sent();
  shake(hello(kOtherEpoch + 1));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(sink.failures, IsEmpty());
  receive(data(first, "of the first"));
  EXPECT_THAT(sink.messages, IsEmpty());
}

// ---- A third process

TEST_F(SessionProof, AnswersOfAThirdProcessAreDropped) {
  const PeerId third = *fake->resolve({NodeId{3}, Pid{3}});
  send("a");
  const Bytes said = take_sent();
  fake->arrives(refusal(said, RefuseReason::kProvider).bytes(), third);
  fake->arrives(welcome(said).bytes(), third);
  poll();
  EXPECT_EQ(session->counters().malformed_source, 2U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
  fake->arrives(welcome(said).bytes(), lower_peer);
  poll();
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, ConfirmationOfAThirdProcessIsDropped) {
  const PeerId third = *fake->resolve({NodeId{3}, Pid{3}});
  receive(hello());
  fake->arrives(confirmation(hello(), take_sent()).bytes(), third);
  poll();
  EXPECT_EQ(session->counters().malformed_source, 1U);
  EXPECT_EQ(session->state_of(peer), State::kWelcoming);
}

TEST_F(SessionProof, WhoHasNotSeenTheHelloCannotAnswerItWhereTheSourceIsUnknown) {
  send("a");
  Bytes said = take_sent();
  said[sizeof(FrameHeader) + offsetof(Introduction, nonce)] ^= std::byte{1};
  receive(refusal(said, RefuseReason::kProvider));
  EXPECT_EQ(session->counters().stale_epoch, 1U);
  receive(welcome(said));
  EXPECT_EQ(session->counters().unproved, 1U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionProof, ProcessesOfVersionOneAreRefusedByTheirOwnFormat) {
  Frame frame{.kind = Kind::kHello, .body = introduction(1, 1, 0, "fake 1", 1), .version = 1};
  frame.body.resize(kFirstIntroductionBytes);
  receive(frame);
  EXPECT_EQ(refused_for(take_sent()), RefuseReason::kVersion);
  send("a");
  Frame refused = refusal(take_sent(), RefuseReason::kVersion, "fake 1", 1);
  refused.body.resize(kFirstRefuseBytes);
  receive(refused);
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(),
               "the peer speaks an incompatible version of the wire protocol");
}

TEST_F(SessionProof, WelcomeOfVersionOneIsDropped) {
  send("a");
  Frame old = welcome(take_sent());
  old.body.resize(kFirstIntroductionBytes);
  old.version = 1;
  receive(old);
  EXPECT_EQ(session->counters().malformed_introduction, 1U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

// ---- Job secrets

TEST_F(SessionProof, ProcessesWithOneSecretMeet) {
  start_with_secret();
  open();
  expect_alive();
  start_with_secret();
  send("a");
  const Bytes said = take_sent();
  EXPECT_EQ(introduction_of(said).flags, kProvedBySecret);
  receive(welcome(said));
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionProof, HelloWithAnotherSecretIsRefusedAndCounted) {
  start_with_secret();
  peer_has("of another job");
  receive(hello());
  EXPECT_EQ(refused_for(take_sent()), RefuseReason::kOtherSecret);
  EXPECT_EQ(session->counters().refused_secret, 1U);
  EXPECT_EQ(session->frame_counts().refused, 1U);
  EXPECT_EQ(session->state_of(peer), State::kClosed);
}

TEST_F(SessionProof, HelloWithoutASecretIsRefusedAndCounted) {
  start_with_secret();
  peer_has_no_secret();
  receive(hello());
  EXPECT_EQ(refused_for(take_sent()), RefuseReason::kSecretMissing);
  EXPECT_EQ(session->counters().refused_secret, 1U);
  EXPECT_EQ(session->state_of(peer), State::kClosed);
}

TEST_F(SessionProof, HelloWithASecretIsRefusedByWhoHasNone) {
  peer_has("of a job");
  receive(hello());
  EXPECT_EQ(refused_for(take_sent()), RefuseReason::kSecretUnknown);
  EXPECT_EQ(session->counters().refused_secret, 1U);
}

TEST_F(SessionProof, HelloThatIsProvedForAnotherProcessIsRefused) {
  start_with_secret();
  Frame frame = hello();
  auto said = decode<Introduction>(frame.body.data());
  put_proof(said, prove_hello(peer_key, {NodeId{9}, Pid{9}}, {kFrameVersion, said}));
  encode(frame.body.data(), said);
  receive(frame);
  EXPECT_EQ(refused_for(take_sent()), RefuseReason::kOtherSecret);
}

TEST_F(SessionProof, RefusalForASecretFailsThePeerWithASentence) {
  const std::pair<RefuseReason, const char*> cases[] = {
      {RefuseReason::kSecretMissing, "the peer has a job secret and this process has none"},
      {RefuseReason::kSecretUnknown, "the peer has no job secret and this process has one"},
      {RefuseReason::kOtherSecret, "the peer has another job secret"}};
  for (const auto& [reason, sentence] : cases) {
    send("a");
    receive(refusal(take_sent(), reason, "fake 1"));
    ASSERT_EQ(sink.failures.size(), 1U);
    EXPECT_STREQ(sink.failures[0].reason(), sentence);
    EXPECT_THAT(session->describe(peer), HasSubstr(sentence));
    sink.take();
    sink.failures.clear();
  }
}

TEST_F(SessionProof, WelcomeWithoutTheSecretIsDroppedAndTheRightOneStillCounts) {
  start_with_secret();
  send("a");
  const Bytes said = take_sent();
  const Frame right = welcome(said);
  peer_has("of another job");
  receive(welcome(said));
  peer_has_no_secret();
  receive(welcome(said));
  EXPECT_EQ(session->counters().unproved, 2U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
  receive(right);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, WelcomeThatClaimsASecretIsDroppedByWhoHasNone) {
  send("a");
  const Bytes said = take_sent();
  peer_has("of a job");
  receive(welcome(said));
  EXPECT_EQ(session->counters().unproved, 1U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionProof, WelcomeThatWasRecordedEarlierIsDropped) {
  start_with_secret();
  send("a");
  const Frame recorded = welcome(take_sent());
  receive(recorded);
  session->disconnect(peer);
  take_sent_kinds();
  send("a");
  Frame replayed = recorded;
  replayed.epoch = introduction_of(take_sent()).epoch;
  auto said = decode<Introduction>(replayed.body.data());
  said.echoed_epoch = replayed.epoch;
  encode(replayed.body.data(), said);
  receive(replayed);
  EXPECT_EQ(session->counters().unproved, 1U);
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

TEST_F(SessionProof, OurOwnProofsSentBackToUsProveNothing) {
  start_with_secret();
  receive(hello());
  const Introduction ours = introduction_of(take_sent());
  const Bytes proof(std::begin(ours.proof), std::end(ours.proof));
  receive({.kind = Kind::kConfirm, .slot = ours.slot, .epoch = ours.epoch, .body = proof});
  EXPECT_EQ(session->state_of(peer), State::kWelcoming);
  EXPECT_EQ(session->counters().unproved, 1U);
}

TEST_F(SessionProof, SecretThatComesLaterEndsWhatWasOpenWithoutIt) {
  SessionOptions options;
  options.job_key = std::make_shared<JobKey>();
  start(options);
  open();
  const std::string_view text = "of the job";
  options.job_key->give(std::as_bytes(std::span(text.data(), text.size())));
  EXPECT_EQ(send("a"), PostStatus::kWouldBlock);
  poll();
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_STREQ(sink.failures[0].reason(), "the session was opened without the job's secret");
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kGoodbye));
  peer_has(text);
  open();
  receive(of_session(Kind::kData, 1, 0, records({"of the job"})));
  EXPECT_THAT(sink.messages, ElementsAre("of the job"));
}

TEST_F(SessionProof, SecretThatComesDuringAContactBeginsItAgain) {
  SessionOptions options;
  options.job_key = std::make_shared<JobKey>();
  start(options);
  send("a");
  take_sent();
  const std::string_view text = "of the job";
  options.job_key->give(std::as_bytes(std::span(text.data(), text.size())));
  const Bytes said = take_sent();
  EXPECT_EQ(introduction_of(said).flags, kProvedBySecret);
  peer_has(text);
  receive(welcome(said));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
  EXPECT_THAT(sink.failures, IsEmpty());
}

// ---- Who ends an open session

TEST_F(SessionProof, ImpostorWithAnotherIncarnationDoesNotEndALiveSession) {
  open();
  receive(hello(kOtherEpoch + 1, 666));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing)) << "the session is asked at once";
  EXPECT_EQ(session->counters().contested, 1U);
  receive(of_session(Kind::kAck, 0, 0));
  EXPECT_EQ(session->next_deadline(), kNever) << "it lives";
  expect_alive();
}

TEST_F(SessionProof, ImpostorWithTheIncarnationOfThePeerDoesNotEndALiveSession) {
  open();
  receive(hello(kOtherEpoch + 1));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
  receive(of_session(Kind::kAck, 0, 0));
  expect_alive();
}

TEST_F(SessionProof, ImpostorThatClaimsToKnowTheFirstContactDoesNotEndALiveSession) {
  open();
  peer_key = contact_key({kSelf, kIncarnation, {}}, {kOther, kOtherIncarnation, kOtherNonce});
  key_flag = kProvedByContact;
  receive(hello(kOtherEpoch + 1));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
  expect_alive();
}

TEST_F(SessionProof, ImpostorWithoutTheSecretDoesNotEvenCauseAQuestion) {
  start_with_secret();
  open();
  peer_has("of another job");
  receive(hello(kOtherEpoch + 1, 666));
  EXPECT_EQ(refused_for(take_sent()), RefuseReason::kOtherSecret);
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  expect_alive();
}

TEST_F(SessionProof, RepeatedOldHelloOfThePeerDoesNotEndALiveSession) {
  start_with_secret();
  const Frame recorded = hello(kOtherEpoch - 1, kOtherIncarnation - 1);
  open();
  receive(recorded);
  const Bytes answer = take_sent();
  EXPECT_EQ(kind_of(answer), Kind::kWelcome);
  Frame guess = confirmation(recorded, answer);
  guess.body.front() ^= std::byte{1};
  receive(guess);
  EXPECT_EQ(session->counters().unproved, 1U);
  expect_alive();
}

TEST_F(SessionProof, RestartedProcessWithTheSecretTakesItsPlaceAtOnce) {
  start_with_secret();
  open();
  const TimePoint begin = now;
  const Frame again = hello(kOtherEpoch + 1, kOtherIncarnation + 1);
  shake(again);
  EXPECT_EQ(now, begin);
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 the peer was restarted"));
  const Bytes answer = take_sent();
  receive(data(answer, "of the second"));
  EXPECT_THAT(sink.messages, ElementsAre("of the second"));
  EXPECT_EQ(send("a"), PostStatus::kOk);
}

TEST_F(SessionProof, PeerThatKnowsTheFirstContactTakesItsPlaceAtOnce) {
  open();
  begin_again();
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 the peer ended the session and began another"));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, TheKeyOfTheFirstContactIsShownWhenWeCallAgain) {
  open();
  session->disconnect(peer);
  take_sent_kinds();
  send("a");
  const Bytes said = take_sent();
  const Introduction ours = introduction_of(said);
  EXPECT_EQ(ours.flags, kProvedByContact);
  peer_key =
      contact_key({kSelf, kIncarnation, our_nonce}, {kOther, kOtherIncarnation, kOtherNonce});
  const Digest expected = prove_hello(peer_key, kOther, {kFrameVersion, ours});
  EXPECT_EQ(std::memcmp(ours.proof, expected.data(), expected.size()), 0);
  key_flag = kProvedByContact;
  receive(welcome(said));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, PeerThatHasForgottenTheFirstContactIsMetAsForTheFirstTime) {
  open();
  session->disconnect(peer);
  take_sent_kinds();
  send("a");
  receive(welcome(take_sent()));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, RestartedProcessWithoutASecretFollowsWhenTheOldConnectionEnds) {
  open();
  const Frame again = hello(kOtherEpoch + 1, kOtherIncarnation + 1);
  receive(again);
  take_sent_kinds();
  fake->fails(lower_peer);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 connection refused"));
  fake->sent.pop_front();  // the goodbye
  const Bytes answer = take_sent();
  EXPECT_EQ(kind_of(answer), Kind::kWelcome) << "without another hello";
  receive(confirmation(again, answer));
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, RestartedProcessWithoutASecretFollowsWhenTheOldOneStaysSilent) {
  open();
  const TimePoint begin = now;
  const Frame again = hello(kOtherEpoch + 1, kOtherIncarnation + 1);
  receive(again);
  while (sink.failures.empty()) {
    ASSERT_NO_FATAL_FAILURE(sleep());
    receive(again);  // it repeats its hello
  }
  EXPECT_STREQ(sink.failures[0].reason(),
               "the peer has not answered within the dead-peer deadline");
  EXPECT_EQ(now - begin, 7500ms) << "before its own connect deadline ends";
  take_sent_kinds();
  shake(again);
  EXPECT_EQ(session->state_of(peer), State::kOpen);
}

TEST_F(SessionProof, SessionThatAnImpostorHasQuestionedIsNotWatchedAfterItsAnswer) {
  open();
  for (int i = 0; i < 20; ++i) {
    receive(hello(kOtherEpoch + 1, 666));
    EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
    receive(of_session(Kind::kAck, 0, 0));
    poll(1s);
  }
  EXPECT_EQ(session->next_deadline(), kNever);
  expect_alive();
}

TEST_F(SessionProof, ImpostorDoesNotTakeThePlaceOfAProvedCandidate) {
  start();
  open();
  peer_key =
      contact_key({kSelf, kIncarnation, our_nonce}, {kOther, kOtherIncarnation, kOtherNonce});
  key_flag = kProvedByContact;
  const Frame proved = hello(kOtherEpoch + 1);
  receive(proved);
  const Bytes answer = take_sent();
  key_flag = 0;
  receive(hello(kOtherEpoch + 2, 666));
  receive(confirmation(proved, answer));
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 the peer ended the session and began another"));
}

// ---- Numbers

TEST_F(SessionProof, EpochsAndNoncesAreNotThoseOfAnotherProcess) {
  const auto said = [this](std::byte random) {
    SessionOptions options;
    options.random.fill(random);
    start(options);
    send("a");
    return introduction_of(take_sent());
  };
  const Introduction one = said(std::byte{1});
  const Introduction other = said(std::byte{2});
  EXPECT_NE(one.epoch, other.epoch);
  EXPECT_NE(std::memcmp(one.nonce, other.nonce, sizeof one.nonce), 0);
}

TEST_F(SessionProof, EachContactHasItsOwnNonce) {
  send("a");
  const Bytes first = take_sent();
  receive(refusal(first, RefuseReason::kProvider));
  send("a");
  EXPECT_NE(
      std::memcmp(introduction_of(first).nonce, introduction_of(take_sent()).nonce, sizeof(Nonce)),
      0);
}

}  // namespace
}  // namespace lintel::transport
