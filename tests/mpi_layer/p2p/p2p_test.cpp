#include "tests/mpi_layer/p2p/p2p_test.h"

#include <algorithm>
#include <cstring>

namespace lintel::testing {

Transfer& P2pTest::message(std::size_t from, std::uint64_t length) {
  Transfer& made = transfers_.emplace_back();
  made.rank = from;
  made.buffer.resize(length);
  unsigned value = ++seed_ * 7919U;
  for (std::byte& byte : made.buffer) {
    value = value * 1664525U + 1013904223U;
    byte = static_cast<std::byte>(value >> 24);
  }
  return made;
}

Transfer& P2pTest::send(std::size_t from, std::int32_t to, std::uint64_t length, const With& with) {
  Transfer& made = message(from, length);
  EXPECT_EQ(at(from).send({made.buffer.data(), length, to, with.context, with.tag, with.mode},
                          made.as_send()),
            CallError::kNone);
  return made;
}

Transfer& P2pTest::receive(std::size_t at_rank, std::int32_t source, std::uint64_t capacity,
                           const With& with) {
  Transfer& made = transfers_.emplace_back();
  made.rank = at_rank;
  made.buffer.resize(capacity);
  EXPECT_EQ(at(at_rank).receive({made.buffer.data(), capacity, source, with.context, with.tag},
                                made.as_receive()),
            CallError::kNone);
  return made;
}

::testing::AssertionResult P2pTest::arrived(Transfer& sent, Transfer& received) {
  job->settle();
  if (!ended(received)) return ::testing::AssertionFailure() << "the receive is not complete";
  if (!ended(sent)) return ::testing::AssertionFailure() << "the send is not complete";
  return same(sent, received);
}

::testing::AssertionResult P2pTest::same(const Transfer& sent, const Transfer& received) {
  const auto failure = [](auto what, auto got, auto expected) {
    return ::testing::AssertionFailure() << what << " is " << got << ", not " << expected;
  };
  const mpi::MessageResult& result = received.result();
  if (result.source != static_cast<std::int32_t>(sent.rank))
    return failure("source", result.source, sent.rank);
  if (result.tag != sent.result().tag) return failure("tag", result.tag, sent.result().tag);
  if (result.length != sent.buffer.size())
    return failure("length", result.length, sent.buffer.size());
  const bool cut = sent.buffer.size() > received.buffer.size();
  const RequestFailure expected = cut ? RequestFailure::kTruncated : RequestFailure::kNone;
  if (result.failure != expected)
    return failure("failure", static_cast<int>(result.failure), static_cast<int>(expected));
  const std::size_t length = std::min(sent.buffer.size(), received.buffer.size());
  const std::byte* const bytes = sent.buffer.data();
  if (length == 0 || std::memcmp(bytes, received.buffer.data(), length) == 0)
    return ::testing::AssertionSuccess();
  const std::byte* const wrong = std::mismatch(bytes, bytes + length, received.buffer.data()).first;
  return failure("the first wrong byte", wrong - bytes, "there");
}

}  // namespace lintel::testing
