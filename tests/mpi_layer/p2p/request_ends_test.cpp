// How requests begin and end.

#include "mpi_layer/p2p/request_ends.h"

#include "tests/mpi_layer/p2p/parts_fixture.h"

namespace lintel::testing {
namespace {

using RequestEndsPart = PartsTest;
using mpi::MessageRequest;
using mpi::ReceiveRequest;
using mpi::RequestEnds;
using mpi::RequestFailure;
using mpi::SendRequest;

TEST_F(RequestEndsPart, ARequestIsActiveUntilItsEndIsTold) {
  kLock.is_held();
  SendRequest request;
  EXPECT_FALSE(request.active());
  RequestEnds::begin(request, {0, 5, 8, RequestFailure::kNone, false});
  EXPECT_TRUE(request.active() && request.under_way());
  EXPECT_FALSE(here.ends.any_ended());
  here.ends.end(request, RequestFailure::kFailed);
  EXPECT_TRUE(request.active());
  EXPECT_FALSE(request.under_way());
  EXPECT_TRUE(here.ends.take_any_ended());
  EXPECT_FALSE(here.ends.any_ended());
  RequestEnds::retire(request);
  EXPECT_FALSE(request.active());
  EXPECT_EQ(request.result().failure, RequestFailure::kFailed);
  EXPECT_EQ(request.result().tag, 5);
}

TEST_F(RequestEndsPart, TheyAreReportedOnceInTheOrderOfTheirEnds) {
  kLock.is_held();
  SendRequest send;
  ReceiveRequest receive;
  SendRequest silent;
  for (MessageRequest* request :
       {static_cast<MessageRequest*>(&send), static_cast<MessageRequest*>(&receive),
        static_cast<MessageRequest*>(&silent)}) {
    RequestEnds::begin(*request, {});
  }
  here.ends.end(receive, RequestFailure::kNone);
  here.ends.end(silent, RequestFailure::kNone, false);
  here.ends.end(send, RequestFailure::kNone);
  std::array<MessageRequest*, 4> told{};
  ASSERT_EQ(here.ends.take_completed(told), 2U);
  EXPECT_EQ(told[0], &receive);
  EXPECT_EQ(told[1], &send);
  EXPECT_FALSE(here.ends.any_completed());
  RequestEnds::retire(silent);
}

TEST_F(RequestEndsPart, AWatchEndsWithItsRequest) {
  kLock.is_held();
  ReceiveRequest request;
  RequestEnds::begin(request, {});
  here.watch.watch(request, *here.peer);
  here.watch.watch(request, *here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 1U);
  here.ends.end(request, RequestFailure::kNone);
  EXPECT_EQ(here.peer->watch.watchers, 0U);
  RequestEnds::retire(request);
}

TEST_F(RequestEndsPart, AStartThatIsTakenBackEndsNothing) {
  kLock.is_held();
  SendRequest request;
  RequestEnds::begin(request, {});
  here.ends.undo_begin(request);
  EXPECT_FALSE(request.active() || request.under_way());
  EXPECT_FALSE(here.ends.any_ended() || here.ends.any_completed());
}

}  // namespace
}  // namespace lintel::testing
