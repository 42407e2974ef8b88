#pragma once
// TwoJobs: two jobs of one process each, connected by crossings.
//
// Packets go directly from one to the other, in the order in which they were sent, when settle()
// delivers them. In each job number 0 of the messenger is its own process, and number 1 is the
// other job's.

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "mpi_layer/impi/gateway/impi_gateway.h"
#include "tests/mpi_layer/p2p/messenger_job.h"

namespace lintel::testing {

struct TwoJobsOptions {
  std::uint32_t data_bytes = 1000;
  std::uint32_t outside_headers = 64;
  std::size_t ahead = 4;  // packets that may wait before the rest of a long message must wait
};

class TwoJobs {
 public:
  static constexpr std::int32_t kThere = 1;  // the other job's process

  explicit TwoJobs(const TwoJobsOptions& options = {}) {
    for (std::size_t job = 0; job < 2; ++job)
      sides_[job] = std::make_unique<Side>(options, static_cast<std::int64_t>(job));
    for (std::size_t job = 0; job < 2; ++job) sides_[job]->other = sides_[1 - job].get();
  }
  ~TwoJobs() {
    kLock.is_held();
    for (auto& side : sides_) side->messenger().outside().set_gateway(nullptr);
    for (auto& side : sides_) side->job.reset();
  }

  mpi::Messenger& at(std::size_t job) { return sides_[job]->messenger(); }
  Error on_packet(std::size_t job, const mpi::impi::Packet& packet) {
    kLock.is_held();
    return sides_[job]->gateway->on_packet(packet, {});
  }
  bool idle(std::size_t job) const {
    kLock.is_held();
    return sides_[job]->gateway->idle();
  }
  // Packets of one job that have not arrived.
  std::size_t under_way(std::size_t from) const { return sides_[from]->packets.size(); }
  // Delivers one packet of `from`. REQUIRES: there is one.
  void pass_one(std::size_t from) {
    Side& side = *sides_[from];
    const auto [packet, data] = std::move(side.packets.front());
    side.packets.pop_front();
    kLock.is_held();
    EXPECT_TRUE(side.other->gateway->on_packet(packet, data).ok());
    side.other->messenger().handle_events();
    side.other->gateway->deliver_waiting();
    side.gateway->resume();
  }
  // Delivers until nothing is under way.
  void settle() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t job = 0; job < 2; ++job) {
        again = again || at(job).progress() > 0;
        deliver_waiting(job);
        while (under_way(job) > 0) {
          pass_one(job);
          again = true;
        }
      }
    }
  }

 private:
  void deliver_waiting(std::size_t job) {
    kLock.is_held();
    sides_[job]->gateway->deliver_waiting();
  }

  struct Side final : mpi::impi::PacketSender {
    Side(const TwoJobsOptions& options, std::int64_t number) : ahead(options.ahead) {
      MessengerJobOptions opened;
      opened.processes = 1;
      opened.messenger.outside_headers = options.outside_headers;
      opened.messenger.unexpected_headers = opened.messenger.least_headers = 1;
      job = std::make_unique<MessengerJob>(opened);
      EXPECT_EQ(messenger().add_outside(), mpi::CallError::kNone);
      mpi::impi::JobLayout layout;
      layout.data_length = options.data_bytes;
      for (const std::int64_t pid : {number, 1 - number})
        layout.procs.push_back({{mpi::impi::host_id_of(0x7f000001), 100 + pid}, 0});
      gateway = std::make_unique<mpi::impi::ImpiGateway>(messenger(), layout, 0, *this);
      kLock.is_held();
      messenger().outside().set_gateway(gateway.get());
    }
    mpi::Messenger& messenger() { return job->at(0); }
    void send(const mpi::impi::Packet& packet, std::span<const std::byte> data) override {
      packets.emplace_back(packet, std::vector<std::byte>(data.begin(), data.end()));
    }
    bool takes_more(const mpi::impi::ProcId&, const mpi::impi::ProcId&) override {
      return packets.size() < ahead;
    }

    std::size_t ahead;
    std::unique_ptr<MessengerJob> job;
    std::unique_ptr<mpi::impi::ImpiGateway> gateway;
    std::deque<std::pair<mpi::impi::Packet, std::vector<std::byte>>> packets;
    Side* other = nullptr;
  };

  std::array<std::unique_ptr<Side>, 2> sides_;
};

}  // namespace lintel::testing
