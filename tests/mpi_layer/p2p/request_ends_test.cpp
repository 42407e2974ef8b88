// How requests begin and end.

#include "mpi_layer/p2p/request_ends.h"

#include "tests/mpi_layer/p2p/parts_fixture.h"

namespace lintel::testing {
namespace {

using RequestEndsPart = PartsTest;
using mpi::Failure;
using mpi::ReceiveRequest;
using mpi::Request;
using mpi::RequestEnds;
using mpi::SendRequest;

TEST_F(RequestEndsPart, ARequestIsActiveUntilItsEndIsTold) {
  mpi::kLock.is_held();
  SendRequest request;
  EXPECT_FALSE(request.active());
  RequestEnds::begin(request, {0, 5, 8, Failure::kNone, false});
  EXPECT_TRUE(request.active() && request.under_way());
  EXPECT_FALSE(here.ends.any_ended());
  here.ends.end(request, Failure::kFailed);
  EXPECT_TRUE(request.active());
  EXPECT_FALSE(request.under_way());
  EXPECT_TRUE(here.ends.take_any_ended());
  EXPECT_FALSE(here.ends.any_ended());
  RequestEnds::retire(request);
  EXPECT_FALSE(request.active());
  EXPECT_EQ(request.result().failure, Failure::kFailed);
  EXPECT_EQ(request.result().tag, 5);
}

TEST_F(RequestEndsPart, TheyAreReportedOnceInTheOrderOfTheirEnds) {
  mpi::kLock.is_held();
  SendRequest send;
  ReceiveRequest receive;
  SendRequest silent;
  for (Request* request : {static_cast<Request*>(&send), static_cast<Request*>(&receive),
                           static_cast<Request*>(&silent)}) {
    RequestEnds::begin(*request, {});
  }
  here.ends.end(receive, Failure::kNone);
  here.ends.end(silent, Failure::kNone, false);
  here.ends.end(send, Failure::kNone);
  std::array<Request*, 4> told{};
  ASSERT_EQ(here.ends.take_completed(told), 2U);
  EXPECT_EQ(told[0], &receive);
  EXPECT_EQ(told[1], &send);
  EXPECT_FALSE(here.ends.any_completed());
  RequestEnds::retire(silent);
}

TEST_F(RequestEndsPart, AWatchEndsWithItsRequest) {
  mpi::kLock.is_held();
  ReceiveRequest request;
  RequestEnds::begin(request, {});
  here.watch.watch(request, *here.peer);
  here.watch.watch(request, *here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 1U);
  here.ends.end(request, Failure::kNone);
  EXPECT_EQ(here.peer->watch.watchers, 0U);
  RequestEnds::retire(request);
}

TEST_F(RequestEndsPart, AStartThatIsTakenBackEndsNothing) {
  mpi::kLock.is_held();
  SendRequest request;
  RequestEnds::begin(request, {});
  here.ends.take_back(request);
  EXPECT_FALSE(request.active() || request.under_way());
  EXPECT_FALSE(here.ends.any_ended() || here.ends.any_completed());
}

}  // namespace
}  // namespace lintel::testing
