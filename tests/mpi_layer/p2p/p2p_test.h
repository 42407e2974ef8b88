#pragma once
// What the tests of point-to-point communication share: messages with distinct contents, and
// requests that live as long as the test.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi_layer/p2p/either_request.h"
#include "tests/mpi_layer/p2p/messenger_job.h"

namespace lintel::testing {

using namespace std::chrono_literals;
using mpi::CallError;
using mpi::kAnySource;
using mpi::kAnyTag;
using mpi::kProcNull;
using mpi::RequestFailure;
using mpi::SendMode;

struct Transfer {
  std::size_t rank = 0;  // its process
  std::vector<std::byte> buffer;
  mpi::EitherRequest either;
  mpi::MessageRequest& request() { return either.request(); }
  mpi::SendRequest& as_send() { return either.as_send(); }
  mpi::ReceiveRequest& as_receive() { return either.as_receive(); }
  const mpi::MessageResult& result() const { return either.request().result(); }
};

// The rest of the envelope.
struct With {
  std::int32_t tag = 5;
  std::uint32_t context = 1;
  SendMode mode = SendMode::kStandard;
};

class P2pTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kEager = 1024;

  void start(const MessengerJobOptions& options = {}) {
    job.reset();
    job = std::make_unique<MessengerJob>(options);
  }
  void TearDown() override { job.reset(); }
  mpi::Messenger& at(std::size_t rank) { return job->at(rank); }
  mpi::Messenger& as(std::size_t rank) { return job->as(rank); }

  // A message of `length` bytes that differs from all others.
  Transfer& message(std::size_t from, std::uint64_t length);
  Transfer& send(std::size_t from, std::int32_t to, std::uint64_t length, const With& with = {});
  Transfer& receive(std::size_t at, std::int32_t source, std::uint64_t capacity,
                    const With& with = {});
  // Whether it is complete. Reports this once, like MPI_Test.
  bool ended(Transfer& transfer) { return at(transfer.rank).test(transfer.request()); }
  // Lets the network run until nothing is under way. Then success if both are complete and what was
  // sent was received, else what is wrong.
  ::testing::AssertionResult arrived(Transfer& sent, Transfer& received);
  // The same for one that has already been tested.
  static ::testing::AssertionResult same(const Transfer& sent, const Transfer& received);

  std::unique_ptr<MessengerJob> job;

 private:
  std::deque<Transfer> transfers_;
  unsigned seed_ = 0;
};

}  // namespace lintel::testing
