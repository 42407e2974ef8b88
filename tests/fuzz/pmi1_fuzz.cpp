// libFuzzer entry: lines of PMI-1 as a hostile program may send them, to lintel-run's side and to a
// process's side.
//
// The first byte says how the rest is divided. The same bytes are lines of ranks to a Pmi1Server,
// and answers of a launcher to a Pmi1Launcher.

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "mpi_layer/bootstrap/pmi1_launcher.h"
#include "mpi_layer/bootstrap/pmi1_line_reader.h"
#include "tools/lintel-run/pmi1_server.h"

namespace {

using namespace lintel::mpi;
using lintel::run::Pmi1Server;

void must(bool holds) {
  if (!holds) std::abort();
}

// What is accepted is encoded to the same text again.
void read_back(const std::string& text) {
  std::string problem;
  const auto line = parse_pmi1_line(text, problem);
  if (!line) return must(!problem.empty() && quoted_pmi1(text).size() <= 123);
  const std::string written = line->text();
  const auto again =
      parse_pmi1_line(std::string_view(written).substr(0, written.size() - 1), problem);
  must(!again ? written.size() > kMaxPmi1LineBytes : *again == *line);
}

void serve(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t kRanks = 3;
  Pmi1Server server("job", kRanks);
  Pmi1LineReader reader;
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    std::vector<Pmi1Server::PmiAnswer> answers;
    must(!server.take(rank, "cmd=init pmi_version=1 pmi_subversion=1", answers));
  }
  std::size_t rank = 0;
  while (!bytes.empty()) {
    reader.append(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (const auto line = reader.next()) {
      read_back(*line);
      std::vector<Pmi1Server::PmiAnswer> answers;
      if (const auto end = server.take(rank, *line, answers)) {
        must(end->rank == rank && end->exit_code != 0 && !end->reason.empty());
        server.leave(rank);
      }
      for (const Pmi1Server::PmiAnswer& answer : answers) {
        must(answer.rank < kRanks && answer.line.back() == '\n');
        read_back(answer.line.substr(0, answer.line.size() - 1));
      }
      static_cast<void>(server.hanging());
      rank = (rank + line->size()) % kRanks;
    }
    if (reader.too_long()) return;
  }
}

void answer(std::string_view bytes) {
  std::array<int, 2> ends{};
  must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  static_cast<void>(
      ::send(ends[0], bytes.data(), std::min<std::size_t>(bytes.size(), 65536), MSG_DONTWAIT));
  ::shutdown(ends[0], SHUT_WR);
  auto launcher = Pmi1Launcher::open(ends[1], 1, 3);
  if (launcher.ok()) {
    auto all = (*launcher)->exchange("card", "own");
    if (all.ok()) {
      for (const std::string& blob : *all) must(!blob.empty() && blob.size() <= kMaxBlobBytes);
    }
    static_cast<void>((*launcher)->barrier().ok());
    static_cast<void>((*launcher)->finalize().ok());
  }
  ::close(ends[0]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  serve(bytes, 1U + data[0]);
  answer(bytes);
  return 0;
}
