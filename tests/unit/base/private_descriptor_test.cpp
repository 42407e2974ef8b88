#include "base/private_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lintel {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

PrivateDescriptor open_one() {
  return PrivateDescriptor(FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
}

// The exit code of a child that closes all private descriptors and then runs `judge`.
template <class Judge>
int in_child(Judge judge) {
  const pid_t child = ::fork();
  if (child == 0) {
    close_private_descriptors();
    ::_exit(judge() ? 0 : 1);
  }
  int status = 1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(PrivateDescriptor, AChildThatClosesThemKeepsOnlyOthersAndItsParentKeepsAll) {
  const FileDescriptor shared(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const PrivateDescriptor one = open_one();
  PrivateDescriptor moved_from = open_one();
  const PrivateDescriptor moved_to = std::move(moved_from);
  EXPECT_EQ(in_child([&] {
              return is_open(shared.get()) && !is_open(one.get()) && !is_open(moved_to.get());
            }),
            0);
  EXPECT_TRUE(is_open(one.get()) && is_open(moved_to.get()));
}

// The number of a closed one may be that of another file now.
TEST(PrivateDescriptor, OneThatIsClosedOrReplacedIsForgotten) {
  PrivateDescriptor closed = open_one();
  const int number = closed.get();
  closed.close();
  PrivateDescriptor replaced = open_one();
  ASSERT_EQ(replaced.get(), number);
  replaced = open_one();
  const FileDescriptor other(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(other.get(), number);
  EXPECT_EQ(in_child([&] { return is_open(number) && !is_open(replaced.get()); }), 0);
}

TEST(PrivateDescriptor, ThousandsAreClosed) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<PrivateDescriptor> many;
  const std::size_t count = std::min<std::size_t>(limit.rlim_cur - 32, 3000);
  while (many.size() < count) many.push_back(open_one());
  ASSERT_TRUE(many.back().is_open());
  EXPECT_EQ(in_child([&] {
              return std::ranges::none_of(
                  many, [](const PrivateDescriptor& one) { return is_open(one.get()); });
            }),
            0);
}

}  // namespace
}  // namespace lintel
