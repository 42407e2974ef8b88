// impi-server: the rendezvous of an IMPI job. Options: options.cpp. Protocol:
// mpi_layer/impi/server.h.

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "options.h"
#include "server_sockets.h"
#include "tools/lintel-run/failure.h"

int main(int argc, char** argv) {
  using namespace lintel;
  try {
    const auto options = impi_server::parse_options(argc, argv, std::getenv("IMPI_AUTH_NONE"),
                                                    std::getenv("IMPI_AUTH_KEY"));
    if (!options) return 0;
    std::signal(SIGPIPE, SIG_IGN);  // the reader of the messages may end before the job
    mpi::impi::Server server(options->server);
    impi_server::ServerSockets sockets(server, options->address, options->port,
                                       options->is_verbose);
    if (std::printf("%s\n", sockets.address().c_str()) < 0 || std::fflush(stdout) != 0)
      throw run::RunFailure(run::kExitFailed, "cannot write the address to standard output");
    sockets.run();
    return server.phase() == mpi::impi::Server::ServerPhase::kSucceeded ? 0 : run::kExitFailed;
  } catch (const run::RunFailure& failure) {
    fmt::print(stderr, "impi-server: {}\n", failure.what());
    return failure.exit_code();
  } catch (const std::exception& error) {
    fmt::print(stderr, "impi-server: {}\n", error.what());
    return run::kExitFailed;
  }
}
