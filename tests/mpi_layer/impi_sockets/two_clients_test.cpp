// Two jobs that join through the real impi-server, and what their hosts then exchange.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "mpi_layer/impi/host/messages.h"
#include "mpi_layer/impi/sockets/host_sockets.h"
#include "tests/mpi_layer/impi_sockets/scripted_peer.h"

namespace lintel::testing {
namespace {

using namespace mpi::impi;
using ::testing::HasSubstr;

// The program, and the address that it prints.
class ImpiServerProgram {
 public:
  explicit ImpiServerProgram(unsigned clients) {
    const std::string command =
        "IMPI_AUTH_KEY=5678 exec '" IMPI_SERVER "' -server " + std::to_string(clients);
    output_ = ::popen(command.c_str(), "re");
    std::array<char, 64> line{};
    if (output_ == nullptr || std::fgets(line.data(), line.size(), output_) == nullptr)
      throw std::runtime_error("impi-server does not start");
    address_ = line.data();
    address_.pop_back();
  }
  ImpiServerProgram(const ImpiServerProgram&) = delete;
  ImpiServerProgram& operator=(const ImpiServerProgram&) = delete;
  ~ImpiServerProgram() {
    if (output_ != nullptr) ::pclose(output_);
  }

  const std::string& address() const { return address_; }
  int exit_code() {
    const int status = ::pclose(std::exchange(output_, nullptr));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::FILE* output_ = nullptr;
  std::string address_;
};

// A job of one process, which is its own host. It accepts every message.
class Job final : HostSockets::PacketHandler, PacketSender, Messages::MessageHandler {
 public:
  explicit Job(JoinedJob joined)
      : joined_(std::move(joined)),
        sockets_(value_of(HostSockets::open(joined_, std::chrono::seconds(10), *this))),
        messages_(joined_.layout.data_length, *this, *this) {}

  void send(std::uint32_t rank, std::int32_t tag, bool synchronous,
            std::span<const std::byte> data) {
    Envelope envelope;
    envelope.source = joined_.layout.procs[joined_.client].id;
    envelope.destination = joined_.layout.procs[rank].id;
    envelope.source_rank = static_cast<std::int32_t>(joined_.client);
    envelope.tag = tag;
    envelope.length = data.size();
    if (messages_.send(envelope, synchronous, data) != 0) ++open_sends_;
  }
  std::size_t poll() { return sockets_->poll(); }
  HostSockets& sockets() { return *sockets_; }
  const JobLayout& layout() const { return joined_.layout; }
  std::size_t open_sends() const { return open_sends_; }
  const std::map<std::int32_t, std::vector<std::byte>>& contents() const { return contents_; }
  std::size_t placed() const { return placed_; }
  const std::string& lost() const { return lost_; }

 private:
  Error on_packet(std::uint32_t, const Packet& packet, std::span<const std::byte> data) override {
    return messages_.on_packet(packet, data);
  }
  void on_room(std::uint32_t) override { messages_.resume(); }
  void on_lost(std::uint32_t, const std::string& sentence) override { lost_ = sentence; }

  std::uint32_t host_of(const ProcId& process) const {
    for (const JobProc& proc : joined_.layout.procs) {
      if (proc.id == process) return proc.host;
    }
    throw std::runtime_error("no such process");
  }
  void send(const Packet& packet, std::span<const std::byte> data) override {
    sockets_->send(host_of(packet.destination), packet, data);
  }
  bool takes_more(const ProcId& source, const ProcId& destination) override {
    return sockets_->takes_more(host_of(destination), source, destination);
  }

  void on_send_end(SendNumber, SendEnd) override { --open_sends_; }
  void on_cancel_refused(SendNumber) override {}
  void on_arrival(ArrivalNumber number, const Envelope& envelope,
                  std::span<const std::byte> data) override {
    std::vector<std::byte>& content = contents_[envelope.tag];
    content.resize(envelope.length);
    std::copy(data.begin(), data.end(), content.begin());
    coming_[number] = {&content, data.size()};
    messages_.accept(number);
  }
  bool withdraw(ArrivalNumber) override { return true; }
  void on_more(ArrivalNumber number, std::uint64_t offset,
               std::span<const std::byte> data) override {
    auto& [content, come] = coming_.at(number);
    ASSERT_EQ(offset, come);
    come += data.size();
    const auto place = std::span(*content).subspan(offset, data.size());
    if (data.data() == place.data()) {
      ++placed_;
    } else {
      std::copy(data.begin(), data.end(), place.begin());
    }
  }
  std::span<std::byte> place_for(std::uint32_t, const Packet& packet) override {
    return messages_.place_for(packet);
  }
  std::span<std::byte> place_for(ArrivalNumber number, std::uint64_t offset,
                                 std::size_t length) override {
    return std::span(*coming_.at(number).first).subspan(offset, length);
  }

  JoinedJob joined_;
  std::unique_ptr<HostSockets> sockets_;
  Messages messages_;
  std::size_t open_sends_ = 0;
  std::map<ArrivalNumber, std::pair<std::vector<std::byte>*, std::uint64_t>> coming_;
  std::size_t placed_ = 0;  // packets
  std::map<std::int32_t, std::vector<std::byte>> contents_;
  std::string lost_;
};

class ImpiTwoClients : public ::testing::Test {
 protected:
  // Starts as many jobs as the server has clients, each at an address of its own.
  void start(unsigned clients) {
    program.emplace(clients);
    std::vector<std::future<mpi::Outcome<JoinedJob>>> joining;
    for (unsigned rank = clients; rank-- > 0;) {  // no job waits for an earlier one
      ClientVariables variables{.impi = std::to_string(rank) + "@" + program->address(),
                                .key = "5678"};
      variables.interface = "127.0.0." + std::to_string(10 + rank);
      const ClientSettings settings = value_of(client_settings(variables));
      joining.push_back(std::async(std::launch::async, [settings, rank] {
        return join(settings, {1000 + rank}, kTimeout);
      }));
    }
    for (auto& one : joining) jobs.insert(jobs.begin(), std::make_unique<Job>(value_of(one.get())));
  }
  bool until(const std::function<bool()>& holds) {
    for (const TimePoint deadline = soon(); !holds();) {
      if (deadline < monotonic_now()) return false;
      for (const auto& job : jobs) job->poll();
    }
    return true;
  }
  void end() {
    for (const auto& job : jobs) job->sockets().finish();
    ASSERT_TRUE(until([&] {
      return std::all_of(jobs.begin(), jobs.end(),
                         [](const auto& job) { return job->sockets().finished(); });
    }));
    for (const auto& job : jobs) {
      job->sockets().send_fini();
      EXPECT_EQ(job->lost(), "");
    }
    EXPECT_EQ(program->exit_code(), 0);
  }
  static std::vector<std::byte> content(std::size_t length, unsigned seed) {
    std::vector<std::byte> bytes(length);
    for (std::size_t i = 0; i < length; ++i)
      bytes[i] = static_cast<std::byte>((i * 31 + seed * 17 + i / 251) & 0xff);
    return bytes;
  }

  std::optional<ImpiServerProgram> program;
  std::vector<std::unique_ptr<Job>> jobs;
};

TEST_F(ImpiTwoClients, HaveOneLayoutAndEndWithTheirServer) {
  start(2);
  for (const auto& job : jobs) {
    ASSERT_EQ(job->layout().procs.size(), 2U);
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(job->layout().procs[rank].id, (ProcId{host_id_of(0x7f00000a + rank), 1000 + rank}));
      EXPECT_EQ(job->layout().hosts[rank].client, rank);
    }
    EXPECT_EQ(job->layout().data_length, 65536U);
  }
  end();
}

TEST_F(ImpiTwoClients, ExchangeMessagesOfAllLengthsBothWaysAtOnce) {
  start(2);
  std::vector<std::vector<std::byte>> kept;
  for (const std::size_t length :
       std::initializer_list<std::size_t>{0, 1, 8, 65536, 65537, 200'000, 1'048'576, 8'388'608})
    kept.push_back(content(length, static_cast<unsigned>(kept.size())));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::uint32_t rank : {0U, 1U})
      jobs[rank]->send(1 - rank, static_cast<std::int32_t>(i), i % 2 == 0, kept[i]);
  }
  ASSERT_TRUE(until([&] { return jobs[0]->open_sends() + jobs[1]->open_sends() == 0; }));
  end();
  for (const auto& job : jobs) {
    ASSERT_EQ(job->contents().size(), kept.size());
    for (const auto& [tag, bytes] : job->contents())
      EXPECT_TRUE(bytes == kept[static_cast<std::size_t>(tag)]) << tag;
    EXPECT_GT(job->placed(), 0U);
  }
}

TEST_F(ImpiTwoClients, ThreeAreJoinedEachWithEach) {
  start(3);
  const auto bytes = content(300'000, 1);
  for (std::uint32_t from = 0; from < 3; ++from) {
    for (std::uint32_t to = 0; to < 3; ++to) {
      if (from != to) jobs[from]->send(to, static_cast<std::int32_t>(from), true, bytes);
    }
  }
  ASSERT_TRUE(until([&] {
    return std::all_of(jobs.begin(), jobs.end(),
                       [](const auto& job) { return job->open_sends() == 0; });
  }));
  end();
  for (const auto& job : jobs) {
    EXPECT_EQ(job->contents().size(), 2U);
    for (const auto& [tag, content] : job->contents()) EXPECT_TRUE(content == bytes) << tag;
  }
}

TEST_F(ImpiTwoClients, OneThatIsGoneIsNamedByTheOthersAndByTheServer) {
  start(3);
  jobs.pop_back();
  ASSERT_TRUE(until([&] { return !jobs[0]->lost().empty() && !jobs[1]->lost().empty(); }));
  for (const auto& job : jobs)
    EXPECT_THAT(job->lost(), HasSubstr("the connection with client 2 (host 2 at 127.0.0.12:"));
  for (const auto& job : jobs) job->sockets().finish();
  ASSERT_TRUE(
      until([&] { return jobs[0]->sockets().finished() && jobs[1]->sockets().finished(); }));
  for (const auto& job : jobs) job->sockets().send_fini();
  EXPECT_EQ(program->exit_code(), 1);
}

}  // namespace
}  // namespace lintel::testing
