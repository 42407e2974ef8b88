// Reading which descriptors an epoll instance watches.
#include "transport/fabric/wait_object.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

TEST(WatchedDescriptors, AreReadFromTheTextOfAnEpollInstance) {
  EXPECT_EQ(watched_descriptors(
                "pos:\t0\nflags:\t02\nmnt_id:\t17\nino:\t1038\n"
                "tfd:        9 events:       19 data:     557738c35290  pos:0 ino:5b5ab8 sdev:9\n"
                "tfd:      128 events:       19 data:     557738c35180  pos:0 ino:40e sdev:10\n"),
            (std::vector<int>{9, 128}));
}

TEST(WatchedDescriptors, OfAnythingElseAreNone) {
  EXPECT_TRUE(watched_descriptors("").empty());
  EXPECT_TRUE(watched_descriptors("pos:\t0\nflags:\t04002\nscm_fds: 0\n").empty());
  EXPECT_TRUE(watched_descriptors("pos:\t0\ntfd:").empty());
  EXPECT_TRUE(watched_descriptors("pos:\t0\ntfd: x\ntfd: -4 \n").empty());
}

}  // namespace
}  // namespace lintel::transport
