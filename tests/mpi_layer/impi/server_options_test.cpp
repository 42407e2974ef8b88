#include "options.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include "tools/lintel-run/failure.h"

namespace lintel::impi_server {
namespace {

using mpi::impi::Mechanism;
using ::testing::HasSubstr;
using ::testing::Not;

class ServerOptions : public ::testing::Test {
 protected:
  ServerOptions() { ::unsetenv("LINTEL_INTERFACE"); }

  ImpiServerOptions parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "impi-server");
    const auto options =
        parse_options(static_cast<int>(arguments.size()), arguments.data(), none_, key_);
    EXPECT_TRUE(options.has_value());
    return options.value();
  }
  // The message with which it gives up, and its exit code.
  std::string refusal(const std::vector<const char*>& arguments,
                      int exit_code = run::kExitWrongUsage) {
    try {
      parse(arguments);
    } catch (const run::RunFailure& failure) {
      EXPECT_EQ(failure.exit_code(), exit_code);
      return failure.what();
    }
    return "accepted";
  }

  const char* none_ = "";
  const char* key_ = nullptr;
};

TEST_F(ServerOptions, TheNumberOfClientsIsEnough) {
  const ImpiServerOptions options = parse({"-server", "3"});
  EXPECT_EQ(options.server.clients, 3U);
  EXPECT_EQ(options.address, "127.0.0.1");
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.server.timeout, std::chrono::seconds(60));
  EXPECT_EQ(options.server.authentication.mask(), 1U);
  EXPECT_FALSE(options.is_verbose);
}

TEST_F(ServerOptions, LongOptionsHaveOneDashOrTwo) {
  for (const auto& [server, port] : {std::pair("-server", "-port"), std::pair("--server", "--port"),
                                     std::pair("-server", "-p")}) {
    const ImpiServerOptions options = parse({"-v", server, "2", port, "4711", "-timeout", "5s"});
    EXPECT_EQ(options.server.clients, 2U);
    EXPECT_EQ(options.port, 4711);
    EXPECT_TRUE(options.is_verbose);
    EXPECT_EQ(options.server.timeout, std::chrono::seconds(5));
  }
}

TEST_F(ServerOptions, AWrongNumberOfClientsIsNamed) {
  for (const char* number : {"0", "33", "-1", "two", "2x", ""})
    EXPECT_NE(refusal({"-server", number}), "accepted") << number;
  EXPECT_EQ(refusal({"-server", "33"}),
            "-server: '33' is not usable; expected a number of clients from 1 to 32");
  EXPECT_EQ(refusal({}), "no number of clients; expected -server N");
}

TEST_F(ServerOptions, WrongValuesAreNamed) {
  EXPECT_EQ(refusal({"-server", "2", "-port", "65536"}),
            "-port: '65536' is not usable; expected a port from 0 to 65535");
  EXPECT_THAT(refusal({"-server", "2", "-timeout", "5"}), HasSubstr("-timeout: '5' is not usable"));
  EXPECT_THAT(refusal({"-server", "2", "-timeout", "0s"}),
              HasSubstr("-timeout: '0s' is not usable"));
  EXPECT_THAT(refusal({"-server", "2", "-host", "no-such-interface"}),
              HasSubstr("-host: 'no-such-interface' is not usable"));
  EXPECT_THAT(refusal({"-server", "2", "-host", "0.0.0.0"}), HasSubstr("expected one address"));
  EXPECT_THAT(refusal({"-server", "2", "-auth", "7"}), HasSubstr("-auth: '7' is not usable"));
  EXPECT_THAT(refusal({"-server", "2", "-nonsense"}), HasSubstr("see impi-server -help"));
}

TEST_F(ServerOptions, TheHostIsAnAddressOrAnInterface) {
  EXPECT_EQ(parse({"-server", "2", "-host", "127.0.0.2"}).address, "127.0.0.2");
  EXPECT_EQ(parse({"-server", "2", "-host", "lo"}).address, "127.0.0.1");
  ::setenv("LINTEL_INTERFACE", "127.0.0.3", 1);
  EXPECT_EQ(parse({"-server", "2"}).address, "127.0.0.3");
  EXPECT_EQ(parse({"-server", "2", "-host", "lo"}).address, "127.0.0.1");
  ::unsetenv("LINTEL_INTERFACE");
}

TEST_F(ServerOptions, TheEnvironmentSaysHowClientsAuthenticate) {
  key_ = "5678";
  EXPECT_EQ(parse({"-server", "2"}).server.authentication.choose(3), Mechanism::kKey);
  EXPECT_EQ(parse({"-server", "2", "-auth", "0-1"}).server.authentication.choose(3),
            Mechanism::kNone);
  none_ = nullptr;
  EXPECT_EQ(parse({"-server", "2"}).server.authentication.mask(), 2U);
  EXPECT_TRUE(parse({"-server", "2"}).server.authentication.is_key(5678));
  EXPECT_THAT(refusal({"-server", "2", "-auth", "0"}),
              HasSubstr("expected IMPI_AUTH_NONE to be set"));
}

TEST_F(ServerOptions, WithoutAnyMechanismNothingBegins) {
  none_ = nullptr;
  EXPECT_THAT(refusal({"-server", "2"}, run::kExitFailed),
              HasSubstr("no client could authenticate; expected IMPI_AUTH_NONE"));
}

TEST_F(ServerOptions, AKeyThatIsNoneIsNotRepeated) {
  key_ = "5678x";
  const std::string sentence = refusal({"-server", "2"});
  EXPECT_THAT(sentence, HasSubstr("what IMPI_AUTH_KEY holds is not usable as a key"));
  EXPECT_THAT(sentence, Not(HasSubstr("5678")));
}

}  // namespace
}  // namespace lintel::impi_server
