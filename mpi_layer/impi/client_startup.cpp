#include "mpi_layer/impi/client_startup.h"

#include <optional>

#include "base/quantity.h"
#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {

ClientStartup::ClientStartup(StartupSettings settings, TimePoint now)
    : settings_(std::move(settings)), since_(now) {
  LINTEL_ASSERT(settings_.rank < kMaxClients && !settings_.authentication.is_empty());
  std::string mask;
  append_number(mask, settings_.authentication.mask());
  send(CommandWord::kAuth, mask);
}

void ClientStartup::take(std::string_view bytes, TimePoint now) {
  reader_.append(bytes);
  while (take_next(now))
    ;
}

bool ClientStartup::take_next(TimePoint now) {
  if (phase_ == StartupPhase::kReady || phase_ == StartupPhase::kFailed) return false;
  if (phase_ == StartupPhase::kAuthenticating) return take_mechanism(now);
  std::string problem;
  const auto command = reader_.next(problem);
  if (!command) {
    if (!problem.empty()) fail(problem);
    return false;
  }
  since_ = now;
  if (phase_ == StartupPhase::kJoining) {
    take_size(*command);
  } else if (command->word == CommandWord::kColl) {
    take_set(*command);
  } else {
    take_done(*command);
  }
  return true;
}

bool ClientStartup::take_mechanism(TimePoint now) {
  const auto choice = reader_.next_bare(2 * sizeof(std::uint32_t));
  if (!choice) return false;
  const auto mechanism = number_at<std::uint32_t>(*choice, 0);
  const auto length = number_at<std::uint32_t>(*choice, sizeof mechanism);
  const std::uint32_t mask = settings_.authentication.mask();
  if (mechanism >= 32 || (mask >> mechanism & 1) == 0) {
    fail("it chose authentication mechanism " + std::to_string(mechanism) + "; expected " +
         text_of_mechanisms(mask));
    return false;
  }
  if (length != 0) {
    fail("it sent " + std::to_string(length) +
         " bytes for its authentication mechanism; expected none");
    return false;
  }
  since_ = now;
  if (static_cast<Mechanism>(mechanism) == Mechanism::kKey)
    append_number(outgoing_, settings_.authentication.key());
  std::string rank;
  append_number(rank, settings_.rank);
  send(CommandWord::kImpi, rank);
  phase_ = StartupPhase::kJoining;
  return true;
}

void ClientStartup::take_size(const Command& command) {
  if (command.word != CommandWord::kImpi) {
    return fail("it sent " + text_of_word(static_cast<std::uint32_t>(command.word)) +
                "; expected IMPI");
  }
  clients_ = number_at<std::uint32_t>(command.payload, 0);
  if (clients_ == 0 || clients_ > kMaxClients)
    return fail("it has " + std::to_string(clients_) + " clients; expected 1 to " +
                std::to_string(kMaxClients));
  if (settings_.rank >= clients_) {
    return fail("it has " + std::to_string(clients_) + " clients, and this is client " +
                std::to_string(settings_.rank) + "; expected 0 to " + std::to_string(clients_ - 1));
  }
  phase_ = StartupPhase::kSendingLabels;
  send_next_label();
}

void ClientStartup::send_next_label() {
  if (labels_answered_ == labels().size()) {
    phase_ = StartupPhase::kFinishing;
    return send(CommandWord::kDone, {});
  }
  const Label label = labels()[labels_answered_].label;
  std::string payload;
  append_number(payload, label);
  send(CommandWord::kColl, payload + contribution(settings_.offer, label));
}

void ClientStartup::take_set(const Command& command) {
  LabelSet set = decode_set(command.payload);
  const std::string name = "label " + text_of_label(set.label);
  if (set.label <= answered_)
    return fail("it answered " + name + " after " + text_of_label(answered_) +
                "; expected ascending labels");
  if (clients_ < kMaxClients && set.mask >> clients_ != 0)
    return fail("it answered " + name + " for more than " + std::to_string(clients_) + " clients");
  answered_ = set.label;
  if (phase_ == StartupPhase::kFinishing) return;  // labels of other clients beyond IMPI 0.0
  const Label expected = labels()[labels_answered_].label;
  if (set.label < expected) return;
  if (set.label > expected)
    return fail("it answered " + name + "; expected " + text_of_label(expected));
  sets_[set.label] = std::move(set);
  ++labels_answered_;
  send_next_label();
}

void ClientStartup::take_done(const Command& command) {
  if (phase_ != StartupPhase::kFinishing || command.word != CommandWord::kDone) {
    return fail("it sent " + text_of_word(static_cast<std::uint32_t>(command.word)) +
                "; expected " +
                (phase_ == StartupPhase::kFinishing
                     ? "DONE"
                     : "the answer to label " + text_of_label(labels()[labels_answered_].label)));
  }
  Outcome<JobLayout> layout = lay_out(sets_, clients_);
  if (!layout) return fail(layout.sentence());
  layout_ = std::move(*layout);
  sets_.clear();
  phase_ = StartupPhase::kReady;
}

void ClientStartup::lose(const std::string& how) {
  if (phase_ == StartupPhase::kReady || phase_ == StartupPhase::kFailed) return;
  fail(phase_ == StartupPhase::kAuthenticating ? how + "; expected a mechanism that both have"
       : phase_ == StartupPhase::kJoining
           ? how + "; expected it to take the key, if there is one, and client rank " +
                 std::to_string(settings_.rank)
           : how);
}

TimePoint ClientStartup::next_deadline() const {
  const bool is_owed = phase_ == StartupPhase::kAuthenticating ||
                       phase_ == StartupPhase::kSendingLabels || phase_ == StartupPhase::kFinishing;
  return is_owed ? since_ + settings_.timeout : kNever;
}

void ClientStartup::advance(TimePoint now) {
  if (next_deadline() <= now) fail("it has not answered for " + format_duration(settings_.timeout));
}

void ClientStartup::finish() {
  LINTEL_ASSERT(phase_ == StartupPhase::kReady);
  send(CommandWord::kFini, {});
}

const JobLayout& ClientStartup::layout() const {
  LINTEL_ASSERT(phase_ == StartupPhase::kReady);
  return layout_;
}

const std::string& ClientStartup::problem() const {
  LINTEL_ASSERT(phase_ == StartupPhase::kFailed);
  return problem_;
}

void ClientStartup::fail(const std::string& why) {
  problem_ = "start-up with the server of IMPI failed: " + why;
  phase_ = StartupPhase::kFailed;
  outgoing_.clear();
}

}  // namespace lintel::mpi::impi
