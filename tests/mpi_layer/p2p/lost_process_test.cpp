// A process of this machine ends or stops before any message was exchanged with it. A wait for it
// is told so.

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "mpi_layer/p2p/messenger.h"
#include "portals/engine/node/node_transport.h"

namespace lintel::testing {
namespace {

using namespace std::chrono_literals;
using mpi::CallError;
using mpi::Messenger;
using mpi::RequestFailure;

struct Station {
  std::unique_ptr<portals::Process> process;
  std::unique_ptr<Messenger> messenger;

  Station() {
    Config config;
    config.peer_timeout = config.connect_timeout = 1s;
    process = std::make_unique<portals::Process>(portals::process_options(config),
                                                 portals::node_transport(config));
    mpi::MessengerOptions options;
    options.most_processes = 2;
    options.unexpected_bytes = 1 << 20;
    options.contact_after = config.peer_timeout / 4;
    std::string explanation;
    messenger = Messenger::open(*process, options, explanation);
    EXPECT_NE(messenger, nullptr) << explanation;
  }
};

class LostProcess : public ::testing::TestWithParam<int> {
 protected:
  // Another process opens its messenger, publishes its name, and waits for its end.
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const Station station;
      const ProcessId name = station.messenger->self();
      if (::write(ends[1], &name, sizeof name) != sizeof name) ::_exit(1);
      while (true) ::pause();
    }
    ProcessId name;
    ASSERT_EQ(::read(ends[0], &name, sizeof name), static_cast<ssize_t>(sizeof name));
    ::close(ends[0]);
    ::close(ends[1]);
    ASSERT_EQ(messenger().add_peer(messenger().self()), CallError::kNone);
    ASSERT_EQ(messenger().add_peer(name), CallError::kNone);
    ASSERT_EQ(::kill(child_, GetParam()), 0);
    if (GetParam() == SIGKILL) {
      ASSERT_EQ(::waitpid(child_, nullptr, 0), child_);
    }
  }
  void TearDown() override {
    if (GetParam() == SIGKILL) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Messenger& messenger() {
    if (station_ == nullptr) station_ = std::make_unique<Station>();
    return *station_->messenger;
  }

 private:
  pid_t child_ = 0;
  std::unique_ptr<Station> station_;  // opened after the fork, so that no thread exists then
};

TEST_P(LostProcess, IsNoticedByAReceive) {
  std::uint64_t number = 0;
  mpi::ReceiveRequest request;
  ASSERT_EQ(messenger().receive_and_wait({&number, sizeof number, 1, 1, 5}, request),
            CallError::kNone);
  EXPECT_EQ(request.result().failure, RequestFailure::kPeerLost);
}

TEST_P(LostProcess, IsNoticedByAProbe) {
  mpi::MessageResult envelope;
  ASSERT_EQ(messenger().probe({1, 1, 5}, envelope), CallError::kNone);
  EXPECT_EQ(envelope.failure, RequestFailure::kPeerLost);
}

TEST_P(LostProcess, IsNoticedByAProbeThatDoesNotBlock) {
  mpi::MessageResult envelope;
  bool found = false;
  const TimePoint end = monotonic_now() + 60s;
  while (envelope.failure == RequestFailure::kNone && !found && monotonic_now() < end) {
    ASSERT_EQ(messenger().iprobe({1, 1, 5}, found, envelope), CallError::kNone);
  }
  EXPECT_EQ(envelope.failure, RequestFailure::kPeerLost);
}

INSTANTIATE_TEST_SUITE_P(Signals, LostProcess, ::testing::Values(SIGKILL, SIGSTOP),
                         [](const auto& signal) {
                           return signal.param == SIGKILL ? "Killed" : "Stopped";
                         });

}  // namespace
}  // namespace lintel::testing
