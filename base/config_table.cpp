#include <array>
#include <cstdint>
#include <limits>

#include "base/config.h"

namespace lintel {
namespace {

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kKilobyte = 1024;
constexpr std::uint64_t kMegabyte = 1024 * kKilobyte;

constexpr std::array<std::string_view, 5> kLogLevels{"error", "warn", "info", "debug", "trace"};
constexpr std::array<std::string_view, 3> kDumpSignals{"none", "USR1", "USR2"};

// clang-format off
constexpr Setting kSettings[] = {
    {"LINTEL_PROVIDER", SettingType::kString, "", 0, 0, {},
     "The network to use, by its name: direct, which is TCP without libfabric, or a provider of "
     "libfabric: net, tcp, tcp;ofi_rxm, verbs;ofi_rxm, shm. Unset: direct. lintel-info "
     "--providers lists all, and says why one is used or not.",
     &Config::provider},
    {"LINTEL_INTERFACE", SettingType::kInterface, "", 0, 0, {},
     "The one network interface that a process listens on and sends from. Its IPv4 address is the "
     "process' node id. Lintel never listens on all addresses.",
     &Config::interface},
    {"LINTEL_PORT_BASE", SettingType::kInteger, "", 1024, 64512, {},
     "TCP port of process id 0; the rule for other process ids is in doc/addressing.md. All "
     "processes that talk to each other must agree on it.",
     &Config::port_base},
    {"LINTEL_EAGER_LIMIT", SettingType::kSize, "bytes", 0, 1 * kMegabyte, {},
     "Data up to this length, if a message of the provider has room for them (64 KiB on TCP), "
     "travel in one message with their header. Longer data move straight into the matched memory, "
     "after one more exchange of messages.",
     &Config::eager_limit_bytes},
    {"LINTEL_SPIN", SettingType::kDuration, "", 0, 10 * kSecond, {},
     "How long a call that waits for an event polls before it sleeps. After a sleep that was "
     "shorter than ten times this value, it polls up to ten times as long once, and more often if "
     "that helps. A larger value gives shorter reaction times and needs more processor time.",
     &Config::spin},
    {"LINTEL_PEER_TIMEOUT", SettingType::kDuration, "", 100'000 * kMicrosecond, 3600 * kSecond, {},
     "A peer that owes an answer and sends nothing for this long counts as dead: all operations "
     "with it end with a failure. During a large transfer each 16 MiB that are written count as "
     "an answer.",
     &Config::peer_timeout},
    {"LINTEL_CONNECT_TIMEOUT", SettingType::kDuration, "", 10'000 * kMicrosecond, 3600 * kSecond,
     {},
     "How long the first contact with a peer may take before operations with it end with a "
     "failure.",
     &Config::connect_timeout},
    {"LINTEL_WINDOW", SettingType::kInteger, "frames", 2, 1024, {},
     "Frames that may be on their way to one peer without an acknowledgement.",
     &Config::window_frames},
    {"LINTEL_SEND_FRAMES", SettingType::kInteger, "frames", 8, 65536, {},
     "Frames that may be on their way to all peers together, at most a quarter of them to one "
     "peer. Each peer has two of its own if none is left, up to 8 times as many in all. Each has "
     "memory for one message of the provider, 68 KiB on TCP, which becomes resident when it is "
     "used.",
     &Config::send_frames},
    {"LINTEL_RETAIN", SettingType::kSize, "bytes", 64 * kKilobyte, 1024 * kMegabyte, {},
     "Bytes of messages to one peer that are kept until it has acknowledged them, to be sent again "
     "if the connection is lost; of direct. At the limit, what is sent to the peer waits. Data of "
     "large transfers are not copied, so they do not count.",
     &Config::retained_bytes},
    {"LINTEL_RECEIVE_BUFFER", SettingType::kSize, "bytes", 64 * kKilobyte, 64 * kMegabyte, {},
     "Length of one buffer for incoming messages, of libfabric's providers; many messages share "
     "one.",
     &Config::receive_buffer_bytes},
    {"LINTEL_RECEIVE_BUFFERS", SettingType::kInteger, "", 2, 1024, {},
     "Number of buffers for incoming messages, of libfabric's providers.",
     &Config::receive_buffers},
    {"LINTEL_MAX_OPERATIONS", SettingType::kInteger, "", 16, 16'777'216, {},
     "Operations that one process may have started and not ended, and separately long operations "
     "of others that it serves; at most 262144 of each. One other process has a quarter of each, "
     "and no more than half of what the others have left. Of those that are started here it has "
     "all, beside the shares of the others, if nothing is under way with any when they are "
     "started, and four in any case. A call that would start one more waits until one with the "
     "same process has ended. A long operation of others that would be one more, or for which "
     "LINTEL_MEMORY_LIMIT has no room, is refused.",
     &Config::max_operations},
    {"LINTEL_MEMORY_LIMIT", SettingType::kSize, "bytes", 16 * kMegabyte, 1024 * 1024 * kMegabyte,
     {},
     "What peers can make a process keep: half of it for answers that they do not read, a quarter "
     "for records of peers, an eighth for long operations of others, and an eighth for the headers "
     "of unexpected messages of Portals 4. One peer has a quarter of the half for answers, and is "
     "given up if it exceeds that: its operations end with an error. Processes of Lintel do not, "
     "because they ask each other for no more than 1 MiB at a time. doc/security.md says what "
     "happens at the other limits.",
     &Config::memory_limit},
    {"LINTEL_MAX_UNEXPECTED", SettingType::kInteger, "", 1, 1'048'576, {},
     "Portals 4: messages that one portal keeps, in the memory of its overflow entries, until an "
     "entry claims them. A further one is dropped, or disables a portal with flow control; so is "
     "one for which LINTEL_MEMORY_LIMIT has no room. The limit max_unexpected_headers is at most "
     "this.",
     &Config::max_unexpected},
    {"LINTEL_MPI_UNEXPECTED", SettingType::kSize, "bytes", 0, 1024 * 1024 * kMegabyte, {},
     "MPI: memory of a process for messages that arrive before their receive is posted. Each "
     "other process may send its share of it ahead. Beyond that it sends only the header of a "
     "message, and the data when the message is received. All processes of a job must have the "
     "same value.",
     &Config::mpi_unexpected_bytes},
    {"LINTEL_OPENMPI", SettingType::kInteger, "", 0, 1, {},
     "1: an Open MPI that finds the component mca_mtl_lintel.so sends its messages by Lintel, "
     "without further parameters. lintel-mpirun does not need it.",
     &Config::openmpi},
    {"LINTEL_IMPI", SettingType::kString, "", 0, 0, {},
     "RANK@HOST:PORT: the job is client RANK of the IMPI job whose server is at that address; "
     "lintel-run --impi sets it, see doc/impi.md. Unset: the job is not part of an IMPI job.",
     &Config::impi},
    {"LINTEL_IMPI_NATIVE", SettingType::kString, "", 0, 0, {},
     "Ranks of IMPI clients, such as 1,2, that exchange data as little-endian bytes in the sizes "
     "of their machine, as LAM/MPI does, and not as external32.",
     &Config::impi_native},
    {"LINTEL_JOB_ID", SettingType::kInteger, "", 0, 0xfffffffe, {},
     "The job that a process belongs to, for access control; 0: none. The same for all processes "
     "that one launcher starts together.",
     &Config::job_id},
    {"LINTEL_SECRET_FILE", SettingType::kString, "", 0, 0, {},
     "File with the secret of a job, 16 to 4096 bytes, which belongs to the user and has mode 0600 "
     "or 0400. Processes with the same secret talk to each other and to nobody else; lintel-run "
     "makes one for each job unless it is set. Unset: MPI uses a secret that its launcher has "
     "passed on, and other programs have none. See doc/security.md.",
     &Config::secret_file},
    {"LINTEL_FAULTS", SettingType::kString, "", 0, 0, {},
     "For tests: a plan of faults to inject below the engine, such as drop=0.01,seed=7. Unset: "
     "none.",
     &Config::faults},
    {"LINTEL_LOG", SettingType::kChoice, "", 0, 0, kLogLevels,
     "How much Lintel writes about itself. Nothing is written per message up to info; debug "
     "writes per object, trace per message.",
     &Config::log_level},
    {"LINTEL_LOG_FILE", SettingType::kString, "", 0, 0, {},
     "File that log lines are appended to; %p stands for the process id. Unset: standard error.",
     &Config::log_file},
    {"LINTEL_DUMP_SIGNAL", SettingType::kChoice, "", 0, 0, kDumpSignals,
     "Signal on which a process writes its portal tables, match lists, queues, peers and "
     "counters: none, USR1 or USR2.",
     &Config::dump_signal},
    {"LINTEL_COUNTERS_FILE", SettingType::kString, "", 0, 0, {},
     "File to which a process writes its counters when it ends, and on the dump signal. The "
     "counters are sums over all starts and ends of the library. %p stands for the process id. "
     "Unset: none.",
     &Config::counters_file},
};
// clang-format on

}  // namespace

std::span<const Setting> settings() { return kSettings; }

}  // namespace lintel
