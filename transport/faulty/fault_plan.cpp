#include "transport/faulty/fault_plan.h"

#include <charconv>

#include "base/quantity.h"

namespace lintel::transport {

namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string wrong(std::string_view item, std::string_view expected) {
  return "fault plan: " + quoted(item) + " is not understood; expected " + std::string(expected);
}

std::optional<double> parse_probability(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    return std::nullopt;
  return value;
}

// "a:b" -> a, b. Empty b when there is no colon.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string parse_probability_item(std::string_view item, std::string_view name,
                                   std::string_view value, double& into) {
  const auto probability = parse_probability(value);
  if (!probability) return wrong(item, std::string(name) + "=P, P from 0 to 1");
  into = *probability;
  return "";
}

std::string parse_item(std::string_view item, FaultPlan& plan) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
  if (name == "seed") {
    const auto seed = parse_integer(value);
    if (!seed) return wrong(item, "seed=N, a number without sign");
    plan.seed = *seed;
    return "";
  }
  if (name == "drop") return parse_probability_item(item, name, value, plan.drop);
  if (name == "duplicate") return parse_probability_item(item, name, value, plan.duplicate);
  if (name == "write_error") return parse_probability_item(item, name, value, plan.write_error);
  if (name == "post_failure") return parse_probability_item(item, name, value, plan.post_failure);
  if (name == "reset") return parse_probability_item(item, name, value, plan.reset);
  const auto [first, second] = split(value);
  if (name == "delay") {
    const auto probability = parse_probability(first);
    const auto longest = parse_duration(second);
    if (!probability || !longest)
      return wrong(item, "delay=P:D, P from 0 to 1, D a duration such as 1ms");
    plan.delay = *probability;
    plan.longest_delay = *longest;
    return "";
  }
  if (name == "block") {
    const auto probability = parse_probability(first);
    const auto calls = parse_integer(second);
    if (!probability || !calls || *calls == 0)
      return wrong(item, "block=P:N, P from 0 to 1, N calls from 1");
    plan.block = *probability;
    plan.block_calls = *calls;
    return "";
  }
  if (name == "death" || name == "silent_death") {
    const auto pid = parse_integer(first);
    const auto nth = parse_integer(second);
    if (!pid || *pid > 0xffffffffU || !nth || *nth == 0)
      return wrong(item, std::string(name) + "=PID:N, N messages from 1");
    plan.death =
        FaultPlan::PeerDeath{Pid{static_cast<std::uint32_t>(*pid)}, *nth, name == "silent_death"};
    return "";
  }
  return wrong(item,
               "one of seed, drop, duplicate, delay, block, write_error, post_failure, reset, "
               "death, silent_death, and =");
}

}  // namespace

std::string parse_fault_plan(std::string_view text, FaultPlan& plan) {
  FaultPlan parsed;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (std::string error = parse_item(text.substr(0, comma), parsed); !error.empty()) return error;
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return wrong(",", "another fault after the comma");
  }
  plan = parsed;
  return "";
}

}  // namespace lintel::transport
