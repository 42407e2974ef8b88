// Settings in the environment for the IMPI job that a job is to join.

#include "mpi_layer/impi/sockets/client_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace lintel::mpi::impi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ClientVariables variables(const std::string& impi) { return {.impi = impi, .none = ""}; }

TEST(ImpiClientSettings, NameTheRankAndTheServer) {
  auto settings = client_settings(variables("31@10.0.0.1:41873"));
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->rank, 31U);
  EXPECT_EQ(settings->server_host, "10.0.0.1");
  EXPECT_EQ(settings->server_port, 41873);
  EXPECT_FALSE(settings->interface.has_value());
  EXPECT_THAT(settings->native_clients, IsEmpty());
}

TEST(ImpiClientSettings, ServerMayHaveAName) {
  EXPECT_EQ(client_settings(variables("0@server.example:1"))->server_host, "server.example");
}

class ImpiClientSettingsRefused : public ::testing::TestWithParam<const char*> {};

TEST_P(ImpiClientSettingsRefused, WithTheValueAndWhatWasExpected) {
  const auto settings = client_settings(variables(GetParam()));
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.sentence(), std::string("LINTEL_IMPI=") + GetParam() +
                                     " is not accepted: expected RANK@HOST:PORT, a client rank "
                                     "from 0 to 31 and the address that impi-server has printed, "
                                     "such as 1@10.0.0.1:41873");
}
INSTANTIATE_TEST_SUITE_P(All, ImpiClientSettingsRefused,
                         ::testing::Values("1", "@", "1@", "1@host", "1@:4711", "host:4711",
                                           "@host:4711", "32@host:4711", "-1@host:4711",
                                           "x@host:4711", "1@host:", "1@host:0", "1@host:65536",
                                           "1@host:4711x", "1@a@b:4711", "1@a:b:4711",
                                           "1@ho st:4711", "1 @host:1"));

TEST(ImpiClientSettings, NativeClientsAreAList) {
  ClientVariables own = variables("1@host:1");
  own.native = "0,31,2";
  EXPECT_THAT(client_settings(own)->native_clients, ElementsAre(0U, 31U, 2U));
  for (const char* wrong : {",", "1,", ",1", "32", "a", "1 2", "1,,2"}) {
    own.native = wrong;
    const auto settings = client_settings(own);
    ASSERT_FALSE(settings.ok()) << wrong;
    EXPECT_EQ(settings.sentence(), std::string("LINTEL_IMPI_NATIVE=") + wrong +
                                       " is not accepted: expected client ranks from 0 to 31 with "
                                       "commas between them, such as 1,2");
  }
}

TEST(ImpiClientSettings, AuthenticationIsByWhatIsSetAlsoToNothing) {
  EXPECT_EQ(client_settings({.impi = "1@host:1", .none = ""})->authentication.mask(), 1U);
  EXPECT_EQ(client_settings({.impi = "1@host:1", .key = "5678"})->authentication.mask(), 2U);
  auto both = client_settings({.impi = "1@host:1", .none = "0", .key = "5678"});
  EXPECT_EQ(both->authentication.mask(), 3U);
  EXPECT_TRUE(both->authentication.is_key(5678));
}

TEST(ImpiClientSettings, WithNothingToAuthenticateByAreRefused) {
  const auto settings = client_settings({.impi = "1@host:1"});
  ASSERT_FALSE(settings.ok());
  EXPECT_THAT(settings.sentence(),
              HasSubstr("client 1 of IMPI has nothing to authenticate by; expected IMPI_AUTH_NONE "
                        "to be set, or a key in IMPI_AUTH_KEY"));
}

TEST(ImpiClientSettings, AnInvalidKeyIsRefusedAndNotPrinted) {
  const auto settings = client_settings({.impi = "1@host:1", .key = "secret"});
  ASSERT_FALSE(settings.ok());
  EXPECT_THAT(settings.sentence(), HasSubstr("IMPI_AUTH_KEY"));
  EXPECT_THAT(settings.sentence(), Not(HasSubstr("secret")));
}

class ImpiClientEnvironment : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"LINTEL_IMPI", "LINTEL_IMPI_NATIVE", "LINTEL_INTERFACE",
                             "LINTEL_PEER_TIMEOUT", "IMPI_AUTH_NONE", "IMPI_AUTH_KEY"})
      ::unsetenv(name);
  }
};

TEST_F(ImpiClientEnvironment, WithoutLintelImpiHasNoSettings) {
  auto settings = read_client_settings();
  ASSERT_TRUE(settings.ok());
  EXPECT_FALSE(settings->has_value());
}

TEST_F(ImpiClientEnvironment, IsRead) {
  ::setenv("LINTEL_IMPI", "2@host:7", 1);
  ::setenv("LINTEL_IMPI_NATIVE", "1", 1);
  ::setenv("LINTEL_INTERFACE", "127.0.0.2", 1);
  ::setenv("LINTEL_PEER_TIMEOUT", "3s", 1);
  ::setenv("IMPI_AUTH_NONE", "", 1);
  auto settings = read_client_settings();
  ASSERT_TRUE(settings.ok() && settings->has_value());
  EXPECT_EQ((*settings)->rank, 2U);
  EXPECT_THAT((*settings)->native_clients, ElementsAre(1U));
  EXPECT_EQ((*settings)->interface, "127.0.0.2");
  EXPECT_EQ((*settings)->peer_timeout, std::chrono::seconds(3));
  EXPECT_EQ((*settings)->authentication.mask(), 1U);
}

}  // namespace
}  // namespace lintel::mpi::impi
