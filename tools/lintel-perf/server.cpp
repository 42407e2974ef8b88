#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <limits>
#include <memory>
#include <thread>

#include "conversation.h"
#include "host.h"
#include "protocol.h"
#include "roles.h"
#include "traffic.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxMessages = 1'000'000'000;

std::uint64_t number(const json& request, const char* name, std::uint64_t max = kMaxMessages) {
  const auto value = request.at(name).get<std::uint64_t>();
  if (value > max) refuse("the client asks for {} {}; expected at most {}", value, name, max);
  return value;
}

// What a passive target does instead of calling Portals: computes without any system call but
// reading the clock. Returns how many rounds it managed.
std::uint64_t compute_for(Seconds time) {
  const auto end = Clock::now() + time;
  volatile double result = 1.0;
  std::uint64_t rounds = 0;
  while (Clock::now() < end) {
    double x = result;
    for (int i = 0; i < 10'000; ++i) x = x * 1.0000001 + 1e-9;
    result = x > 1e9 ? 1.0 : x;
    ++rounds;
  }
  return rounds;
}

// Or sleeps in one system call.
std::uint64_t sleep_for(Seconds time) {
  std::this_thread::sleep_for(time);
  return 0;
}

// The target's end of one conversation: carries out the client's requests until it says bye.
//
// Borrows the interface and the channel; owns the Side that the client asked for. Thread: one.
class TargetService {
 public:
  TargetService(Interface& network, ControlChannel& control, ptl_process_id_t client,
                Seconds deadline)
      : network_(network), control_(control), client_(network, control, client, deadline) {}

  // Returns when the client has said bye. Throws PeerLost when it has gone without.
  void serve() {
    static constexpr Seconds kForever{1e9};
    for (;;) {
      const auto message = client_.receive(kForever);
      if (!message) continue;
      const std::string kind = kind_of(message->body);
      if (client_.is(message->from)) {
        if (kind == "bye") return;
        if (kind == "request") answer(message->body);
      } else if (kind == "hello") {
        refuse_client(control_, message->from,
                      fmt::format("busy with the client {}", to_string(client_.id())));
      }
    }
  }

 private:
  void answer(const json& request) {
    json reply;
    try {
      reply = carry_out(request);
      reply["ok"] = true;
    } catch (const PeerLost&) {
      throw;
    } catch (const Failure& failure) {
      reply = {
          {"ok", false}, {"error", failure.what()}, {"code", static_cast<int>(failure.code())}};
    } catch (const std::exception& error) {
      reply = {{"ok", false},
               {"error", fmt::format("cannot carry out the request: {}", error.what())},
               {"code", 1}};
    }
    reply["number"] = request.value("number", std::uint64_t{0});
    client_.send(control_message("reply", reply));
  }

  json carry_out(const json& request) {
    const auto what = request.at("do").get<std::string>();
    json reply = json::object();
    if (what == "prepare") {
      side_.reset();
      const auto parameters = request.at("side").get<SideParameters>();
      side_ =
          std::make_unique<Side>(network_.timed(parameters.api), name_of(client_.id()), parameters);
    } else if (what == "release") {
      side_.reset();
    } else if (what == "be_absent") {
      const Seconds time(request.at("seconds").get<double>());
      const bool computes = request.at("mode").get<std::string>() == "compute";
      if (!(time.count() >= 0 && time.count() <= 3600)) {
        refuse("the client asks for an absence that is not between 0 and 3600 s");
      }
      client_.send(control_message("notice", {{"number", request.at("number")}}));
      reply["work"] = computes ? compute_for(time) : sleep_for(time);
    } else if (!use_region(what, request) && !use_slots(what, request) && !move(what, request)) {
      refuse("unknown request '{}'", what);
    }
    return reply;
  }

  // The requests that move messages, that concern slots, and that are about one region. Each
  // returns false if it is none of them.
  bool move(const std::string& what, const json& request) {
    if (what == "send_slots") {
      const auto count = number(request, "count", side().local_slots.size());
      watched(count, [&] { run_slots(side(), Action::kAckedPut, count, count); });
      return true;
    }
    const bool verified = what == "ping_pong_verified";
    const bool answers = verified || what == "ping_pong";
    if (!answers && what != "count_puts" && what != "send_window") return false;
    const auto messages = number(request, "messages");
    Operations& operations = *side().operations;
    if (answers && (!side().local || !side().exposed)) fail("ping_pong needs both kinds of memory");
    if (what == "send_window" && !side().local) fail("send_window needs local memory");
    if (what == "count_puts") {
      watched(1, [&] {
        operations.wait(Moment::kArrived, operations.count(Moment::kArrived) + messages);
      });
    } else if (what == "send_window") {
      const auto window = number(request, "window");
      watched(window, [&] { run_stream(side(), Action::kAckedPut, messages, window); });
    } else if (!verified) {
      watched(1, [&] { pong(side(), messages, [](std::uint64_t) {}); });
    } else {
      FirstFailure failure;
      watched(1, [&] {
        pong(side(), messages, [&](std::uint64_t i) {
          operations.settle();  // the memory that is filled next
          failure.note([&] { side().exposed->check(pattern_id(Origin::kInitiator, 0, i)); });
          side().local->fill(pattern(pattern_id(Origin::kTarget, 0, i)));
        });
      });
      failure.throw_if_any();
    }
    return true;
  }

  bool use_slots(const std::string& what, const json& request) {
    if (what != "fill_slots" && what != "check_slots") return false;
    const bool fills = what == "fill_slots";
    const auto count = number(request, "count", side().exposed_slots.size());
    const auto first = number(request, "first");
    const Origin origin = number(request, "origin", 1) == 0 ? Origin::kInitiator : Origin::kTarget;
    // Bytes made here leave from local memory where there is some, else the client fetches them.
    auto& slots = fills && !side().local_slots.empty() ? side().local_slots : side().exposed_slots;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto id = pattern_id(origin, 0, first + i);
      fills ? slots[i].fill(pattern(id)) : slots[i].check(id);
    }
    return true;
  }

  bool use_region(const std::string& what, const json& request) {
    const auto id = [&] {
      return number(request, "id", std::numeric_limits<std::uint64_t>::max());
    };
    if (what == "fill") {
      region(request).fill(pattern(id()));
    } else if (what == "poison") {
      region(request).fill(poison(id()));
    } else if (what == "check") {
      region(request).check(id());
    } else if (what == "begin_sums") {
      words().fill(sums(0));
    } else if (what == "check_sums") {
      words().check_sums(number(request, "times"));
    } else {
      return false;
    }
    return true;
  }

  Side& side() {
    if (!side_) fail("a request came before 'prepare'");
    return *side_;
  }

  Region& region(const json& request) {
    const auto what = request.at("what").get<std::string>();
    if (what == "exposed" && side().exposed) return *side().exposed;
    if (what == "local" && side().local) return *side().local;
    fail("there is no memory '{}' here; expected 'exposed' or 'local' as prepared", what);
  }

  Region& words() {
    if (!side().exposed || side().parameters.size % 8 != 0) {
      fail("sums need exposed memory of 64-bit words");
    }
    return *side().exposed;
  }

  template <class Traffic>
  void watched(std::uint64_t in_flight, Traffic traffic) {
    client_.watched(*side().operations, in_flight * side().parameters.size, traffic);
  }

  Interface& network_;
  ControlChannel& control_;
  OtherProcess client_;
  std::unique_ptr<Side> side_;
};

class Server {
 public:
  explicit Server(const Options& options)
      : options_(options),
        network_(options.pid == 0 ? PTL_PID_ANY : static_cast<ptl_pid_t>(options.pid)),
        control_(network_.handle()),
        self_(describe_self(network_, options.cpus.empty() ? -1 : options.cpus.back())) {
    network_.admit({PTL_NID_ANY, PTL_PID_ANY});
    accept_probes(network_.handle());
  }

  ExitCode run() {
    if (options_.announce_fd >= 0) {
      announce();
    } else {
      say("lintel-perf server at {}{}", self_.address,
          dotted(network_.id().nid).starts_with("127.")
              ? " (this machine only; --bind ADDR for others)"
              : "");
    }
    for (;;) {
      const ExitCode code = serve_one();
      if (options_.once) return code;
    }
  }

 private:
  // Tells the parent process of a local pair where to find this one.
  void announce() const {
    const ptl_process_id_t id = network_.id();
    if (::write(options_.announce_fd, &id, sizeof id) != sizeof id) {
      fail("cannot tell the parent process who this is");
    }
    ::close(options_.announce_fd);
  }

  ExitCode serve_one() {
    try {
      const auto [id, description] = await_client(control_, self_);
      say("client {} on {} begins", description.address, description.host);
      TargetService(network_, control_, id, Seconds(options_.deadline_seconds)).serve();
      say("client {} has finished", description.address);
      return ExitCode::kOk;
    } catch (const Failure& failure) {
      fmt::print(stderr, "lintel-perf: {}\n", failure.what());
      return failure.code();
    }
  }

  template <class... Arguments>
  void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    if (options_.announce_fd >= 0) return;
    fmt::print("{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
    std::fflush(stdout);
  }

  const Options& options_;
  Interface network_;
  ControlChannel control_;
  ProcessDescription self_;
};

}  // namespace

ExitCode run_server(const Options& options) {
  if (!options.cpus.empty()) pin_to_cpu(options.cpus.back());
  return Server(options).run();
}

}  // namespace lintel::perf
