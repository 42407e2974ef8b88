#include "mpi_layer/impi/connection_setup.h"

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

TEST(ConnectionSetup, AHostCallsThoseBelowItInOrderAndSaysItsRank) {
  auto setup = ConnectionSetup::of(four_hosts(), 2);
  ASSERT_TRUE(setup.ok());
  ASSERT_EQ(setup->hosts_to_connect().size(), 2U);
  for (const std::uint32_t host : {0U, 1U}) {
    EXPECT_EQ(setup->hosts_to_connect()[host].rank, host);
    EXPECT_EQ(setup->hosts_to_connect()[host].ipv4, 0x0a4d0001U + host);
    EXPECT_EQ(setup->hosts_to_connect()[host].port, 4001 + host);
  }
  EXPECT_EQ(setup->own_ipv4(), 0x0a4d0003U);
  EXPECT_EQ(digits_of(setup->greeting()), "00000002");
}

TEST(ConnectionSetup, HostOneSaysOneToHostZero) {
  auto setup = ConnectionSetup::of(four_hosts(), 1);
  ASSERT_TRUE(setup.ok());
  EXPECT_EQ(digits_of(setup->greeting()), "00000001");
  EXPECT_EQ(setup->hosts_to_connect().size(), 1U);
}

TEST(ConnectionSetup, IsCompleteWhenAllHaveMetInWhateverOrderTheyCall) {
  auto setup = ConnectionSetup::of(four_hosts(), 1);
  ASSERT_TRUE(setup.ok());
  EXPECT_THAT(setup->missing(), ElementsAre(0, 2, 3));
  EXPECT_EQ(*setup->accepted(bytes_of("00000003")), 3U);
  EXPECT_EQ(*setup->accepted(bytes_of("00000002")), 2U);
  EXPECT_THAT(setup->missing(), ElementsAre(0));
  EXPECT_FALSE(setup->is_complete());
  setup->connected(0);
  EXPECT_TRUE(setup->is_complete());
}

TEST(ConnectionSetup, WhoeverDoesNotCallThisHostIsRefused) {
  auto setup = ConnectionSetup::of(four_hosts(), 1);
  ASSERT_TRUE(setup.ok());
  for (const char* rank : {"00000000", "00000001", "00000004", "ffffffff", "02000000"})
    EXPECT_FALSE(setup->accepted(bytes_of(rank)).ok()) << rank;
  EXPECT_EQ(setup->accepted(bytes_of("00000004")).sentence(),
            "a connection says that it is from host 4; expected one above 1 and below 4");
  EXPECT_THAT(setup->missing(), ElementsAre(0, 2, 3));
}

TEST(ConnectionSetup, ASecondConnectionOfAHostIsRefused) {
  auto setup = ConnectionSetup::of(four_hosts(), 0);
  ASSERT_TRUE(setup.ok());
  EXPECT_TRUE(setup->accepted(bytes_of("00000002")).ok());
  EXPECT_THAT(setup->accepted(bytes_of("00000002")).sentence(),
              HasSubstr("host 2, which has called already"));
}

TEST(ConnectionSetup, ASingleHostMakesNoConnection) {
  auto layout = lay_out(testing::sets_of({client_offer({host_offer(1, {1})})}), 1);
  ASSERT_TRUE(layout.ok());
  auto setup = ConnectionSetup::of(*layout, 0);
  ASSERT_TRUE(setup.ok());
  EXPECT_THAT(setup->hosts_to_connect(), IsEmpty());
  EXPECT_TRUE(setup->is_complete());
}

TEST(ConnectionSetup, BothFormsOfIPv4AreCalledAndNoOther) {
  JobLayout layout = four_hosts();
  layout.hosts[0].address.bytes[10] = layout.hosts[0].address.bytes[11] = 0xff;
  EXPECT_EQ(ConnectionSetup::of(layout, 1)->hosts_to_connect()[0].ipv4, 0x0a4d0001U);
  layout.hosts[3].address.bytes[0] = 0xfe;
  EXPECT_THAT(ConnectionSetup::of(layout, 1).sentence(),
              HasSubstr("host 3 has the address fe00:0:0:0:0:0:a4d:4; expected one of IPv4"));
}

}  // namespace
}  // namespace lintel::mpi::impi
