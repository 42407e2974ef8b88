// The listening socket: its name, what waits at it, and a pause without descriptors.
#include "transport/direct/listener.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

constexpr TimePoint kNow{1000000000};

class ListenerTest : public ::testing::Test {
 protected:
  ListenerTest() {
    EXPECT_TRUE(events.open().ok());
    EXPECT_TRUE(listener.open(options, events).ok());
  }
  bool is_reported() {
    epoll_event event[1];
    return events.ready(event) == 1 && event[0].data.ptr == nullptr;
  }
  PrivateDescriptor call() {
    sockaddr_in from = listener.address();
    from.sin_port = 0;
    return connect_from(from, listener.address()).value();
  }

  NetworkOptions options;
  SocketEvents events;
  Listener listener;
};

TEST_F(ListenerTest, ListensUnderTheNameOfItsAddress) {
  EXPECT_EQ(listener.name(), name_of(listener.address(), options.port_base));
  EXPECT_EQ(listener.deadline(), kNever);
}

TEST_F(ListenerTest, AddressesThatCannotBeUsedAreRefused) {
  options.interface_address = "nowhere";
  EXPECT_EQ(Listener().open(options, events).loss(), Loss::kOperation);
}

TEST_F(ListenerTest, TheAddressOfAnotherProcessIsNotFree) {
  options.pid = listener.name().pid;
  const Error error = Listener().open(options, events);
  EXPECT_EQ(error.code(), EADDRINUSE);
}

TEST_F(ListenerTest, AcceptsWhatWaits) {
  EXPECT_FALSE(is_reported());
  const PrivateDescriptor caller = call();
  EXPECT_TRUE(is_reported());
  EXPECT_TRUE(listener.accept(kNow, events).fd.is_open());
  const AcceptedSocket none = listener.accept(kNow, events);
  EXPECT_FALSE(none.fd.is_open());
  EXPECT_EQ(none.error, 0);
}

TEST_F(ListenerTest, APauseLeavesCallersInTheQueueForItsTime) {
  const PrivateDescriptor caller = call();
  listener.pause(kNow, events);
  EXPECT_FALSE(is_reported());
  EXPECT_EQ(listener.deadline(), kNow + Listener::kPause);
  listener.end_pause(listener.deadline() + Nanoseconds(-1), events);
  EXPECT_FALSE(is_reported());
  listener.end_pause(listener.deadline(), events);
  EXPECT_TRUE(is_reported());
  EXPECT_EQ(listener.deadline(), kNever);
}

}  // namespace
}  // namespace lintel::transport
