#include "api4/chain_rank.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api4/chain.h"
#include "chain_link.h"
#include "failure.h"
#include "pass_timer.h"

namespace lintel::perf {
namespace {

using chains::Chain;
using chains::ChainPlan;
using chains::RankInterface;
using nlohmann::json;

void report(const ChainLink& link, const Chain* chain) {
  link.send({{"kind", "state"}, {"rounds", chain != nullptr ? chain->rounds_done() : 0}});
}

// Answers reports while rank 0's thread waits in PtlCTWait. Sleeps otherwise.
class Listener {
 public:
  Listener(const ChainLink& link, const Chain& chain)
      : stop_(::eventfd(0, EFD_CLOEXEC)), thread_([this, &link, &chain] { run(link, chain); }) {}
  ~Listener() {
    static_cast<void>(::eventfd_write(stop_, 1));
    thread_.join();
    ::close(stop_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  void run(const ChainLink& link, const Chain& chain) const {
    for (;;) {
      pollfd waits[]{{stop_, POLLIN, 0}, {link.descriptor(), POLLIN, 0}};
      if (::poll(waits, 2, -1) < 0) continue;
      if (waits[0].revents != 0) return;
      if (!link.receive()) std::_Exit(static_cast<int>(ExitCode::kFailed));  // whoever started this process is gone
      report(link, &chain);
    }
  }

  int stop_;
  std::thread thread_;
};

class Rank {
 public:
  Rank(ChainKind kind, unsigned rank, unsigned processes, const ChainLink& link)
      : kind_(kind), rank_(rank), processes_(processes), link_(link) {}

  void serve() {
    while (const auto message = link_.receive()) {
      const auto what = message->at("do").get<std::string>();
      if (what == "end") return;
      if (what == "report") {
        report(link_, chain_.get());
      } else {
        link_.send(obey(what, *message));
      }
    }
  }

 private:
  json obey(const std::string& what, const json& message) {
    if (what == "open") return open();
    if (what == "map") {
      std::vector<ptl_process_t> names;
      for (const json& name : message.at("names")) names.push_back({.phys = {.nid = name.at(0), .pid = name.at(1)}});
      network_->set_map(names);
      return {{"kind", "mapped"}};
    }
    if (what == "lay-out") {
      chain_ = make_chain(kind_, *network_, plan_of(message));
      chain_->lay_out();
      return {{"kind", "ready"}};
    }
    if (what == "enter") {
      chain_->enter();
      return {{"kind", "asleep"}};
    }
    if (what == "start") {
      const Listener listener(link_, *chain_);
      return {{"kind", "done"}, {"seconds", seconds_of([this] { chain_->run(); })}};
    }
    if (what == "settle") {
      chain_->settle(std::chrono::milliseconds(message.at("limit_ms").get<std::int64_t>()));
      return {{"kind", "settled"}};
    }
    if (what != "finish") throw Failure(ExitCode::kFailed, "unknown message '" + what + "'; expected one of chain_link.h");
    const std::uint64_t verified = verify_ ? chain_->verify() : 0;
    chain_.reset();
    return {{"kind", "finished"}, {"verified", verified}};
  }

  json open() {
    network_ = std::make_unique<RankInterface>();
    const ptl_process_t id = network_->physical_id();
    const ptl_ni_limits_t& limits = network_->limits();
    return {{"kind", "open"},
            {"nid", id.phys.nid},
            {"pid", id.phys.pid},
            {"max_triggered", limits.max_triggered_ops},
            {"max_atomic", limits.max_atomic_size}};
  }

  ChainPlan plan_of(const json& message) {
    verify_ = message.at("verify");
    return {.rank = rank_,
            .processes = processes_,
            .size = message.at("size"),
            .rounds = message.at("rounds"),
            .slots = message.at("slots"),
            .serial = message.at("serial"),
            .verify = verify_};
  }

  const ChainKind kind_;
  const unsigned rank_;
  const unsigned processes_;
  const ChainLink& link_;
  bool verify_ = false;
  std::unique_ptr<RankInterface> network_;
  std::unique_ptr<Chain> chain_;
};

// The interface stays open: closing it would wait for messages that nobody takes any more.
[[noreturn]] void fail(const ChainLink& link, ExitCode code, const char* sentence) {
  link.send({{"kind", "failed"}, {"code", code}, {"error", sentence}});
  std::_Exit(static_cast<int>(code));
}

}  // namespace

void serve_chain_rank(ChainKind kind, unsigned rank, unsigned processes, int descriptor) noexcept {
  const ChainLink link(descriptor);
  Rank part(kind, rank, processes, link);
  try {
    part.serve();
  } catch (const Failure& failure) {
    fail(link, failure.code(), failure.what());
  } catch (const std::exception& error) {
    fail(link, ExitCode::kFailed, error.what());
  }
}

}  // namespace lintel::perf
