#pragma once
// Messages between the two processes beside the measured traffic, and how the two find each other
// and agree that they fit. Each message is one put with an ack to the control portal: a JSON object
// with "tool", "protocol", "version" and "kind". What is none, or of another tool, is skipped.
//
//   client -> server  hello    {host, cpu, arguments,  who asks, and its command line;
//                               run}                   a random number that is the client's alone,
//                                                      which the next one of its name has not
//   server -> client  accept   {host, cpu}             or
//                     refuse   {reason}
//   both              step     {}      has come to the next step of the measurement;
//                                      {size}: of the client, before each size
//   server -> client  failed   {error, code}
//   client -> server  end      {}
//
// Both derive what they do from the command line. The members "tool", "protocol", "version", "kind"
// and "reason" and the kinds "hello" and "refuse" are the same in every protocol, so that different
// versions can tell each other so. Protocols 1 and 2 had requests and replies instead of steps.

#include <portals3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host.h"
#include "interface.h"
#include "report.h"

namespace lintel::perf {

using nlohmann::json;

// The next event of a queue, waiting for it until `end`.
inline std::optional<ptl_event_t> next_event(ptl_handle_eq_t eq, Clock::time_point end) {
  ptl_event_t event{};
  int which = 0;
  const auto left = static_cast<ptl_time_t>(left_until(end).count());
  const int code = PtlEQPoll(&eq, 1, left, &event, &which);
  if (code == PTL_EQ_EMPTY) return std::nullopt;
  if (code != PTL_EQ_DROPPED) check_call(code, "PtlEQPoll");
  return event;
}

// A put to the control portal of a process, whose engine sends the ack by itself, whatever its
// threads do. May be started again when it has arrived.
class AckedPut : NotCopied {
 public:
  AckedPut(ptl_handle_ni_t ni, ProcessName to, ptl_match_bits_t bits, std::string text = {})
      : to_{to.nid, to.pid}, bits_(bits), text_(std::make_unique<std::string>(std::move(text))) {
    check_call(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
    check_call(PtlMDBind(ni, descriptor(eq_, 0, text_->data(), text_->size()), PTL_RETAIN, &md_),
               "PtlMDBind");
  }
  ~AckedPut() {
    if (PtlMDUnlink(md_) == PTL_MD_IN_USE) {
      static_cast<void>(text_.release());  // the network may read it until the process ends
    }
    PtlEQFree(eq_);
  }

  // Returns the code of PtlPut.
  int start() {
    events_left_ = 2;
    return PtlPut(md_, PTL_ACK_REQ, to_, kControlPortal, 0, bits_, 0, 0);
  }
  // How it has ended, PTL_NI_OK when it has arrived; nothing if it is still under way at `end`.
  std::optional<ptl_ni_fail_t> wait_until(Clock::time_point end) {
    for (; events_left_ > 0; --events_left_) {
      const auto event = next_event(eq_, end);
      if (!event) return std::nullopt;
      if (event->ni_fail_type != PTL_NI_OK) return event->ni_fail_type;
    }
    return PTL_NI_OK;
  }

 private:
  ptl_process_id_t to_;
  ptl_match_bits_t bits_;
  std::unique_ptr<std::string> text_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
  unsigned events_left_ = 0;  // of SEND_END and ACK
};

// Of messages, and of empty puts that only show whether the process is alive.
inline constexpr ptl_match_bits_t kControlBits = 0x434f4e54524f4cULL;
inline constexpr ptl_match_bits_t kProbeBits = 0x50524f4245ULL;

// A member of a message, which may lack it or have it of another type.
template <class Member>
Member member_of(const json& body, const char* name, Member otherwise) {
  try {
    return body.at(name).get<Member>();
  } catch (const json::exception&) {
    return otherwise;
  }
}

struct ControlMessage {
  ProcessName from;
  std::string kind;
  int protocol = 0;
  json body;  // an object
};

// Owns its queue and its inbox: a fixed number of buffers, posted again after use. Lets any process
// probe this one, for the life of the interface. Thread: one.
class ControlChannel : NotCopied {
 public:
  explicit ControlChannel(ptl_handle_ni_t ni) : ni_(ni) {
    check_call(PtlEQAlloc(ni, 8 * kInboxSlots, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
    ptl_handle_me_t probes = PTL_INVALID_HANDLE;
    attach(kProbeBits,
           descriptor(PTL_EQ_NONE, PTL_MD_OP_PUT | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE), probes);
    for (InboxSlot& slot : inbox_) post(slot);
  }
  ~ControlChannel() {
    const auto end = after(std::chrono::seconds(1));
    for (const InboxSlot& slot : inbox_) {
      while (PtlMEUnlink(slot.me) == PTL_ME_IN_USE && Clock::now() < end) PtlProgress(ni_, 1);
    }
    PtlEQFree(eq_);
  }

  // Delivers `body` and waits, up to `limit`, until it lies in the inbox of `to`. Returns why that
  // failed; empty if it did not.
  std::string send(ProcessName to, const json& body, Seconds limit) const {
    // A command line may have bytes that are no UTF-8.
    std::string text = body.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() > kMaxMessageBytes) {
      return fmt::format("it has {} bytes; expected at most {}", text.size(), kMaxMessageBytes);
    }
    AckedPut put(ni_, to, kControlBits, std::move(text));
    if (const int code = put.start(); code != PTL_OK) return code_name(code);
    const auto result = put.wait_until(after(limit));
    if (!result) return "no acknowledgement";
    return *result == PTL_NI_OK ? "" : PtlNIFailStr(ni_, *result);
  }

  // The oldest message of this tool, of whatever version, that has arrived, waiting for up to
  // `limit`; first of all the one that was put back.
  std::optional<ControlMessage> receive(Seconds limit) {
    if (put_back_) return std::exchange(put_back_, std::nullopt);
    const auto end = after(limit);
    while (const auto event = next_event(eq_, end)) {
      InboxSlot& slot = *static_cast<InboxSlot*>(event->md.user_ptr);
      if (event->type == PTL_EVENT_UNLINK) post(slot);
      if (event->type != PTL_EVENT_PUT_END || event->ni_fail_type != PTL_NI_OK) continue;
      auto body = json::parse(std::string_view(slot.text.data(), event->mlength), nullptr, false);
      auto kind = member_of<std::string>(body, "kind", "");
      if (kind.empty() || member_of<std::string>(body, "tool", "") != kToolName) continue;
      const ptl_process_id_t& from = event->initiator;
      const int protocol = member_of(body, "protocol", 0);
      return ControlMessage{{from.nid, from.pid}, std::move(kind), protocol, std::move(body)};
    }
    return std::nullopt;
  }

  // The next receive() returns it again. One at a time.
  void put_back(ControlMessage message) { put_back_ = std::move(message); }

 private:
  static constexpr std::size_t kMaxMessageBytes = 65536;
  static constexpr std::size_t kInboxSlots = 16;
  struct InboxSlot {
    std::array<char, kMaxMessageBytes> text;
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
  };

  void post(InboxSlot& slot) const {
    ptl_md_t md = descriptor(eq_, PTL_MD_OP_PUT, slot.text.data(), slot.text.size());
    md.threshold = 1;
    md.user_ptr = &slot;
    attach(kControlBits, md, slot.me);
  }
  void attach(ptl_match_bits_t bits, const ptl_md_t& md, ptl_handle_me_t& me) const {
    check_call(PtlMEAttach(ni_, kControlPortal, {PTL_NID_ANY, PTL_PID_ANY}, bits, 0, PTL_UNLINK,
                           PTL_INS_AFTER, &me),
               "PtlMEAttach");
    check_call(PtlMDAttach(me, md, PTL_UNLINK, nullptr), "PtlMDAttach");
  }

  ptl_handle_ni_t ni_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  std::vector<InboxSlot> inbox_{kInboxSlots};
  std::optional<ControlMessage> put_back_;
};

inline constexpr int kProtocol = 3;

// An object with the members that every message has, and others.
inline json control_message(const char* kind, const json& members = json::object()) {
  json message{
      {"tool", kToolName}, {"protocol", kProtocol}, {"version", tool_version()}, {"kind", kind}};
  message.update(members);
  return message;
}

[[noreturn]] inline void refuse_protocol(const char* own_role, const char* peer_role,
                                         const ControlMessage& peer) {
  refuse(
      "the {} is lintel-perf {} with protocol {}, this {} is lintel-perf {} with protocol {}; "
      "expected the same protocol on both sides",
      peer_role, member_of<std::string>(peer.body, "version", "unknown"), peer.protocol, own_role,
      tool_version(), kProtocol);
}

// Which run of a client a hello belongs to; 0 for one of a version that does not say it.
inline std::uint64_t run_of(const ControlMessage& hello) {
  return member_of<std::uint64_t>(hello.body, "run", 0);
}

inline ProcessDescription description_of(const ControlMessage& message) {
  return {member_of<std::string>(message.body, "host", "unknown"), to_string(message.from),
          member_of(message.body, "cpu", -1)};
}

// Client: asks `server` for a connection and waits for its answer; a server that is just starting
// has `deadline` to appear. Returns who it is. Throws PerfFailure(kUnusable) if it cannot be
// reached, does not answer, is busy or is of another protocol.
inline ProcessDescription connect_to_server(ControlChannel& control, ProcessName server,
                                            const ProcessDescription& self,
                                            const std::vector<std::string>& arguments,
                                            Seconds deadline) {
  static constexpr auto kRetryAfter = std::chrono::milliseconds(200);
  const auto give_up = [&](const std::string& reason) {
    throw PeerLost(
        fmt::format("no lintel-perf server answers at {} within {:g} s ({}); expected "
                    "'lintel-perf --server' running there",
                    to_string(server), deadline.count(), reason));
  };
  const auto end = after(deadline);
  std::random_device random;
  const json request = control_message(
      "hello",
      {{"host", self.host}, {"cpu", self.cpu}, {"arguments", arguments}, {"run", random()}});
  for (;;) {
    const std::string failure = control.send(server, request, left_until(end));
    if (failure.empty()) break;
    if (left_until(end) <= kRetryAfter) give_up(failure);
    std::this_thread::sleep_for(kRetryAfter);
  }
  for (;;) {
    const auto message = control.receive(left_until(end));
    if (!message) {
      give_up("it took the message but did not reply; it may be busy, or of another version");
    }
    if (message->from.pid != server.pid) continue;
    if (message->protocol != kProtocol) refuse_protocol("client", "server", *message);
    if (message->kind == "refuse") {
      refuse("the server at {} refuses: {}; expected a server that is free", to_string(server),
             member_of<std::string>(message->body, "reason", "no reason given"));
    }
    if (message->kind == "accept") return description_of(*message);
  }
}

// Server: waits for a client and accepts it; returns its hello. Throws PerfFailure(kUnusable) when
// the client is of another protocol, whatever it calls its request, after telling it so.
inline ControlMessage accept_client(ControlChannel& control, const ProcessDescription& self) {
  static constexpr Seconds kLook{3600};
  static constexpr Seconds kReplyLimit{2};
  for (;;) {
    const auto message = control.receive(kLook);
    if (!message || message->kind == "refuse") continue;
    const bool fits = message->protocol == kProtocol;
    if (fits && message->kind != "hello") continue;
    const json answer =
        control_message(fits ? "accept" : "refuse", {{"host", self.host}, {"cpu", self.cpu}});
    const std::string failure = control.send(message->from, answer, kReplyLimit);
    if (!fits) refuse_protocol("server", "client", *message);
    if (failure.empty()) return *message;
    // It has left again.
  }
}

}  // namespace lintel::perf
