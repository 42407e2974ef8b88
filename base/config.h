#pragma once
// Config: every setting of Lintel, as a plain struct that constructors take; and the one table from
// which the parser, lintel-info, the documentation and the warning about unknown variables are
// made.
//
// Values. The environment is not read here: environment.h does it, once. To add a setting, add a
// member of Config and a row in config_table.cpp. A default is only in Config.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace lintel {

enum class LogLevel : std::uint8_t { kError, kWarn, kInfo, kDebug, kTrace };
enum class DumpSignal : std::uint8_t { kNone, kUsr1, kUsr2 };

struct Config {
  std::string provider;                 // empty: direct
  std::string interface = "127.0.0.1";  // IPv4 address or interface name
  std::uint64_t port_base = 27000;      // pid 0 listens here, see doc/addressing.md
  // Payloads up to this length are sent inside their message.
  std::uint64_t eager_limit_bytes = 65536;
  Nanoseconds spin{100'000};  // a waiting call polls this long before it sleeps, sometimes longer
  // A peer that owes an answer and is silent for this long is dead.
  Nanoseconds peer_timeout{10'000'000'000};
  Nanoseconds connect_timeout{10'000'000'000};  // time limit of a first contact
  std::uint64_t window_frames = 64;             // unacknowledged frames per peer
  std::uint64_t send_frames = 128;              // frames under way, to all peers together
  std::uint64_t retained_bytes = 2048 * 1024;   // of messages to one peer, until acknowledged
  std::uint64_t receive_buffer_bytes = 262144;
  std::uint64_t receive_buffers = 4;
  // Outgoing operations that may be open at once.
  std::uint64_t max_operations = 65536;
  std::uint64_t memory_limit = 512 * 1024 * 1024;  // of what peers cause, see MemoryParts
  // Unexpected headers of one portal (Portals 4).
  std::uint64_t max_unexpected = 65536;
  // memory for messages without a posted receive (MPI)
  std::uint64_t mpi_unexpected_bytes = 64 * 1024 * 1024;
  // 1: Open MPI uses its component lintel
  std::uint64_t openmpi = 0;
  std::string impi;          // empty: the job is not part of an IMPI job
  std::string impi_native;   // client ranks, separated by commas
  std::uint64_t job_id = 0;  // 0: none
  std::string secret_file;   // empty: none
  std::string faults;        // fault plan, see transport/faulty
  LogLevel log_level = LogLevel::kWarn;
  std::string log_file;  // empty: standard error
  DumpSignal dump_signal = DumpSignal::kNone;
  std::string counters_file;  // empty: none; %p = process id
};

enum class SettingType : std::uint8_t {
  kString,
  kInterface,  // IPv4 address or name of a network interface
  kInteger,
  kSize,      // bytes; K, M, G suffixes are powers of 1024
  kDuration,  // ns, us, ms, s suffix
  kChoice,    // one word of `choices`
};

// One row of the table. Views point to literals.
struct Setting {
  std::string_view name;  // LINTEL_...
  SettingType type;
  std::string_view unit;  // empty: none
  std::uint64_t minimum;  // kInteger: number; kSize: bytes; kDuration: nanoseconds
  std::uint64_t maximum;
  std::span<const std::string_view> choices;  // kChoice: in the order of the member's enumerators
  std::string_view help;                      // full sentences
  std::variant<std::string Config::*, std::uint64_t Config::*, Nanoseconds Config::*,
               LogLevel Config::*, DumpSignal Config::*>
      member;
};

// The table, in the order of the documentation.
std::span<const Setting> settings();

// The value of `setting` in `config` as a user writes it; "" for an empty string.
std::string value_text(const Setting& setting, const Config& config);

// What `setting` accepts, as the end of a sentence: "an integer from 1 to 64".
std::string expected_text(const Setting& setting);

// Sets one member from `text`. Returns "" if it is accepted. Otherwise returns a sentence that
// names the variable, the value and what was expected, and does not change `config`.
std::string apply_setting(const Setting& setting, std::string_view text, Config& config);

struct ConfigReading {
  Config config;  // rejected values keep their default
  // Values that are out of range or malformed: Lintel must not start.
  std::vector<std::string> errors;
  std::vector<std::string> warnings;  // variables that begin with LINTEL_ and are not in the table
};

// Reads "NAME=value" strings up to a null pointer, as in environ. nullptr: no variables. An empty
// value counts as unset.
ConfigReading read_config(const char* const* variables);

}  // namespace lintel
