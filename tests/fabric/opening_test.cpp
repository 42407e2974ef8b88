// Opening an endpoint: names, addresses, and the errors when it fails.
#include "tests/fabric/fabric_pair.h"
#include "tests/fabric/provider_names.h"
#include "transport/address/address.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace lintel::transport {
namespace {

using testing::HasSubstr;

class FabricOpening : public testing::TestWithParam<const char*> {};
LINTEL_FOR_EACH_PROVIDER(FabricOpening);

TEST_P(FabricOpening, AnyPidGivesOneThatOthersCanUse) {
  Node node = open_node(options_for(GetParam()));
  ASSERT_TRUE(node.transport);
  EXPECT_EQ(to_string(node.transport->self().nid), "127.0.0.1");
  EXPECT_NE(node.transport->self().pid, kAnyPid);
  EXPECT_EQ(node.transport->attributes().name, name_here(GetParam()));
}

TEST_P(FabricOpening, ARequestedPidIsGranted) {
  NetworkOptions options = options_for(GetParam());
  options.pid = Pid(731);
  Node node = open_node(options);
  ASSERT_TRUE(node.transport);
  EXPECT_EQ(node.transport->self().pid, Pid(731));
}

TEST_P(FabricOpening, APidInUseIsRefusedWithAMessageThatNamesIt) {
  NetworkOptions options = options_for(GetParam());
  options.pid = Pid(732);
  Node node = open_node(options);
  std::string explanation;
  const auto second = open_network(options, {}, &explanation);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().reason(), HasSubstr("in use"));
  EXPECT_THAT(explanation, HasSubstr("pid 732"));
  EXPECT_THAT(explanation, HasSubstr("in use"));
}

TEST_P(FabricOpening, APidIsFreeAgainWhenItsTransportIsClosed) {
  NetworkOptions options = options_for(GetParam());
  options.pid = Pid(733);
  for (int i = 0; i < 3; ++i) {
    Node node = open_node(options);
    ASSERT_TRUE(node.transport) << i;
  }
}

TEST_P(FabricOpening, ReportsTheVersionOfTheLibrary) {
  Node node = open_node(options_for(GetParam()));
  ASSERT_TRUE(node.transport);
  EXPECT_THAT(node.transport->attributes().version, testing::ContainsRegex("^[0-9]+\\.[0-9]+"));
}

TEST_P(FabricOpening, NamesThatCannotBeAddressesAreNotResolved) {
  Node node = open_node(options_for(GetParam()));
  ASSERT_TRUE(node.transport);
  EXPECT_FALSE(node.transport->resolve({NodeId(0), Pid(5)}).ok());
  EXPECT_FALSE(node.transport->resolve({NodeId(0xffffffffU), Pid(5)}).ok());
  EXPECT_FALSE(node.transport->resolve({node.transport->self().nid, kAnyPid}).ok());
}

TEST_P(FabricOpening, TheSameNameIsTheSamePeer) {
  Node node = open_node(options_for(GetParam()));
  ASSERT_TRUE(node.transport);
  const ProcessId one{node.transport->self().nid, Pid(7)};
  const ProcessId other{node.transport->self().nid, Pid(8)};
  const PeerId peer = node.transport->resolve(one).value();
  EXPECT_EQ(peer, PeerId(0));
  EXPECT_EQ(node.transport->resolve(other).value(), PeerId(1));
  EXPECT_EQ(node.transport->resolve(one).value(), peer);
  EXPECT_EQ(node.transport->name_of(peer), one);
}

// libfabric reads it when the process asks for providers first.
TEST(FabricOpeningOverRxm, LetsItLookForCallersOftenUnlessTheUserHasSaidHowOften) {
  constexpr const char* kInterval = "FI_OFI_RXM_CM_PROGRESS_INTERVAL";
  for (const char* const said : {static_cast<const char*>(nullptr), "500"}) {
    ::unsetenv(kInterval);
    if (said != nullptr) ::setenv(kInterval, said, 1);
    Node node = open_node(options_for("tcp;ofi_rxm"));
    ASSERT_TRUE(node.transport);
    EXPECT_STREQ(::getenv(kInterval), said != nullptr ? said : "100");
  }
  ::unsetenv(kInterval);
}

class FabricOpeningOverTcp : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Provider, FabricOpeningOverTcp, testing::Values("direct", "net"),
                         provider_test_name);

TEST_P(FabricOpeningOverTcp, ListensOnTheGivenAddressOnly) {
  NetworkOptions first = options_for(GetParam());
  first.pid = Pid(734);
  NetworkOptions second = first;
  second.interface_address = "127.0.0.2";
  Node a = open_node(first);
  Node b = open_node(second);  // the same port: refused if the first listened on all addresses
  ASSERT_TRUE(a.transport && b.transport);
  EXPECT_EQ(to_string(b.transport->self().nid), "127.0.0.2");
}

TEST_P(FabricOpeningOverTcp, AnAddressOfAnotherMachineIsRefused) {
  NetworkOptions options = options_for(GetParam());
  options.interface_address = "203.0.113.7";
  std::string explanation;
  EXPECT_FALSE(open_network(options, {}, &explanation).ok());
  EXPECT_THAT(explanation, HasSubstr("203.0.113.7"));
}

TEST_P(FabricOpeningOverTcp, TheWildcardAddressIsRefused) {
  NetworkOptions options = options_for(GetParam());
  options.interface_address = "0.0.0.0";
  std::string explanation;
  EXPECT_FALSE(open_network(options, {}, &explanation).ok());
  EXPECT_THAT(explanation, HasSubstr("0.0.0.0"));
}

TEST_P(FabricOpeningOverTcp, APidInsideTheWellKnownPortsIsRefused) {
  NetworkOptions options = options_for(GetParam());
  options.pid = Pid(27005);
  std::string explanation;
  EXPECT_FALSE(open_network(options, {}, &explanation).ok());
  EXPECT_THAT(explanation, HasSubstr("27005"));
}

TEST(FabricOpeningByName, AnUnknownProviderIsRefusedWithAListOfThoseOffered) {
  std::string explanation;
  EXPECT_FALSE(open_network(options_for("quantum"), {}, &explanation).ok());
  EXPECT_THAT(explanation, HasSubstr("\"quantum\" is not offered"));
  EXPECT_THAT(explanation, HasSubstr("offered: direct"));
  EXPECT_THAT(explanation, HasSubstr("shm"));
}

TEST(FabricOpeningByName, TheSurveyChoosesWhatOpenUses) {
  Node node = open_node(NetworkOptions{});
  ASSERT_TRUE(node.transport);
  std::vector<std::string> chosen;
  for (const NetworkReport& report : survey_networks(NetworkOptions{})) {
    EXPECT_FALSE(report.reason.empty()) << report.name;
    if (report.chosen) chosen.push_back(report.name);
  }
  EXPECT_EQ(chosen, std::vector<std::string>{node.transport->attributes().name});
}

}  // namespace
}  // namespace lintel::transport
