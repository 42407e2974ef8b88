// Packets between the agent of a job and its other processes.

#include <gtest/gtest.h>

#include <string>

#include "mpi_layer/impi/gateway/packet_relay.h"
#include "mpi_layer/p2p/gateway.h"
#include "tests/mpi_layer/p2p/messenger_job.h"

namespace lintel::testing {
namespace {

using mpi::impi::Packet;
using mpi::impi::PacketRelay;

constexpr std::uint32_t kDataBytes = 5000;  // some of it over the eager limit

class PassesOn final : public mpi::Gateway {
 public:
  bool send(const mpi::SendArguments&, mpi::SendRequest&) override { return true; }
  void cancel(mpi::SendRequest&) override {}
  void receive(std::int32_t, std::uint64_t, std::span<std::byte>, mpi::ReceiveRequest&) override {}
  void on_relay_end(mpi::SendRequest& request) override LINTEL_REQUIRES(kLock) {
    PacketRelay::on_end(request);
  }
  void on_relay_end(mpi::ReceiveRequest& request) override LINTEL_REQUIRES(kLock) {
    PacketRelay::on_end(request);
  }
};

class ImpiPacketRelay : public ::testing::Test {
 protected:
  struct End {
    std::vector<std::pair<Packet, std::vector<std::byte>>> packets;
    unsigned left = 0;
    unsigned broken = 0;
    std::unique_ptr<PacketRelay> relay;
  };

  ImpiPacketRelay() {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      kLock.is_held();
      job.at(rank).outside().set_gateway(&gateway_);
      End& end = ends[rank];
      end.relay = std::make_unique<PacketRelay>(
          job.at(rank), static_cast<std::int32_t>(1 - rank), kDataBytes,
          PacketRelay::RelayEvents{
              [this, &end, rank](const Packet& packet, std::span<const std::byte> data) {
                kLock.is_held();
                if (handle_more) job.at(rank).handle_events();
                end.packets.emplace_back(packet, std::vector<std::byte>(data.begin(), data.end()));
                return Error();
              },
              [&end] { ++end.left; }, [&end](const Error&) { ++end.broken; }});
    }
  }
  void TearDown() override {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      kLock.is_held();
      job.at(rank).outside().set_gateway(nullptr);
      job.close(rank);
    }
  }
  void send(std::size_t from, const Packet& packet, std::span<const std::byte> data) {
    kLock.is_held();
    ends[from].relay->send(packet, data);
  }
  std::size_t backlog(std::size_t from) {
    kLock.is_held();
    return ends[from].relay->backlog();
  }
  static Packet packet(std::uint64_t number, std::uint32_t length) {
    Packet made;
    made.length = length;
    made.message_length = length;
    made.source_request = number;
    return made;
  }

  MessengerJob job{MessengerJobOptions{}};
  std::array<End, 2> ends;
  bool handle_more = false;

 private:
  PassesOn gateway_;
};

TEST_F(ImpiPacketRelay, PacketsArriveWholeAndInTheirOrder) {
  std::vector<std::vector<std::byte>> sent;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto length = static_cast<std::uint32_t>(i % 3 == 0 ? kDataBytes - i : i);
    sent.emplace_back(length, static_cast<std::byte>(i));
    send(0, packet(i, length), sent.back());
  }
  EXPECT_GT(backlog(0), 0U);
  job.settle();
  ASSERT_EQ(ends[1].packets.size(), sent.size());
  for (std::uint64_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(ends[1].packets[i].first, packet(i, static_cast<std::uint32_t>(sent[i].size())));
    EXPECT_EQ(ends[1].packets[i].second, sent[i]);
  }
  EXPECT_EQ(backlog(0), 0U);
  EXPECT_EQ(ends[0].left, sent.size());
  EXPECT_EQ(ends[0].broken + ends[1].broken, 0U);
}

TEST_F(ImpiPacketRelay, APacketIsDeliveredOnceThoughItsHandlerReceivesMore) {
  handle_more = true;
  for (std::uint64_t i = 0; i < 50; ++i) send(0, packet(i, 0), {});
  job.settle();
  ASSERT_EQ(ends[1].packets.size(), 50U);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(ends[1].packets[i].first.source_request, i);
}

TEST_F(ImpiPacketRelay, BytesThatAreNoPacketEndIt) {
  const std::vector<std::byte> bytes(100);
  mpi::SendRequest request;
  EXPECT_EQ(job.at(0).send(
                {bytes.data(), bytes.size(), 1, mpi::kRelayContext, 0, mpi::SendMode::kStandard},
                request),
            mpi::CallError::kNone);
  job.settle();
  EXPECT_TRUE(job.at(0).test(request));
  EXPECT_EQ(ends[1].broken, 1U);
  send(0, packet(1, 0), {});
  job.settle();
  EXPECT_TRUE(ends[1].packets.empty());
}

TEST_F(ImpiPacketRelay, APacketOfAnotherLengthThanItSaysEndsIt) {
  const std::vector<std::byte> data(10);
  send(0, packet(1, 11), data);
  job.settle();
  EXPECT_EQ(ends[1].broken, 1U);
  EXPECT_TRUE(ends[1].packets.empty());
}

TEST_F(ImpiPacketRelay, TheDeathOfTheOtherProcessEndsIt) {
  send(0, packet(1, 0), {});
  job.settle();
  job.kill(1, transport::Death::kNoticed);
  job.settle();
  EXPECT_EQ(ends[0].broken, 1U);
}

TEST_F(ImpiPacketRelay, AnExpectedEndIsNoNews) {
  send(0, packet(1, 0), {});
  job.settle();
  kLock.is_held();
  ends[0].relay->expect_end();
  job.kill(1, transport::Death::kNoticed);
  job.settle();
  EXPECT_EQ(ends[0].broken, 0U);
}

}  // namespace
}  // namespace lintel::testing
