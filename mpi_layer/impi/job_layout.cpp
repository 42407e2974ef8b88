#include "mpi_layer/impi/job_layout.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "mpi_layer/impi/big_endian.h"
#include "mpi_layer/impi/client_offer.h"

namespace lintel::mpi::impi {
namespace {

constexpr std::int32_t kDefaultCrossoverSize = 1024;
constexpr std::int32_t kDefaultMaxLinear = 4;
constexpr std::int32_t kLeastTagUpperBound = 32767;

// Reads the labels in their order, and keeps the first problem.
class LabelReader {
 public:
  LabelReader(const std::map<Label, LabelSet>& sets, std::uint32_t clients)
      : sets_(sets), clients_(clients) {}

  const std::string& problem() const { return problem_; }
  bool ok() const { return problem_.empty(); }
  void refuse(std::string sentence) {
    if (ok()) problem_ = std::move(sentence);
  }
  // The contributions of all clients to the label; empty if one is invalid.
  std::string_view contributions(Label label) {
    const auto found = sets_.find(label);
    const std::uint32_t mask = found == sets_.end() ? 0 : found->second.mask;
    for (std::uint32_t client = 0; client < clients_; ++client) {
      if ((mask >> client & 1) == 0)
        refuse("client " + std::to_string(client) + " has not sent " + text_of_label(label));
    }
    return ok() ? std::string_view(found->second.contributions) : std::string_view();
  }
  // The same as `count` numbers; empty if something is invalid.
  template <class T>
  std::vector<T> numbers(Label label, std::uint64_t count) {
    const std::string_view bytes = elements(label, count, sizeof(T));
    std::vector<T> all;
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) all.push_back(number_at<T>(bytes, i));
    return all;
  }
  std::vector<HostId> addresses(Label label, std::uint64_t count) {
    constexpr std::size_t kBytes = sizeof(HostId::bytes);
    const std::string_view bytes = elements(label, count, kBytes);
    std::vector<HostId> all(bytes.size() / kBytes);
    for (std::size_t i = 0; i < all.size(); ++i)
      bytes.copy(reinterpret_cast<char*>(all[i].bytes.data()), kBytes, i * kBytes);
    return all;
  }
  // Those of `numbers` from `least` to `most`, one for each `owner` ("client", "host").
  template <class T>
  std::vector<T> bounded(Label label, std::uint64_t count, const char* owner, T least, T most) {
    std::vector<T> all = numbers<T>(label, count);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] >= least && all[i] <= most) continue;
      refuse(std::string(owner) + " " + std::to_string(i) + " has " + text_of_label(label) + " " +
             std::to_string(all[i]) + "; expected " + std::to_string(least) + " to " +
             std::to_string(most));
    }
    return ok() ? all : std::vector<T>();
  }

 private:
  std::string_view elements(Label label, std::uint64_t count, std::size_t size) {
    const std::string_view bytes = contributions(label);
    if (ok() && (bytes.size() % size != 0 || bytes.size() / size != count)) {
      refuse("all clients together have sent " + std::to_string(bytes.size()) + " bytes of " +
             text_of_label(label) + "; expected " + std::to_string(count) + " times " +
             std::to_string(size));
    }
    return ok() ? bytes : std::string_view();
  }

  const std::map<Label, LabelSet>& sets_;
  std::uint32_t clients_;
  std::string problem_;
};

// A client contributes any number of versions, ascending from 0.0. So each 0.0 begins the list of
// the next client.
std::vector<std::vector<Version>> read_versions(LabelReader& reader, std::uint32_t clients) {
  std::vector<std::vector<Version>> versions;
  const std::string_view bytes = reader.contributions(kVersion);
  if (bytes.size() % 8 != 0)
    reader.refuse(text_of_label(kVersion) + " has " + std::to_string(bytes.size()) +
                  " bytes; expected 8 for each version");
  for (std::size_t i = 0; reader.ok() && i < bytes.size(); i += 8) {
    const Version version{number_at<std::uint32_t>(bytes, i),
                          number_at<std::uint32_t>(bytes, i + 4)};
    if (version == Version()) versions.emplace_back();
    if (versions.empty() || (!versions.back().empty() && version <= versions.back().back())) {
      reader.refuse(text_of_label(kVersion) + " is not ascending from 0.0 for each client");
    } else {
      versions.back().push_back(version);
    }
  }
  if (versions.size() != clients)
    reader.refuse("of " + std::to_string(clients) + " clients " + std::to_string(versions.size()) +
                  " speak IMPI 0.0; expected all");
  return versions;
}

// The value on which all clients with a preference must agree; the default if no client has one.
std::int32_t read_agreed(LabelReader& reader, Label label, std::uint32_t clients,
                         std::int32_t default_value) {
  auto wishes = reader.bounded<std::int32_t>(label, clients, "client", kNoPreference, INT32_MAX);
  std::replace(wishes.begin(), wishes.end(), kNoPreference, default_value);
  for (std::size_t client = 1; client < wishes.size(); ++client) {
    if (wishes[client] == wishes[0]) continue;
    reader.refuse("client " + std::to_string(client) + " has " + text_of_label(label) + " " +
                  std::to_string(wishes[client]) + " and client 0 has " +
                  std::to_string(wishes[0]) + "; expected the same of all");
  }
  return wishes.empty() ? 0 : wishes[0];
}

template <class T>
T least_of(const std::vector<T>& all) {
  return all.empty() ? T() : *std::min_element(all.begin(), all.end());
}

void read_hosts(LabelReader& reader, const std::vector<std::int32_t>& hosts_of,
                const std::vector<std::int32_t>& procs_of, JobLayout& layout) {
  const auto count = std::accumulate(hosts_of.begin(), hosts_of.end(), std::uint64_t{0});
  const auto addresses = reader.addresses(kHostAddress, count);
  const auto ports = reader.bounded<std::int32_t>(kHostPort, count, "host", 1, 65535);
  const auto procs = reader.bounded<std::int32_t>(kHostProcs, count, "host", 0, INT32_MAX);
  const auto ackmarks = reader.bounded<std::uint32_t>(kHostAckmark, count, "host", 1, UINT32_MAX);
  const auto hiwaters = reader.bounded<std::uint32_t>(kHostHiwater, count, "host", 1, UINT32_MAX);
  if (!reader.ok()) return;
  std::uint64_t first_proc = 0;
  std::size_t host = 0;
  for (std::uint32_t client = 0; client < hosts_of.size(); ++client) {
    std::int64_t in_hosts = 0;
    for (std::int32_t i = 0; i < hosts_of[client]; ++i, ++host) {
      if (hiwaters[host] < ackmarks[host]) {
        return reader.refuse("host " + std::to_string(host) + " has " +
                             text_of_label(kHostHiwater) + " " + std::to_string(hiwaters[host]) +
                             "; expected at least its " + text_of_label(kHostAckmark) + " " +
                             std::to_string(ackmarks[host]));
      }
      layout.hosts.push_back({addresses[host], static_cast<std::uint16_t>(ports[host]), client,
                              static_cast<std::uint32_t>(first_proc),
                              static_cast<std::uint32_t>(procs[host])});
      in_hosts += procs[host];
      first_proc += static_cast<std::uint64_t>(procs[host]);
    }
    if (in_hosts != procs_of[client]) {
      return reader.refuse("client " + std::to_string(client) + " has " +
                           std::to_string(procs_of[client]) + " processes, and its hosts have " +
                           std::to_string(in_hosts) + " together; expected the same");
    }
  }
  layout.ackmark = least_of(ackmarks);
  layout.hiwater = least_of(hiwaters);
}

void read_procs(LabelReader& reader, std::uint64_t count, JobLayout& layout) {
  const auto addresses = reader.addresses(kProcAddress, count);
  const auto pids = reader.numbers<std::int64_t>(kProcPid, count);
  if (!reader.ok()) return;
  std::set<ProcId> seen;
  for (std::uint32_t host = 0; host < layout.hosts.size(); ++host) {
    for (std::uint32_t i = 0; i < layout.hosts[host].procs; ++i) {
      const std::size_t rank = layout.procs.size();
      const ProcId id{addresses[rank], pids[rank]};
      if (!seen.insert(id).second)
        return reader.refuse("process " + std::to_string(rank) + " is process " +
                             std::to_string(id.pid) + " on " + text_of(id.host) +
                             ", as one before it; expected another");
      layout.procs.push_back({id, host});
    }
  }
}

}  // namespace

std::uint32_t JobLayout::first_host(std::uint32_t client) const {
  const auto first = std::find_if(hosts.begin(), hosts.end(),
                                  [client](const JobHost& host) { return host.client == client; });
  return static_cast<std::uint32_t>(first - hosts.begin());
}

Version JobLayout::common_version(std::uint32_t one, std::uint32_t other) const {
  std::vector<Version> common;
  std::set_intersection(versions.at(one).begin(), versions.at(one).end(),
                        versions.at(other).begin(), versions.at(other).end(),
                        std::back_inserter(common));
  return common.back();  // 0.0 at least
}

std::string text_of_host(const JobLayout& layout, std::uint32_t host) {
  const JobHost& named = layout.hosts.at(host);
  return "client " + std::to_string(named.client) + " (host " + std::to_string(host) + " at " +
         text_of(named.address) + ":" + std::to_string(named.port) + ")";
}

Outcome<JobLayout> lay_out(const std::map<Label, LabelSet>& sets, std::uint32_t clients) {
  LabelReader reader(sets, clients);
  JobLayout layout;
  layout.versions = read_versions(reader, clients);
  const auto hosts_of = reader.bounded<std::int32_t>(kClientHosts, clients, "client", 1, INT32_MAX);
  const auto procs_of = reader.bounded<std::int32_t>(kClientProcs, clients, "client", 1, INT32_MAX);
  layout.data_length =
      least_of(reader.bounded<std::uint32_t>(kDataLength, clients, "client", 1, UINT32_MAX));
  layout.tag_upper_bound = least_of(reader.bounded<std::int32_t>(kTagUpperBound, clients, "client",
                                                                 kLeastTagUpperBound, INT32_MAX));
  layout.crossover_size =
      read_agreed(reader, kCollectiveCrossoverSize, clients, kDefaultCrossoverSize);
  layout.max_linear = read_agreed(reader, kCollectiveMaxLinear, clients, kDefaultMaxLinear);
  read_hosts(reader, hosts_of, procs_of, layout);
  read_procs(reader, std::accumulate(procs_of.begin(), procs_of.end(), std::uint64_t{0}), layout);
  if (!reader.ok()) return Problem{reader.problem()};
  return layout;
}

}  // namespace lintel::mpi::impi
