// A process of a job that opens the world and looks at it: world_program <what> <expected size>
// <expected launcher>
//   check     all cards, one secret, three exchanges and barriers; then says "rank R of N: ok"
//   provider  rank 1 comes with another provider: every rank says the refusal, and ends with 3
//   abort     rank 1 aborts with exit code 7 while the others wait
//   leave     rank 1 ends with 0, without finalizing, while the others wait
//   loop      barriers for ever
// The address in a card is invented: nothing is sent to it. Exit code 1: an expectation failed.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "mpi_layer/bootstrap/hexadecimal.h"
#include "mpi_layer/bootstrap/node_name.h"
#include "mpi_layer/bootstrap/open_launcher.h"
#include "mpi_layer/bootstrap/world.h"

namespace {

using namespace lintel;
using namespace lintel::mpi;

constexpr std::uint32_t kFirstPid = 30000;
constexpr int kRefused = 3;

[[noreturn]] void fail(const std::string& sentence, int exit_code = EXIT_FAILURE) {
  std::fprintf(stderr, "world_program: %s\n", sentence.c_str());
  std::exit(exit_code);
}

void expect(bool holds, const char* what) {
  if (!holds) fail(std::string("expected ") + what);
}

template <class T>
T must(Outcome<T> outcome) {
  if (!outcome) fail(outcome.sentence());
  return std::move(*outcome);
}

BusinessCard own_card(std::uint32_t rank, bool odd) {
  return {"0.1.0",
          1,
          odd && rank == 1 ? "odd" : "net",
          {NodeId{0x7f000001}, Pid{kFirstPid + rank}},
          node_name(),
          must(random_secret())};
}

void check(Launcher& launcher, const World& world, const BusinessCard& own) {
  expect(world.rank == launcher.rank() && world.size() == launcher.size(),
         "the world to be the launcher's");
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    expect(world.processes[rank] == ProcessId{NodeId{0x7f000001}, Pid{kFirstPid + rank}},
           "each rank's own address");
    expect(world.on_this_node[rank], "all ranks on this node");
  }
  expect(world.size() == 1 || world.secret != own.secret_part, "a secret of all parts");
  const std::string secret(reinterpret_cast<const char*>(world.secret.bytes.data()),
                           world.secret.bytes.size());
  for (const std::string& other : must(launcher.exchange("secret", secret)))
    expect(other == secret, "one secret in all ranks");
  must(launcher.barrier());
  // The largest blobs, with every byte value, different for each rank.
  std::string blob;
  for (std::size_t i = 0; i < kMaxBlobBytes; ++i) blob += static_cast<char>(i + world.rank);
  const auto all = must(launcher.exchange("large", blob));
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    for (std::size_t i = 0; i < kMaxBlobBytes; ++i)
      expect(all[rank][i] == static_cast<char>(i + rank), "each rank's bytes");
  }
  for (int i = 0; i < 10; ++i) must(launcher.barrier());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) fail("expected <what> <size> <launcher>");
  const std::string what = arguments[1];
  const std::unique_ptr<Launcher> launcher = must(open_launcher(read_launch_variables()));
  expect(std::to_string(launcher->size()) == arguments[2],
         ("size " + std::string(arguments[2]) + " and not " + std::to_string(launcher->size()))
             .c_str());
  expect(launcher->name() == arguments[3],
         ("launcher " + std::string(arguments[3]) + " and not " + std::string(launcher->name()))
             .c_str());
  const BusinessCard own = own_card(launcher->rank(), what == "provider");
  Outcome<World> opened = open_world(*launcher, own);
  if (!opened) {
    // Only when all are ready to report, because the first rank that ends ends the others.
    static_cast<void>(launcher->barrier().ok());
    fail(opened.sentence(), kRefused);
  }
  const World& world = *opened;
  if (what == "check") {
    check(*launcher, world, own);
  } else if (what == "abort") {
    if (world.rank == 1) launcher->abort(7, "as the test wants it", AbortCause::kOwn);
    must(launcher->barrier());
  } else if (what == "leave") {
    if (world.rank == 1) std::_Exit(0);
    must(launcher->barrier());
  } else if (what == "loop") {
    std::printf("rank %u loops\n", world.rank);
    std::fflush(stdout);
    while (true) must(launcher->barrier());
  } else {
    fail("unknown: " + what);
  }
  must(launcher->finalize());
  std::printf("rank %u of %u: ok\n", world.rank, world.size());
  return 0;
}
