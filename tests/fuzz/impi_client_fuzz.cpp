// libFuzzer entry: what a hostile server may send to an IMPI client, and what hostile clients may
// send through a correct server.
//
// The first byte is the number of clients. Then come changes of what a correct server would send: a
// label's set is replaced, or raw bytes are inserted.

#include <cstdlib>
#include <map>

#include "input.h"
#include "mpi_layer/impi/big_endian.h"
#include "mpi_layer/impi/client_startup.h"
#include "mpi_layer/impi/connection_setup.h"
#include "mpi_layer/impi/job_layout_text.h"

namespace {

using namespace lintel;
using namespace lintel::mpi::impi;

void must(bool holds) {
  if (!holds) std::abort();
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ClientOffer offer_of(std::uint32_t client) {
  ClientOffer offer;
  HostOffer host;
  host.address = host_id_of(0x0a4d0001U + client);
  host.port = 4711;
  for (std::int64_t pid = 1; pid <= 2; ++pid) host.procs.push_back({host.address, pid});
  offer.hosts.push_back(host);
  return offer;
}

// A layout as the processes of a job send it to each other.
void check_text(std::string_view bytes, bool is_layout) {
  auto layout = decode_layout(bytes);
  must(layout.ok() || !is_layout);
  must(!layout.ok() || encode(*layout) == bytes);
}

// Properties of every accepted layout.
void check(const JobLayout& layout, std::uint32_t clients, testing::Input& input) {
  must(layout.versions.size() == clients && layout.hosts.size() >= clients &&
       layout.procs.size() >= clients);
  must(layout.data_length >= 1 && layout.tag_upper_bound >= 32767 && layout.crossover_size >= 0 &&
       layout.max_linear >= 0);
  must(layout.ackmark >= 1 && layout.ackmark <= layout.hiwater);
  std::size_t rank = 0;
  for (std::uint32_t host = 0; host < layout.hosts.size(); ++host) {
    must(layout.hosts[host].first_proc == rank && layout.hosts[host].client < clients &&
         layout.hosts[host].port != 0);
    for (std::uint32_t i = 0; i < layout.hosts[host].procs; ++i)
      must(layout.procs[rank++].host == host);
  }
  must(rank == layout.procs.size());
  check_text(encode(layout), true);
  for (std::uint32_t client = 0; client < clients; ++client) {
    must(layout.hosts[layout.first_host(client)].client == client);
    static_cast<void>(layout.common_version(0, client));
  }
  const auto own = static_cast<std::uint32_t>(input.number() % layout.hosts.size());
  auto setup = ConnectionSetup::of(layout, own);
  if (!setup) return must(!setup.sentence().empty());
  must(setup->hosts_to_connect().size() == own);
  for (const ConnectionSetup::HostToConnect& host : setup->hosts_to_connect())
    setup->connected(host.rank);
  while (!input.empty() && !setup->is_complete()) {
    std::string greeting = text_of(input.bytes(ConnectionSetup::kGreetingBytes));
    greeting.resize(ConnectionSetup::kGreetingBytes);
    const std::size_t before = setup->missing().size();
    const bool is_taken = setup->accepted(greeting).ok();
    must(setup->missing().size() + (is_taken ? 1 : 0) == before);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_text({reinterpret_cast<const char*>(data), size}, false);
  testing::Input input(data, size);
  const std::uint32_t clients = input.byte() % 4 + 1;
  const std::uint32_t rank = input.byte() % clients;
  TimePoint now{0};
  ClientStartup startup({rank, Authentication(true, 7), offer_of(rank), Nanoseconds(1000)}, now);
  const auto hears = [&](std::string_view bytes) {
    startup.take(bytes, now);
    if (startup.phase() == ClientStartup::StartupPhase::kFailed)
      must(!startup.problem().empty() && startup.take_outgoing().empty());
  };
  // 0: correct; 1: other bytes before it; 2: other bytes instead of it.
  const auto next = [&](const std::string& honest) {
    const std::uint8_t what = input.byte() % 8;
    if (what == 1 || what == 2) hears(text_of(input.bytes(input.byte())));
    if (what != 2) hears(honest);
    must(startup.next_deadline() > now);
  };
  next(std::string(8, '\0'));
  std::string number;
  append_number(number, clients);
  next(encode(CommandWord::kImpi, number));
  for (const LabelRow& row : labels()) {
    LabelSet set{row.label, (1U << clients) - 1, {}};
    for (std::uint32_t client = 0; client < clients; ++client)
      set.contributions += contribution(offer_of(client), row.label);
    const std::uint8_t what = input.byte() % 8;
    if (what == 1) set.contributions = text_of(input.bytes(input.byte()));
    if (what == 2 && !set.contributions.empty())
      set.contributions[input.byte() % set.contributions.size()] = static_cast<char>(input.byte());
    if (what == 3) set.mask = static_cast<std::uint32_t>(input.number());
    next(encode(CommandWord::kColl, encode(set)));
  }
  next(encode(CommandWord::kDone, {}));
  if (startup.phase() == ClientStartup::StartupPhase::kReady)
    check(startup.layout(), clients, input);
  return 0;
}
