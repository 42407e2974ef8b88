#include "portals/engine/protocol/operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/config.h"
#include "base/memory_parts.h"
#include "portals/engine/protocol/transfer_records.h"
#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {
namespace {

class OperationsTest : public ::testing::Test {
 protected:
  static constexpr transport::PeerId kPeer{3};

  void end(Operation* operation) {
    kLock.is_held();
    operation->source = nullptr;
    operations.release(*operation);
  }
  Operation* begin(bool own = true, transport::PeerId peer = kPeer) {
    kLock.is_held();
    Operation* const operation = operations.create(peer, 1, own);
    if (operation != nullptr) operation->source = &source;
    return operation;
  }

  TransferSource source;
  RecordingTransport transport;
  Operations operations{transport, 2};
};

TEST_F(OperationsTest, APeerIsWatchedWhileSomethingIsUnderWayWithIt) {
  kLock.is_held();
  Operation* const first = begin();
  Operation* const second = begin();
  EXPECT_EQ(transport.watched, 1);
  end(first);
  EXPECT_EQ(transport.watched, 1);
  EXPECT_EQ(operations.first_with(kPeer), second);
  end(second);
  EXPECT_EQ(transport.watched, 0);
  EXPECT_FALSE(operations.any_with(kPeer));
}

TEST_F(OperationsTest, OwnOperationsAndThoseOfOthersHaveRoomEach) {
  kLock.is_held();
  Operation* const first = begin();
  Operation* const second = begin();
  EXPECT_FALSE(operations.has_room(kPeer));
  EXPECT_EQ(begin(), nullptr);
  Operation* const others = begin(false);
  ASSERT_NE(others, nullptr);
  end(first);
  EXPECT_TRUE(operations.has_room(kPeer));
  end(second);
  end(others);
}

class OperationsOfManyPeers : public OperationsTest {
 protected:
  // Begins as many as there is room for with each of so many peers.
  std::vector<std::size_t> fill(std::uint32_t peers, bool own) {
    kLock.is_held();
    std::vector<std::size_t> got;
    for (std::uint32_t peer = 0; peer < peers; ++peer) {
      got.push_back(0);
      while (Operation* const operation = many.create(transport::PeerId(peer), 1, own)) {
        operation->source = &source;
        ++got.back();
      }
    }
    return got;
  }
  Operations many{transport, 64};
};

TEST_F(OperationsOfManyPeers, AProcessGetsAQuarterAndNoMoreThanHalfOfWhatIsLeft) {
  kLock.is_held();
  EXPECT_EQ(fill(8, false), (std::vector<std::size_t>{16, 16, 11, 7, 5, 3, 2, 1}));
  EXPECT_NE(many.create(transport::PeerId(9), 1, false), nullptr);
  EXPECT_NE(many.create(transport::PeerId(0), 1, true), nullptr) << "of this process";
}

TEST_F(OperationsOfManyPeers, WhatThisProcessBeginsHasTheSameSharesAndAFewPlacesInAnyCase) {
  kLock.is_held();
  Operation* const other = many.create(transport::PeerId(99), 1, true);
  other->source = &source;
  EXPECT_EQ(fill(12, true), (std::vector<std::size_t>{16, 16, 10, 7, 5, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_NE(many.create(transport::PeerId(0), 1, false), nullptr) << "of another process";
}

TEST_F(OperationsOfManyPeers, AloneAPeerHasAllPlacesAndTheOthersKeepTheirShares) {
  kLock.is_held();
  EXPECT_EQ(fill(4, true), (std::vector<std::size_t>{64, 16, 11, 7}));
  EXPECT_FALSE(many.has_room(transport::PeerId(0)));
  while (Operation* const operation = many.first_with(transport::PeerId(0))) {
    operation->source = nullptr;
    many.release(*operation);
  }
  EXPECT_EQ(fill(1, true), std::vector<std::size_t>{10}) << "half of what is left";
}

TEST_F(OperationsOfManyPeers, AlsoWithTheMostPlacesThatThereMayBe) {
  kLock.is_held();
  Operations most(transport, 2 * kMostOfTable);
  std::vector<std::size_t> got;
  for (const transport::PeerId peer : {transport::PeerId(0), transport::PeerId(1)}) {
    got.push_back(0);
    most.make_room(peer);
    for (; most.has_room(peer); ++got.back()) most.begin_wait(peer);
  }
  EXPECT_EQ(got, (std::vector<std::size_t>{kMostOfTable, kMostOfTable / 4}));
}

TEST_F(OperationsOfManyPeers, ARequestThatWaitsWithoutAnOperationTakesAPlace) {
  kLock.is_held();
  many.make_room(kPeer);
  for (std::size_t wait = 0; wait < 64; ++wait) {
    EXPECT_TRUE(many.has_room(kPeer));
    many.begin_wait(kPeer);
  }
  EXPECT_FALSE(many.has_room(kPeer));
  EXPECT_EQ(many.create(kPeer, 1, true), nullptr);
  EXPECT_TRUE(many.has_room(transport::PeerId(4)));
  many.end_wait(kPeer);
  EXPECT_TRUE(many.has_room(kPeer));
}

TEST_F(OperationsTest, TheSmallestMemoryLimitHasRoomForTheCreditAndTheCountsOfWrites) {
  const auto limit = std::ranges::find(settings(), "LINTEL_MEMORY_LIMIT", &Setting::name);
  ASSERT_NE(limit, settings().end());
  // One count for each long put that is asked for.
  const std::size_t counts = Operations::kAnswerCredit / Operations::kClearCost;
  EXPECT_GE(MemoryParts::of(limit->minimum).answers / 4,
            Operations::kAnswerCredit + counts * Operations::kAnswerCost);
}

TEST_F(OperationsTest, RequestsToOnePeerAskForAnswersOfABoundedSize) {
  kLock.is_held();
  Operations many(transport, 1000);
  const auto request = [&](transport::PeerId peer) {
    kLock.is_held();
    Operation& operation = *many.create(peer, 1, true);
    operation.source = &source;
    operation.answer_bytes = Operations::kAnswerCredit / 2 + 1;
    return &operation;
  };
  Operation* const first = request(kPeer);
  Operation* const second = request(kPeer);
  ASSERT_TRUE(many.may_ask(*first));
  many.ask(*first);
  EXPECT_FALSE(many.may_ask(*second));
  EXPECT_TRUE(many.may_ask(*request(transport::PeerId(4))));
  first->source = nullptr;
  many.release(*first);
  EXPECT_TRUE(many.may_ask(*second));
}

TEST_F(OperationsTest, ATokenNamesAnOperationWithItsPeerOnly) {
  kLock.is_held();
  Operation* const operation = begin();
  const std::uint64_t token = operation->id.packed();
  EXPECT_EQ(operations.find(token, kPeer), operation);
  EXPECT_EQ(operations.find(token, transport::PeerId(4)), nullptr);
  end(operation);
  EXPECT_EQ(operations.find(token, kPeer), nullptr);
}

TEST_F(OperationsTest, AnOperationWithAPartStays) {
  kLock.is_held();
  Operation* const operation = begin();
  operations.release(*operation);
  EXPECT_EQ(operations.size(), 1U);
  end(operation);
  EXPECT_EQ(operations.size(), 0U);
}

}  // namespace
}  // namespace lintel::portals
