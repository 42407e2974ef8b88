// libFuzzer entry: what hostile and faulty clients may send to an IMPI server.
//
// The first byte says how many clients the job has, and whether they have a key. Then come steps: a
// new connection, bytes on one, the end of one, time. The server's output is decoded as a client
// would decode it.

#include <cstdlib>
#include <map>

#include "input.h"
#include "mpi_layer/impi/big_endian.h"
#include "mpi_layer/impi/server.h"

namespace {

using namespace lintel;
using namespace lintel::mpi::impi;

void must(bool holds) {
  if (!holds) std::abort();
}

// Checks what one connection receives, in the order in which a client may receive it.
class Listener {
 public:
  void take(std::string_view bytes, std::uint32_t clients, bool has_key) {
    reader_.append(bytes);
    if (!is_authenticated_) {
      const auto choice = reader_.next_bare(8);
      if (!choice) return;
      must(number_at<std::uint32_t>(*choice, 0) == (has_key ? 1U : 0U) &&
           number_at<std::uint32_t>(*choice, 4) == 0);
      is_authenticated_ = true;
    }
    std::string problem;
    while (const auto command = reader_.next(problem)) {
      must(!is_done_);
      if (command->word == CommandWord::kImpi) {
        must(!knows_size_ && number_at<std::uint32_t>(command->payload, 0) == clients);
        knows_size_ = true;
      } else if (command->word == CommandWord::kColl) {
        const auto label = number_at<Label>(command->payload, 0);
        const auto mask = number_at<std::uint32_t>(command->payload, 4);
        must(knows_size_ && label > last_ && (clients == 32 || mask >> clients == 0) &&
             (mask != 0 || command->payload.size() == 8));
        last_ = label;
      } else {
        must(knows_size_ && last_ >= kProcPid);
        is_done_ = true;
      }
    }
    must(problem.empty() && reader_.is_empty());  // the server sends whole commands
  }

 private:
  CommandReader reader_{CommandSender::kServer};
  bool is_authenticated_ = false;
  bool knows_size_ = false;
  bool is_done_ = false;
  Label last_ = kNoLabel;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testing::Input input(data, size);
  const std::uint8_t first = input.byte();
  const std::uint32_t clients = first % kMaxClients + 1;
  const bool has_key = (first & 0x80) != 0;
  constexpr Nanoseconds kTimeout(1000);
  Server server(
      {clients, has_key ? Authentication(false, 7) : Authentication(true, std::nullopt), kTimeout});
  TimePoint now{0};
  std::map<Server::ConnectionId, Listener> listeners;  // open connections
  Server::ConnectionId last = 0;
  while (!input.empty()) {
    const std::uint8_t step = input.byte();
    // may be one that is closed
    const Server::ConnectionId which = last == 0 ? 0 : last - (step >> 3) % last;
    switch (step & 7) {
      case 0:
        if (server.accepts()) {
          last = server.open("peer", now);
          listeners[last];
        }
        break;
      case 1: server.lose(which, "it closed its connection"); break;
      case 2:
        now = now + Nanoseconds(input.byte() * 8);
        server.advance(now);
        must(server.next_deadline() > now);
        break;
      default: {
        const auto bytes = input.bytes(input.byte());
        server.take(which, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, now);
      }
    }
    for (const auto& [connection, bytes] : server.take_decisions()) {
      const auto found = listeners.find(connection);
      must(found != listeners.end());  // nothing is sent after its end
      if (bytes == nullptr) {
        listeners.erase(found);
      } else {
        found->second.take(*bytes, clients, has_key);
      }
    }
    for (const auto& note : server.take_notes()) must(!note.sentence.empty());
    must(!server.is_over() || listeners.empty());
    must(listeners.size() <= kMaxClients + Server::kMaxUnknownConnections);
  }
  return 0;
}
