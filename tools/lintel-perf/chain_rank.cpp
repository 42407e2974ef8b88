#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "chain_link.h"
#include "clock.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

json state_of(const Chain* chain) {
  return {{"kind", "state"}, {"rounds", chain != nullptr ? chain->rounds_done() : 0}};
}

// Answers reports while rank 0's thread waits for the chain. Sleeps otherwise.
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
      // Whoever started this process may be gone.
      if (!link.receive()) std::_Exit(static_cast<int>(ExitCode::kFailed));
      link.send(state_of(&chain));
    }
  }

  int stop_;
  std::thread thread_;
};

class Rank {
 public:
  Rank(const ChainPlan& plan, const ChainLink& link) : plan_(plan), link_(link) {}

  void serve() {
    while (const auto message = link_.receive()) {
      const auto what = message->at("do").get<std::string>();
      if (what == "end") return;
      link_.send(obey(what, *message));
    }
  }

 private:
  json obey(const std::string& what, const json& message) {
    if (what == "report") return state_of(chain_.get());
    if (what == "open") {
      network_ = open_chain_interface();
      return {{"kind", "open"},
              {"nid", network_->name().nid},
              {"pid", network_->name().pid},
              {"max_triggered", network_->max_triggered()},
              {"max_atomic", network_->max_atomic()}};
    }
    if (what == "map") {
      std::vector<ProcessName> names;
      for (const json& name : message.at("names")) names.push_back({name.at(0), name.at(1)});
      network_->set_map(names);
      return {{"kind", "mapped"}};
    }
    if (what == "lay-out") {
      plan_.size = message.at("size");
      plan_.rounds = message.at("rounds");
      plan_.slots = message.at("slots");
      plan_.serial = message.at("serial");
      plan_.verify = message.at("verify");
      chain_ = network_->lay_out(plan_);
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
    if (what != "finish") fail("unknown message '{}'; expected one of chain_link.h", what);
    const std::uint64_t verified = plan_.verify ? chain_->verify() : 0;
    chain_.reset();
    return {{"kind", "finished"}, {"verified", verified}};
  }

  ChainPlan plan_;
  const ChainLink& link_;
  std::unique_ptr<ChainInterface> network_;
  std::unique_ptr<Chain> chain_;
};

// The interface stays open: closing it would wait for messages that nobody takes any more.
[[noreturn]] void end_failed(const ChainLink& link, ExitCode code, const char* sentence) {
  link.send({{"kind", "failed"}, {"code", code}, {"error", sentence}});
  std::_Exit(static_cast<int>(code));
}

}  // namespace

void serve_chain_rank(ChainKind kind, unsigned rank, unsigned processes,
                      const ChainLink& link) noexcept {
  Rank part({.kind = kind, .rank = rank, .processes = processes}, link);
  try {
    part.serve();
  } catch (const Failure& failure) {
    end_failed(link, failure.code(), failure.what());
  } catch (const std::exception& error) {
    end_failed(link, ExitCode::kFailed, error.what());
  }
}

}  // namespace lintel::perf
