#include "mpi_layer/impi/job_layout.h"

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
using testing::host_id;
using testing::host_offer;
using testing::sets_of;
using testing::wire;

// Client 0 has hosts with 2 and 1 processes, client 1 one host with 2.
class JobLayoutTest : public ::testing::Test {
 protected:
  JobLayoutTest()
      : offers_{client_offer({host_offer(1, {450, 451}), host_offer(2, {452})}),
                client_offer({host_offer(3, {4001, 4002})})} {}

  JobLayout laid_out() {
    auto layout = lay_out(sets_of(offers_), 2);
    EXPECT_TRUE(layout.ok()) << layout.sentence();
    return layout.ok() ? *layout : JobLayout();
  }
  std::string refusal() { return refusal(sets_of(offers_)); }
  std::string refusal(const std::map<Label, LabelSet>& sets) {
    auto layout = lay_out(sets, 2);
    return layout.ok() ? "accepted" : layout.sentence();
  }
  // The same job, in which the set of `label` is these bytes. Returns the refusal.
  std::string refusal(Label label, const std::string& digits) {
    auto sets = sets_of(offers_);
    sets[label].contributions = bytes_of(digits);
    return refusal(sets);
  }

  std::vector<ClientOffer> offers_;
};

TEST(HostIdTest, BothFormsOfIPv4AreDifferentNamesOfOneAddress) {
  const HostId compatible = host_id_of(0x0a4d0001);
  HostId mapped = compatible;
  mapped.bytes[10] = mapped.bytes[11] = 0xff;
  EXPECT_NE(compatible, mapped);
  EXPECT_EQ(ipv4_of(compatible), 0x0a4d0001U);
  EXPECT_EQ(ipv4_of(mapped), 0x0a4d0001U);
  EXPECT_EQ(text_of(mapped), "10.77.0.1");
}

TEST(HostIdTest, AnyOtherAddressIsNone) {
  for (const std::size_t i : {0U, 9U, 10U, 11U}) {
    HostId id = host_id_of(0x0a4d0001);
    id.bytes[i] = 0xff;
    EXPECT_EQ(ipv4_of(id), std::nullopt) << i;
  }
  HostId id;
  id.bytes[0] = 0xfe;
  id.bytes[1] = 0x80;
  id.bytes[15] = 1;
  EXPECT_EQ(text_of(id), "fe80:0:0:0:0:0:0:1");
}

TEST(ClientOffer, IsWrittenAsElementsInTheOrderOfHostsAndProcesses) {
  ClientOffer offer = client_offer({host_offer(1, {450, 451}), host_offer(2, {-1})});
  offer.hosts[1].ackmark = 3;
  EXPECT_EQ(digits_of(contribution(offer, kVersion)), wire("00000000 00000000"));
  EXPECT_EQ(digits_of(contribution(offer, kClientHosts)), wire("00000002"));
  EXPECT_EQ(digits_of(contribution(offer, kClientProcs)), wire("00000003"));
  EXPECT_EQ(digits_of(contribution(offer, kDataLength)), wire("00010000"));
  EXPECT_EQ(digits_of(contribution(offer, kTagUpperBound)), wire("7fffffff"));
  EXPECT_EQ(digits_of(contribution(offer, kCollectiveCrossoverSize)), wire("ffffffff"));
  EXPECT_EQ(digits_of(contribution(offer, kCollectiveMaxLinear)), wire("ffffffff"));
  EXPECT_EQ(digits_of(contribution(offer, kHostAddress)),
            wire("000000000000000000000000 0a4d0001 000000000000000000000000 0a4d0002"));
  EXPECT_EQ(digits_of(contribution(offer, kHostPort)), wire("00000fa1 00000fa2"));
  EXPECT_EQ(digits_of(contribution(offer, kHostProcs)), wire("00000002 00000001"));
  EXPECT_EQ(digits_of(contribution(offer, kHostAckmark)), wire("0000000a 00000003"));
  EXPECT_EQ(digits_of(contribution(offer, kHostHiwater)), wire("00000014 00000014"));
  EXPECT_EQ(digits_of(contribution(offer, kProcAddress)),
            wire("000000000000000000000000 0a4d0001 000000000000000000000000 0a4d0001 "
                 "000000000000000000000000 0a4d0002"));
  EXPECT_EQ(digits_of(contribution(offer, kProcPid)),
            wire("00000000000001c2 00000000000001c3 ffffffffffffffff"));
}

TEST_F(JobLayoutTest, RanksFollowClientsThenHostsThenProcesses) {
  const JobLayout layout = laid_out();
  std::vector<std::int64_t> pids;
  std::vector<std::uint32_t> hosts;
  for (const JobProc& proc : layout.procs) {
    pids.push_back(proc.id.pid);
    hosts.push_back(proc.host);
  }
  EXPECT_THAT(pids, ElementsAre(450, 451, 452, 4001, 4002));
  EXPECT_THAT(hosts, ElementsAre(0, 0, 1, 2, 2));
  ASSERT_EQ(layout.hosts.size(), 3U);
  EXPECT_EQ(layout.hosts[2].address, host_id(3));
  EXPECT_EQ(layout.hosts[2].port, 4003);
  EXPECT_EQ(layout.hosts[2].client, 1U);
  EXPECT_EQ(layout.hosts[2].first_proc, 3U);
  EXPECT_EQ(layout.hosts[2].procs, 2U);
  EXPECT_EQ(layout.first_host(0), 0U);
  EXPECT_EQ(layout.first_host(1), 2U);
}

TEST_F(JobLayoutTest, AddressesStayAsTheirClientsHaveWrittenThem) {
  offers_[1].hosts[0].address.bytes[10] = offers_[1].hosts[0].address.bytes[11] = 0xff;
  offers_[1].hosts[0].procs[0].host = offers_[1].hosts[0].address;
  const JobLayout layout = laid_out();
  EXPECT_EQ(layout.hosts[2].address, offers_[1].hosts[0].address);
  EXPECT_EQ(layout.procs[3].id.host, offers_[1].hosts[0].address);
  EXPECT_EQ(layout.procs[4].id.host, host_id(3));
}

TEST_F(JobLayoutTest, BoundsAreTheLeastOfAll) {
  offers_[0].data_length = 1000;
  offers_[1].tag_upper_bound = 32767;
  offers_[0].hosts[1].ackmark = 3;
  offers_[0].hosts[1].hiwater = 8;
  offers_[1].hosts[0].ackmark = 4;
  offers_[1].hosts[0].hiwater = 5;
  const JobLayout layout = laid_out();
  EXPECT_EQ(layout.data_length, 1000U);
  EXPECT_EQ(layout.tag_upper_bound, 32767);
  EXPECT_EQ(layout.ackmark, 3U);
  EXPECT_EQ(layout.hiwater, 5U);
}

TEST_F(JobLayoutTest, WithoutWishesTheDefaultsHold) {
  EXPECT_EQ(laid_out().crossover_size, 1024);
  EXPECT_EQ(laid_out().max_linear, 4);
}

TEST_F(JobLayoutTest, NoWishAgreesWithTheDefault) {
  offers_[0].crossover_size = 1024;
  offers_[1].max_linear = 4;
  EXPECT_EQ(laid_out().crossover_size, 1024);
}

TEST_F(JobLayoutTest, WishesOnWhichAllAgreeHold) {
  for (ClientOffer& offer : offers_) {
    offer.crossover_size = 0;
    offer.max_linear = 7;
  }
  EXPECT_EQ(laid_out().crossover_size, 0);
  EXPECT_EQ(laid_out().max_linear, 7);
}

TEST_F(JobLayoutTest, WishesThatDifferAreRefused) {
  offers_[1].crossover_size = 2048;
  EXPECT_EQ(refusal(),
            "client 1 has IMPI_C_COLL_XSIZE (0x1500) 2048 and client 0 has 1024; expected the same "
            "of all");
  offers_[1].crossover_size = kNoPreference;
  offers_[0].max_linear = 5;
  EXPECT_EQ(
      refusal(),
      "client 1 has IMPI_C_COLL_MAXLINEAR (0x1600) 4 and client 0 has 5; expected the same of all");
}

TEST_F(JobLayoutTest, EachPairUsesItsHighestCommonVersion) {
  auto sets = sets_of(offers_);
  sets[kVersion].contributions = bytes_of(
      "0000000000000000 0000000000000001 0000000100000000 0000000000000000 0000000000000001 "
      "0000000000000002");
  auto layout = lay_out(sets, 2);
  ASSERT_TRUE(layout.ok()) << layout.sentence();
  EXPECT_EQ(layout->common_version(0, 1), (Version{0, 1}));
  EXPECT_EQ(layout->common_version(0, 0), (Version{1, 0}));
  EXPECT_EQ(laid_out().common_version(1, 0), (Version{0, 0}));
}

TEST_F(JobLayoutTest, VersionsThatCannotBeToldApartAreRefused) {
  EXPECT_EQ(refusal(kVersion, "0000000000000000"), "of 2 clients 1 speak IMPI 0.0; expected all");
  EXPECT_EQ(refusal(kVersion, ""), "of 2 clients 0 speak IMPI 0.0; expected all");
  EXPECT_THAT(refusal(kVersion, "0000000000000001 0000000000000000"),
              HasSubstr("is not ascending from 0.0"));
  EXPECT_THAT(
      refusal(kVersion, "0000000000000000 0000000000000001 0000000000000001 0000000000000000"),
      HasSubstr("is not ascending from 0.0"));
  EXPECT_THAT(refusal(kVersion, "00000000"), HasSubstr("has 4 bytes"));
}

TEST_F(JobLayoutTest, AClientThatHasNotSentALabelIsNamed) {
  for (const LabelRow& row : labels()) {
    auto sets = sets_of(offers_);
    sets[row.label].mask = 1;
    EXPECT_EQ(refusal(sets), "client 1 has not sent " + text_of_label(row.label));
    sets.erase(row.label);
    EXPECT_EQ(refusal(sets), "client 0 has not sent " + text_of_label(row.label));
  }
}

TEST_F(JobLayoutTest, LengthsThatDoNotFitAreRefused) {
  for (const LabelRow& row : labels()) {
    auto sets = sets_of(offers_);
    sets[row.label].contributions += '\0';
    EXPECT_NE(refusal(sets), "accepted") << row.name;
    sets[row.label].contributions.resize(sets[row.label].contributions.size() - 2);
    EXPECT_NE(refusal(sets), "accepted") << row.name;
  }
  EXPECT_EQ(refusal(kHostPort, "00000001 00000002"),
            "all clients together have sent 8 bytes of IMPI_H_PORT (0x2100); expected 3 times 4");
}

TEST_F(JobLayoutTest, NumbersOutOfBoundsAreNamed) {
  EXPECT_EQ(refusal(kClientHosts, "00000000 00000001"),
            "client 0 has IMPI_C_NHOSTS (0x1100) 0; expected 1 to 2147483647");
  EXPECT_THAT(refusal(kClientHosts, "00000002 ffffffff"),
              HasSubstr("client 1 has IMPI_C_NHOSTS (0x1100) -1"));
  EXPECT_THAT(refusal(kClientHosts, "7fffffff 7fffffff"),
              HasSubstr("expected 4294967294 times 16"));
  EXPECT_THAT(refusal(kClientProcs, "00000003 00000000"),
              HasSubstr("client 1 has IMPI_C_NPROCS (0x1200) 0"));
  EXPECT_THAT(refusal(kDataLength, "00000000 00000001"),
              HasSubstr("client 0 has IMPI_C_DATALEN (0x1300) 0"));
  EXPECT_THAT(refusal(kTagUpperBound, "7fffffff 00007ffe"),
              HasSubstr("client 1 has IMPI_C_TAGUB (0x1400) 32766; expected 32767 to 2147483647"));
  EXPECT_THAT(refusal(kCollectiveCrossoverSize, "fffffffe fffffffe"),
              HasSubstr("client 0 has IMPI_C_COLL_XSIZE (0x1500) -2"));
  EXPECT_THAT(refusal(kHostPort, "00000001 00000000 00000001"),
              HasSubstr("host 1 has IMPI_H_PORT (0x2100) 0; expected 1 to 65535"));
  EXPECT_THAT(refusal(kHostPort, "00000001 00000001 00010000"),
              HasSubstr("host 2 has IMPI_H_PORT (0x2100) 65536"));
  EXPECT_THAT(refusal(kHostAckmark, "0000000a 0000000a 00000000"),
              HasSubstr("host 2 has IMPI_H_ACKMARK (0x2300) 0"));
  EXPECT_THAT(refusal(kHostHiwater, "0000000a 00000009 0000000a"),
              HasSubstr("host 1 has IMPI_H_HIWATER (0x2400) 9; expected at least its "
                        "IMPI_H_ACKMARK (0x2300) 10"));
}

TEST_F(JobLayoutTest, HostsThatDoNotAddUpToTheirClientAreRefused) {
  EXPECT_EQ(refusal(kHostProcs, "00000002 00000002 00000001"),
            "client 0 has 3 processes, and its hosts have 4 together; expected the same");
  EXPECT_THAT(refusal(kHostProcs, "7fffffff 7fffffff 00000002"),
              HasSubstr("its hosts have 4294967294 together"));
}

TEST_F(JobLayoutTest, TwoProcessesOfOneNameAreRefused) {
  offers_[1].hosts[0].procs[1] = offers_[0].hosts[0].procs[1];
  EXPECT_EQ(refusal(), "process 4 is process 451 on 10.77.0.1, as one before it; expected another");
}

TEST_F(JobLayoutTest, AHostWithoutProcessesIsAHost) {
  offers_[0].hosts[1].procs.clear();
  const JobLayout layout = laid_out();
  ASSERT_EQ(layout.hosts.size(), 3U);
  EXPECT_EQ(layout.hosts[1].procs, 0U);
  EXPECT_EQ(layout.procs[2].host, 2U);
}

}  // namespace
}  // namespace lintel::mpi::impi
