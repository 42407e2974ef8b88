#pragma once
// Every setting of Lintel: the plain struct that constructors take, and the one table from which
// parsing, lintel-info, the documentation and the warning about unknown variables all come.
//
// Values. Nothing here reads the process' environment: environment.h does, once. A setting is added
// by a member of Config and a row in config_table.cpp; a default lives in Config alone.

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
  std::string provider;                         // empty: chosen by what the providers offer
  std::string interface = "127.0.0.1";          // IPv4 address or interface name
  std::uint64_t port_base = 27000;              // pid 0 listens here, see doc/addressing.md
  std::uint64_t eager_limit_bytes = 65536;      // payloads up to this travel inside their message
  Nanoseconds spin{100'000};                    // a waiting call polls this long before it sleeps,
                                                // at times longer
  Nanoseconds peer_timeout{10'000'000'000};     // silence after which a peer that owes an answer is
                                                // dead
  Nanoseconds connect_timeout{10'000'000'000};  // time that a first contact may take
  std::uint64_t window_frames = 64;             // unacknowledged frames per peer
  std::uint64_t send_frames = 64;               // frames under way to all peers together
  std::uint64_t receive_buffer_bytes = 262144;
  std::uint64_t receive_buffers = 4;
  // outgoing operations that may be open at once
  std::uint64_t max_operations = 65536;
  // unexpected headers of one portal (Portals 4)
  std::uint64_t max_unexpected = 65536;
  // memory for messages that no receive has been posted for (MPI)
  std::uint64_t mpi_unexpected_bytes = 64 * 1024 * 1024;
  // 1: Open MPI is to use its component lintel
  std::uint64_t openmpi = 0;
  std::string impi;          // empty: the job is all there is
  std::string impi_native;   // client ranks with commas between them
  std::uint64_t job_id = 0;  // 0: none
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
  std::string_view unit;  // empty when there is none
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

// The value of `setting` in `config` as a user would write it; "" for an empty string.
std::string value_text(const Setting& setting, const Config& config);

// What `setting` accepts, as the end of a sentence: "an integer from 1 to 64".
std::string expected_text(const Setting& setting);

// Sets one member from `text`. Returns "" when it is accepted; else a sentence that names the
// variable, the value and what was expected, and `config` is unchanged.
std::string apply_setting(const Setting& setting, std::string_view text, Config& config);

struct ConfigReading {
  Config config;                      // rejected values keep their default
  std::vector<std::string> errors;    // values out of range or not understood: Lintel must not
                                      // start
  std::vector<std::string> warnings;  // variables that begin with LINTEL_ and are not in the table
};

// Reads "NAME=value" strings up to a null pointer, as in environ. nullptr: no variables. An empty
// value counts as unset.
ConfigReading read_config(const char* const* variables);

}  // namespace lintel
