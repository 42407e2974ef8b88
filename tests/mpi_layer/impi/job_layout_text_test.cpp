#include "mpi_layer/impi/job_layout_text.h"

#include <gtest/gtest.h>

#include "offers.h"

namespace lintel::mpi::impi {
namespace {

using testing::client_offer;
using testing::host_id;
using testing::host_offer;
using testing::sets_of;

std::string encoded_layout() {
  auto layout = lay_out(sets_of({client_offer({host_offer(1, {450, 451}), host_offer(2, {452})}),
                                 client_offer({host_offer(3, {4001, 4002})})}),
                        2);
  EXPECT_TRUE(layout.ok());
  return encode(*layout);
}

TEST(JobLayoutTextTest, SaysAllThatTheLayoutSays) {
  auto layout = decode_layout(encoded_layout());
  ASSERT_TRUE(layout.ok()) << layout.sentence();
  EXPECT_EQ(layout->versions, (std::vector<std::vector<Version>>{{{0, 0}}, {{0, 0}}}));
  ASSERT_EQ(layout->hosts.size(), 3U);
  EXPECT_EQ(layout->hosts[2].address, host_id(3));
  EXPECT_EQ(layout->hosts[2].client, 1U);
  EXPECT_EQ(layout->hosts[2].first_proc, 3U);
  EXPECT_EQ(layout->hosts[2].procs, 2U);
  ASSERT_EQ(layout->procs.size(), 5U);
  EXPECT_EQ(layout->procs[4].id, (ProcId{host_id(3), 4002}));
  EXPECT_EQ(layout->procs[4].host, 2U);
  EXPECT_EQ(encode(*layout), encoded_layout());
}

TEST(JobLayoutTextTest, OneThatIsCutOrLongerIsMalformed) {
  const std::string whole = encoded_layout();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(decode_layout(whole.substr(0, length))) << length;
  EXPECT_FALSE(decode_layout(whole + '\0'));
}

TEST(JobLayoutTextTest, ACountBeyondItsBytesIsMalformed) {
  for (std::size_t at = 0; at + 4 <= encoded_layout().size(); ++at) {
    std::string bytes = encoded_layout();
    bytes.replace(at, 4, 4, '\xff');
    static_cast<void>(decode_layout(bytes));  // nothing is allocated that the bytes do not contain
  }
  EXPECT_FALSE(decode_layout(std::string(4, '\xff')));
}

}  // namespace
}  // namespace lintel::mpi::impi
