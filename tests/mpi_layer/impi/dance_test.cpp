#include "mpi_layer/impi/dance.h"

#include <gmock/gmock.h>

#include "offers.h"
#include "wire_text.h"

namespace lintel::mpi::impi {
namespace {

using testing::bytes_of;
using testing::client_offer;
using testing::digits_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::host_offer;
using ::testing::IsEmpty;

// Client 0 has hosts 0 and 1, client 1 host 2, client 2 host 3.
JobLayout four_hosts() {
  auto layout = lay_out(
      testing::sets_of({client_offer({host_offer(1, {1}), host_offer(2, {2})}),
                        client_offer({host_offer(3, {3})}), client_offer({host_offer(4, {4})})}),
      3);
  EXPECT_TRUE(layout.ok()) << layout.sentence();
  return *layout;
}

TEST(Dance, AHostCallsThoseBelowItInOrderAndSaysItsRank) {
  auto dance = Dance::of(four_hosts(), 2);
  ASSERT_TRUE(dance.ok());
  ASSERT_EQ(dance->calls().size(), 2U);
  for (const std::uint32_t host : {0U, 1U}) {
    EXPECT_EQ(dance->calls()[host].host, host);
    EXPECT_EQ(dance->calls()[host].ipv4, 0x0a4d0001U + host);
    EXPECT_EQ(dance->calls()[host].port, 4001 + host);
  }
  EXPECT_EQ(dance->own_ipv4(), 0x0a4d0003U);
  EXPECT_EQ(digits_of(dance->greeting()), "00000002");
}

TEST(Dance, HostOneSaysOneToHostZero) {
  auto dance = Dance::of(four_hosts(), 1);
  ASSERT_TRUE(dance.ok());
  EXPECT_EQ(digits_of(dance->greeting()), "00000001");
  EXPECT_EQ(dance->calls().size(), 1U);
}

TEST(Dance, IsCompleteWhenAllHaveMetInWhateverOrderTheyCall) {
  auto dance = Dance::of(four_hosts(), 1);
  ASSERT_TRUE(dance.ok());
  EXPECT_THAT(dance->missing(), ElementsAre(0, 2, 3));
  EXPECT_EQ(*dance->greeted(bytes_of("00000003")), 3U);
  EXPECT_EQ(*dance->greeted(bytes_of("00000002")), 2U);
  EXPECT_THAT(dance->missing(), ElementsAre(0));
  EXPECT_FALSE(dance->is_complete());
  dance->called(0);
  EXPECT_TRUE(dance->is_complete());
}

TEST(Dance, WhoeverDoesNotCallThisHostIsRefused) {
  auto dance = Dance::of(four_hosts(), 1);
  ASSERT_TRUE(dance.ok());
  for (const char* rank : {"00000000", "00000001", "00000004", "ffffffff", "02000000"})
    EXPECT_FALSE(dance->greeted(bytes_of(rank)).ok()) << rank;
  EXPECT_EQ(dance->greeted(bytes_of("00000004")).sentence(),
            "a connection says that it is from host 4; expected one above 1 and below 4");
  EXPECT_THAT(dance->missing(), ElementsAre(0, 2, 3));
}

TEST(Dance, ASecondConnectionOfAHostIsRefused) {
  auto dance = Dance::of(four_hosts(), 0);
  ASSERT_TRUE(dance.ok());
  EXPECT_TRUE(dance->greeted(bytes_of("00000002")).ok());
  EXPECT_THAT(dance->greeted(bytes_of("00000002")).sentence(),
              HasSubstr("host 2, which has called already"));
}

TEST(Dance, ASingleHostMakesNoConnection) {
  auto layout = lay_out(testing::sets_of({client_offer({host_offer(1, {1})})}), 1);
  ASSERT_TRUE(layout.ok());
  auto dance = Dance::of(*layout, 0);
  ASSERT_TRUE(dance.ok());
  EXPECT_THAT(dance->calls(), IsEmpty());
  EXPECT_TRUE(dance->is_complete());
}

TEST(Dance, BothFormsOfIPv4AreCalledAndNoOther) {
  JobLayout layout = four_hosts();
  layout.hosts[0].address.bytes[10] = layout.hosts[0].address.bytes[11] = 0xff;
  EXPECT_EQ(Dance::of(layout, 1)->calls()[0].ipv4, 0x0a4d0001U);
  layout.hosts[3].address.bytes[0] = 0xfe;
  EXPECT_THAT(Dance::of(layout, 1).sentence(),
              HasSubstr("host 3 has the address fe00:0:0:0:0:0:a4d:4; expected one of IPv4"));
}

}  // namespace
}  // namespace lintel::mpi::impi
