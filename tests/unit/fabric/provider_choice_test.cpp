// Which provider is chosen, which are refused, and the messages.
#include "transport/fabric/provider_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/fabric/mock_provider.h"

namespace lintel::transport {
namespace {

using testing::HasSubstr;

std::string chosen_of(const std::vector<ProviderDescription>& offered,
                      const std::string& wanted = "") {
  const ProviderChoice choice = choose_provider(offered, wanted);
  return choice.chosen ? offered[*choice.chosen].name : "none";
}

TEST(ProviderChoice, PrefersNativeTcpOfEitherName) {
  EXPECT_EQ(chosen_of({mock_provider("tcp;ofi_rxm"), mock_verbs(), mock_provider("net")}), "net");
  EXPECT_EQ(chosen_of({mock_provider("tcp;ofi_rxm"), mock_verbs(), mock_provider("tcp")}), "tcp");
}

TEST(ProviderChoice, WithoutNativeTcpPrefersVerbsToTcpUnderRxm) {
  EXPECT_EQ(chosen_of({mock_provider("tcp;ofi_rxm"), mock_verbs()}), "verbs;ofi_rxm");
  EXPECT_EQ(chosen_of({mock_provider("tcp;ofi_rxm")}), "tcp;ofi_rxm");
}

TEST(ProviderChoice, NeverChoosesSharedMemoryOrAnUnknownProviderByItself) {
  EXPECT_EQ(
      chosen_of({mock_shared_memory(), mock_provider("sockets"), mock_provider("udp;ofi_rxd")}),
      "none");
}

TEST(ProviderChoice, AcceptsAnyUsableProviderByName) {
  EXPECT_EQ(chosen_of({mock_provider("net"), mock_shared_memory()}, "shm"), "shm");
  EXPECT_EQ(chosen_of({mock_provider("net"), mock_provider("sockets")}, "sockets"), "sockets");
  EXPECT_EQ(chosen_of({mock_provider("net"), mock_provider("sockets")}, "verbs"), "none");
}

TEST(ProviderChoice, TheLowerHalfOfANameMeansTheProviderUnlessAnotherHasThatName) {
  EXPECT_EQ(chosen_of({mock_provider("net"), mock_provider("tcp;ofi_rxm")}, "tcp"), "tcp;ofi_rxm");
  EXPECT_EQ(chosen_of({mock_provider("tcp;ofi_rxm"), mock_provider("tcp")}, "tcp"), "tcp");
  EXPECT_EQ(chosen_of({mock_provider("tcpx;ofi_rxm")}, "tcp"), "none");
}

TEST(ProviderChoice, GivesAReasonForEach) {
  ProviderDescription unordered = mock_provider("sockets");
  unordered.send_order = 0;
  const ProviderChoice choice = choose_provider(
      {mock_provider("tcp;ofi_rxm"), mock_provider("net"), mock_shared_memory(), unordered}, "");
  ASSERT_EQ(choice.reports.size(), 4U);
  EXPECT_EQ(choice.reports[0].reason, "net is preferred");
  EXPECT_TRUE(choice.reports[1].chosen);
  EXPECT_EQ(choice.reports[1].reason, "the first in the order of preference");
  EXPECT_THAT(choice.reports[2].reason, HasSubstr("only by name"));
  EXPECT_FALSE(choice.reports[3].usable);
  EXPECT_THAT(choice.reports[3].reason, HasSubstr("order"));
}

TEST(ProviderChoice, ANameThatIsNotOfferedIsAnsweredWithThoseThatAre) {
  const ProviderChoice choice =
      choose_provider({mock_provider("net"), mock_shared_memory()}, "foo");
  EXPECT_EQ(explain_failure(choice, "foo"), "provider \"foo\" is not offered; offered: net, shm");
}

TEST(ProviderChoice, ANamedProviderThatCannotBeUsedIsAnsweredWithWhatItLacks) {
  ProviderDescription small = mock_provider("net");
  small.cq_data_bytes = 2;
  EXPECT_EQ(explain_failure(choose_provider({small}, "net"), "net"),
            "provider \"net\" cannot be used: a write carries 2 bytes of completion data; at least "
            "4 are needed");
}

struct Unusable {
  const char* what;
  std::function<void(ProviderDescription&)> spoil;
  const char* sentence;
};

class ProviderRequirement : public testing::TestWithParam<Unusable> {};

TEST_P(ProviderRequirement, IsCheckedAndNamed) {
  ProviderDescription p = mock_provider("net");
  ASSERT_EQ(missing_from(p), "");
  GetParam().spoil(p);
  EXPECT_THAT(missing_from(p), HasSubstr(GetParam().sentence));
  EXPECT_EQ(chosen_of({p}), "none");
}

INSTANTIATE_TEST_SUITE_P(
    Missing, ProviderRequirement,
    testing::Values(
        Unusable{"Endpoint", [](ProviderDescription& p) { p.reliable_datagram = false; },
                 "FI_EP_RDM"},
        Unusable{"Addresses", [](ProviderDescription& p) { p.socket_addresses = false; }, "IPv4"},
        Unusable{"Messages", [](ProviderDescription& p) { p.capabilities &= ~FI_MSG; }, "FI_MSG"},
        Unusable{"Rma", [](ProviderDescription& p) { p.capabilities &= ~FI_RMA; }, "FI_RMA"},
        Unusable{"RemoteWrite", [](ProviderDescription& p) { p.capabilities &= ~FI_REMOTE_WRITE; },
                 "FI_REMOTE_WRITE"},
        Unusable{"MultiRecv", [](ProviderDescription& p) { p.capabilities &= ~FI_MULTI_RECV; },
                 "FI_MULTI_RECV"},
        Unusable{"PrefixMode", [](ProviderDescription& p) { p.mode = FI_MSG_PREFIX; },
                 "mode bits 0x400000000000000"},
        Unusable{"FutureMode", [](ProviderDescription& p) { p.mode = 1ULL << 40; },
                 "mode bits 0x10000000000"},
        Unusable{"RawKeys", [](ProviderDescription& p) { p.mr_mode = FI_MR_RAW; },
                 "mr_mode bits 0x8"},
        Unusable{"MmuNotify",
                 [](ProviderDescription& p) { p.mr_mode = FI_MR_MMU_NOTIFY | FI_MR_LOCAL; },
                 "mr_mode bits 0x80"},
        Unusable{"BasicRegistration", [](ProviderDescription& p) { p.mr_mode = 1; }, "old way"},
        Unusable{"NoKey", [](ProviderDescription& p) { p.mr_key_bytes = 0; }, "keys have 0 bytes"},
        Unusable{"LongKey", [](ProviderDescription& p) { p.mr_key_bytes = 16; },
                 "keys have 16 bytes"},
        Unusable{"CqData", [](ProviderDescription& p) { p.cq_data_bytes = 0; },
                 "0 bytes of completion data"},
        Unusable{"SendOrder", [](ProviderDescription& p) { p.send_order = FI_ORDER_RAR; },
                 "FI_ORDER_SAS"},
        Unusable{"ReceiveOrder", [](ProviderDescription& p) { p.receive_order = 0; },
                 "FI_ORDER_SAS"},
        Unusable{"TinyMessages", [](ProviderDescription& p) { p.max_message_bytes = 512; },
                 "512 bytes"},
        Unusable{"NoVector", [](ProviderDescription& p) { p.rma_iov_limit = 0; }, "iov_limit"}),
    [](const testing::TestParamInfo<Unusable>& tested) { return tested.param.what; });

TEST(ProviderRequirements, OfContextsAndReceivesForCompletionDataAreMet) {
  ProviderDescription p = mock_provider("net");
  std::vector<std::uint64_t> modes = {FI_CONTEXT, FI_CONTEXT2, FI_RX_CQ_DATA,
                                      FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA, FI_ASYNC_IOV};
#ifdef FI_BUFFERED_RECV  // of libfabric 1
  modes.push_back(FI_BUFFERED_RECV);
#endif
  for (const std::uint64_t mode : modes) {
    p.mode = mode;
    EXPECT_EQ(missing_from(p), "") << mode;
  }
}

TEST(ProviderRequirements, OfEveryKnownKindOfRegistrationAreMet) {
  EXPECT_EQ(missing_from(mock_verbs()), "");
  EXPECT_EQ(missing_from(mock_shared_memory()), "");
  ProviderDescription p = mock_provider("net");
  p.mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  EXPECT_EQ(missing_from(p), "");
}

TEST(ProviderLimits, AMessageHasRoomFor64KiBAndHeadersOverNativeTcpAndIs16KiBElsewhere) {
  EXPECT_EQ(suitable_message_bytes(mock_provider("net")), 69632U);
  EXPECT_EQ(suitable_message_bytes(mock_provider("tcp")), 69632U);
  EXPECT_EQ(suitable_message_bytes(mock_provider("tcp;ofi_rxm")), 16384U);
  EXPECT_EQ(suitable_message_bytes(mock_verbs()), 16384U);
}

TEST(ProviderLimits, AMessageThroughSharedMemoryCanBeInjected) {
  EXPECT_EQ(suitable_message_bytes(mock_shared_memory()), 4096U);
}

TEST(ProviderLimits, AMessageIsNeverLargerThanTheProviderAccepts) {
  ProviderDescription p = mock_provider("net");
  p.max_message_bytes = 9000;
  EXPECT_EQ(suitable_message_bytes(p), 9000U);
  EXPECT_EQ(suitable_write_bytes(p), 9000U);
}

TEST(ProviderLimits, AWriteIsAtMost16MiB) {
  EXPECT_EQ(suitable_write_bytes(mock_provider("net")), std::size_t{16} << 20);
}

}  // namespace
}  // namespace lintel::transport
