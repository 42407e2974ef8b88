#include "portals/engine/protocol/operations.h"

#include <gtest/gtest.h>

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
  Operation* begin(bool own = true) {
    kLock.is_held();
    Operation* const operation = operations.create(kPeer, 1, own);
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
  EXPECT_FALSE(operations.has_room());
  EXPECT_EQ(begin(), nullptr);
  Operation* const others = begin(false);
  ASSERT_NE(others, nullptr);
  end(first);
  EXPECT_TRUE(operations.has_room());
  end(second);
  end(others);
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
