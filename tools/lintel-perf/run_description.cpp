#include "run_description.h"

#include <fmt/format.h>

#include <cstdlib>

namespace lintel::perf {
namespace {

// What the APIs call the same.
struct Words {
  const char* wait;
  const char* sent;
  const char* ack;
  const char* reply;
  const char* swap;
};

const Words& words_of(const Settings& settings) {
  static constexpr Words kPortals3{"PtlEQWait", "SEND_END", "ACK", "REPLY_END", "PtlGetPut"};
  static constexpr Words kEvents{"PtlEQWait", "SEND", "ACK", "REPLY", "PtlSwap"};
  static constexpr Words kCounters{"PtlCTWait", "counted SEND", "counted ACK", "counted REPLY", "PtlSwap"};
  if (settings.api == Api::kPortals3) return kPortals3;
  return settings.notify == Notify::kEvents ? kEvents : kCounters;
}

std::string in_words(const char* text, const Settings& settings) {
  const Words& words = words_of(settings);
  return fmt::format(fmt::runtime(text), fmt::arg("wait", words.wait), fmt::arg("sent", words.sent), fmt::arg("ack", words.ack),
                     fmt::arg("reply", words.reply), fmt::arg("swap", words.swap));
}

}  // namespace

std::string provider_asked_for() {
  const char* provider = std::getenv("LINTEL_PROVIDER");
  return provider == nullptr ? "chosen by the library (see lintel-info)" : fmt::format("{} (LINTEL_PROVIDER)", provider);
}

std::string method_of(const RunDescription& run) { return in_words(run.measurement->method, run.settings); }

std::string completion_name(const Settings& settings) {
  return in_words(settings.completion == Completion::kRemote
                      ? "remote (a put is done with its {ack}: the target has the bytes)"
                      : "local (a put is done with its {sent}: its memory may be used again); the time ends when the target has all puts",
                  settings);
}

}  // namespace lintel::perf
