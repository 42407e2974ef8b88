// Passes of operations, timed as a whole: latencies, bandwidths and rates.

#include <algorithm>
#include <optional>

#include "peer.h"

namespace lintel::perf {
namespace {

// Of a verified window: its messages, and their bytes.
constexpr std::uint64_t kMostSlots = 256;
constexpr std::uint64_t kWindowMemory = std::uint64_t{64} << 20;
// Messages that the target prepares at a time, also when they are fetched one by one.
constexpr std::uint64_t kGetSlots = 64;

class Timed {
  using enum MeasuredAction;
  using enum TrafficShape;

 public:
  Timed(const PairRun& run, const MeasurementPart& part)
      : run_(run),
        part_(part),
        settings_(run.settings),
        one_by_one_(part.shape == kPingPong || part.shape == kAlone),
        window_(one_by_one_ ? 1 : settings_.window),
        local_(part.action == kAckedPut && settings_.completion == PutCompletion::kLocal),
        action_(local_ ? kPut : part.action),
        row_{.size_bytes = run.size, .iterations = settings_.iterations_for(run.size, one_by_one_)},
        side_(run.side(side_parameters())) {
    row_.warm_up = settings_.warm_up_for(row_.iterations);
    if (adds() && run_.initiator) side_.local[0].fill(operands());
  }

  TableRow measure() {
    if (settings_.validate) verify();
    const std::vector<double> seconds = time_passes();
    const auto messages = static_cast<double>((part_.shape == kBothWays ? 2 : 1) * row_.iterations);
    row_.metrics = part_.metrics;
    for (Metric& metric : row_.metrics) {
      const bool rate = metric.quantity == MeasuredQuantity::kMessageRate;
      const double amount = rate ? messages : messages * static_cast<double>(run_.size);
      for (const double pass : seconds) {
        metric.passes.push_back(one_by_one_ ? share() / messages * pass : amount / pass);
      }
    }
    if (one_by_one_ && settings_.percentiles) row_.metrics[0].distribution = time_singles();
    return row_;
  }

 private:
  using Nothing = decltype([](std::uint64_t) {});

  bool adds() const { return action_ == kAdd || action_ == kFetchAdd; }
  // The part of an operation that is reported: half of a round trip.
  double share() const { return part_.shape == kPingPong ? 0.5 : 1; }

  SideParameters side_parameters() const {
    const bool both = part_.shape == kPingPong || part_.shape == kBothWays;
    SideParameters side{.events = std::max(SideParameters().events, 4 * window_ + 64),
                        .exposed = both || !run_.initiator,
                        .exposed_events = part_.shape == kPingPong || (local_ && !run_.initiator),
                        .local = both || run_.initiator,
                        .fetched = run_.initiator && (action_ == kSwap || action_ == kFetchAdd)};
    if (!side.local) {
      side.events = local_ ? std::clamp<std::uint64_t>(row_.iterations, 64, 65536) : 64;
    }
    if (settings_.validate && (part_.action == kGet || part_.action == kAckedPut)) {
      const std::uint64_t window = part_.action == kGet ? std::max(window_, kGetSlots) : window_;
      side.slots =
          std::clamp<std::uint64_t>(kWindowMemory / run_.size, 1, std::min(window, kMostSlots));
    }
    return side;
  }

  // This process's part in `count` operations. before(i) and after(i) run around swaps and fetches
  // that are alone, or before each put and after each arrival of a ping-pong.
  template <class Before = Nothing, class After = Nothing>
  void traffic(std::uint64_t count, Before before = {}, After after = {}) {
    switch (part_.shape) {
      case TrafficShape::kPingPong: return ping_pong(side_, run_.initiator, count, before, after);
      case TrafficShape::kAlone:
        for (std::uint64_t i = 0; run_.initiator && i < count; ++i) {
          before(i);
          run_window(side_, action_, 1, 1);
          // Its new contents may change now.
          if (action_ == MeasuredAction::kSwap) side_.operations->settle();
          after(i);
        }
        return;
      case TrafficShape::kBothWays:
        // The time runs from before the target is told to begin until both have every ack.
        run_.synchronize();
        run_window(side_, action_, count, window_);
        side_.operations->settle();
        return run_.synchronize(time_for(count * run_.size));
      default: break;
    }
    // One way: until the target has all messages, each acknowledged, or each sent here and counted
    // there.
    if (run_.initiator) {
      run_window(side_, action_, count, window_);
      side_.operations->settle();
      if (local_) run_.peer.await();
    } else if (local_) {
      side_.operations->wait(CompletionKind::kPut,
                             side_.operations->count(CompletionKind::kPut) + count);
      run_.peer.tell();
    }
  }

  // Gives a pass a message of its own.
  void prepare(std::uint64_t pass) {
    if (adds()) return fill(side_.exposed, sums(0));
    place(pass, 0, 0);
  }

  // Fills the memory that message `i` of a pass comes from, and overwrites the memory where it
  // arrives, so that the bytes there can only have come with it.
  void place(std::uint64_t pass, std::uint64_t i, std::uint64_t slot) {
    fill(sources(), pattern(run_.mine(pass, i)), slot);
    fill(sinks(), poison(run_.theirs(pass, i)), slot);
  }

  void check(std::uint64_t pass) {
    if (adds()) {
      check_sums(side_.exposed, row_.iterations);
      return check_sums(side_.fetched, row_.iterations - 1);
    }
    check(sinks(), run_.theirs(pass));
    // The last swap but one has left the same.
    if (row_.iterations > 1) check(side_.fetched, run_.mine(pass));
  }

  // Where messages come from and arrive, the memory of timed operations first.
  std::vector<Region>& sources() { return part_.action == kGet ? side_.exposed : side_.local; }
  std::vector<Region>& sinks() { return part_.action == kGet ? side_.local : side_.exposed; }

  // The region `index`, if this side has it.
  static void fill(std::vector<Region>& regions, const WordSequence& content,
                   std::uint64_t index = 0) {
    if (!regions.empty()) regions[index].fill(content);
  }
  static void check(const std::vector<Region>& regions, std::uint64_t id, std::uint64_t index = 0) {
    if (!regions.empty()) regions[index].check(id);
  }
  static void check_sums(const std::vector<Region>& regions, std::uint64_t times) {
    if (!regions.empty()) regions[0].check_sums(times);
  }

  // Does `work` under watch, between two barriers.
  template <class Work>
  void synchronized(Work work) {
    const Seconds allowance = time_for(row_.iterations * run_.size);
    run_.synchronize(allowance);
    {
      const PairPeer::Watch watch(run_.peer, *side_.operations, time_for(window_ * run_.size));
      work();
    }
    run_.synchronize(allowance);
  }

  std::vector<double> time_passes() {
    std::vector<double> seconds;
    synchronized([this] { traffic(row_.warm_up); });
    for (std::uint64_t pass = 1; pass <= settings_.repeats; ++pass) {
      if (settings_.validate) prepare(pass);
      synchronized([&] { seconds.push_back(seconds_of([this] { traffic(row_.iterations); })); });
      if (settings_.validate) check(pass);
    }
    return seconds;
  }

  // One more pass. Only the initiator has samples.
  std::optional<Percentiles> time_singles() {
    std::vector<double> samples;
    samples.reserve(row_.iterations);
    synchronized([&] {
      if (!run_.initiator) return traffic(row_.iterations);
      auto last = Clock::now();
      for (std::uint64_t i = 0; i < row_.iterations; ++i) {
        traffic(1);
        const auto now = Clock::now();
        samples.push_back(share() * Seconds(now - last).count());
        last = now;
      }
    });
    if (samples.empty()) return std::nullopt;
    return percentiles_of(std::move(samples));
  }

  // Compares every byte of as many messages as a pass has, each different from the others.
  void verify() {
    row_.verified_messages = row_.iterations;
    if (part_.shape == kPingPong || part_.shape == kBothWays) {
      row_.verified_messages *= 2;
    }
    if (part_.shape == kPingPong || action_ == kSwap || action_ == kFetchAdd) {
      verify_singly();
    } else if (action_ == kAdd) {
      row_.verified_messages *= settings_.repeats;  // the sums of each pass are compared
    } else {
      verify_in_slots();
    }
  }

  // Message after message. A fetch brings back what the one before it left, so that both directions
  // are compared. The first failure is told after all messages, so that the other process is not
  // left waiting.
  void verify_singly() {
    const bool fetches = part_.shape == kAlone;
    const std::uint64_t first = pattern_id(Origin::kTarget, 0, 0);
    std::optional<PerfFailure> failure;
    const auto fill_next = [&](std::uint64_t i) {
      if (!adds()) fill(side_.local, pattern(run_.mine(0, i)));
    };
    const auto check_arrival = [&](std::uint64_t i) {
      side_.operations->settle();  // the memory that is filled next
      try {
        if (!fetches) return check(side_.exposed, run_.theirs(0, i));
        if (adds()) return check_sums(side_.fetched, i);
        check(side_.fetched, i == 0 ? first : run_.mine(0, i - 1));
      } catch (const PerfFailure& wrong) {
        if (!failure) failure = wrong;
      }
    };
    if (fetches) fill(side_.exposed, adds() ? sums(0) : pattern(first));
    synchronized([&] { traffic(row_.iterations, fill_next, check_arrival); });
    if (failure) throw PerfFailure(*failure);
    if (!fetches) return;
    if (adds()) return check_sums(side_.exposed, row_.iterations);
    check(side_.exposed, run_.theirs(0, row_.iterations - 1));
  }

  // Each message of a window has memory of its own.
  void verify_in_slots() {
    const MeasuredAction action = local_ ? kAckedPut : action_;
    const std::uint64_t slots = side_.parameters.slots;
    for (std::uint64_t done = 0, count = 0; done < row_.iterations; done += count) {
      count = std::min(slots, row_.iterations - done);
      for (std::uint64_t slot = 1; slot <= count; ++slot) place(0, done + slot - 1, slot);
      synchronized([&] {
        if (!side_.local.empty()) run_window(side_, action, count, window_, true);
        side_.operations->settle();
      });
      for (std::uint64_t slot = 1; slot <= count; ++slot) {
        check(sinks(), run_.theirs(0, done + slot - 1), slot);
      }
    }
  }

  const PairRun& run_;
  const MeasurementPart& part_;
  const Settings& settings_;
  const bool one_by_one_;
  const std::uint64_t window_;
  const bool local_;
  const MeasuredAction action_;
  TableRow row_;
  PairSide side_;
};

}  // namespace

TableRow measure_timed(const PairRun& run, const MeasurementPart& part) {
  return Timed(run, part).measure();
}

}  // namespace lintel::perf
