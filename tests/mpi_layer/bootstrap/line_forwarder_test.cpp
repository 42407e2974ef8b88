#include "line_forwarder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace lintel::run {
namespace {

// An Output into a pipe, and what has come out of the pipe.
class LineForwarderTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
  void TearDown() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  std::string written() {
    std::string all;
    while (!output().is_empty()) {
      output().write_some();
      std::array<char, 65536> bytes;
      const ssize_t got = ::read(ends_[0], bytes.data(), bytes.size());
      if (got <= 0) break;
      all.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return all;
  }
  Output& output() {
    if (output_.fd() < 0) output_ = Output(ends_[1]);
    return output_;
  }

  std::array<int, 2> ends_{-1, -1};
  Output output_{-1};
};

TEST_F(LineForwarderTest, LinesOfTwoRanksDoNotMix) {
  LineForwarder first(output(), "");
  LineForwarder second(output(), "");
  first.take("a b");
  second.take("c d");
  first.take(" one\nnext");
  second.take(" two\n");
  EXPECT_EQ(written(), "a b one\nc d two\n");
  first.end();
  EXPECT_EQ(written(), "next");
}

TEST_F(LineForwarderTest, EachLineBearsItsPrefix) {
  LineForwarder lines(output(), "[7] ");
  lines.take("one\ntwo\n\nfo");
  lines.take("ur\n");
  EXPECT_EQ(written(), "[7] one\n[7] two\n[7] \n[7] four\n");
}

TEST_F(LineForwarderTest, AnUnfinishedLineEndsWithItsStream) {
  LineForwarder lines(output(), "[7] ");
  lines.take("half");
  EXPECT_EQ(written(), "");
  lines.end();
  EXPECT_EQ(written(), "[7] half\n");
  lines.end();
  EXPECT_EQ(written(), "");
}

TEST_F(LineForwarderTest, ALineOfAnyLengthHasOnePrefix) {
  LineForwarder lines(output(), "[7] ");
  std::string whole;
  for (int i = 0; i < 5; ++i) {
    const std::string piece(LineForwarder::kMaxLineBytes / 2, static_cast<char>('a' + i));
    lines.take(piece);
    whole += piece;
  }
  lines.take("\nnext\n");
  EXPECT_EQ(written(), "[7] " + whole + "\n[7] next\n");
}

TEST_F(LineForwarderTest, AnOutputWithoutReaderTakesNothingMore) {
  ::signal(SIGPIPE, SIG_IGN);
  LineForwarder lines(output(), "");
  lines.take("one\n");
  ::close(ends_[0]);
  output().write_some();
  EXPECT_TRUE(output().is_closed());
  lines.take("two\n");
  EXPECT_TRUE(output().is_empty());
}

}  // namespace
}  // namespace lintel::run
