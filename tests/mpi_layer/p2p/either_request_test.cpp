#include "mpi_layer/p2p/either_request.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

TEST(EitherRequest, TheFirstUseDeterminesTheDirection) {
  EitherRequest send;
  EXPECT_EQ(&send.request(), &send.as_send());
  EitherRequest receive;
  EXPECT_EQ(&receive.as_receive(), &receive.request());
  EXPECT_EQ(receive.request().direction(), MessageRequest::Direction::kReceive);
}

TEST(EitherRequest, AnUnusedOneIsARequestThatWasNeverStarted) {
  const EitherRequest unused;
  EXPECT_FALSE(unused.request().active());
  EXPECT_EQ(unused.request().result().source, kAnySource);
}

TEST(EitherRequest, OneThatHasEndedMayBecomeTheOther) {
  EitherRequest request;
  request.as_send();
  EXPECT_EQ(request.as_receive().direction(), MessageRequest::Direction::kReceive);
}

}  // namespace
}  // namespace lintel::mpi
