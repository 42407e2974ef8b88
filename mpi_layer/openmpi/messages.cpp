#include "mpi_layer/openmpi/messages.h"

#include <algorithm>
#include <array>
#include <new>

#include "base/assert.h"
#include "base/environment.h"
#include "mpi_layer/station/station.h"

namespace {

using namespace lintel;  // NOLINT: the names of this file are C's

template <class Kind>
inline constexpr bool kFits = sizeof(Kind) <= sizeof(lintel_transfer) &&
                              alignof(Kind) <= alignof(lintel_transfer);
static_assert(kFits<mpi::SendRequest> && kFits<mpi::ReceiveRequest>);
static_assert(LINTEL_ANY_SOURCE == mpi::kAnySource && LINTEL_ANY_TAG == mpi::kAnyTag);
static_assert(LINTEL_MAX_TAG == mpi::kMaxTag && LINTEL_MAX_CONTEXT == mpi::kMaxContext);

// Never destroyed, because in a program that ends without MPI_Finalize, threads may use it until
// the end of the process.
std::unique_ptr<mpi::Station>& station = *new std::unique_ptr<mpi::Station>;

mpi::Messenger& messenger() { return station->messenger(); }

const char* kept_text(const std::string& text) {
  thread_local std::string kept;
  kept = text;
  return kept.c_str();
}

// Separates the card and the limits, which are one line each.
constexpr char kLineEnd = '\n';

mpi::Outcome<> meet(std::uint32_t rank, const char* const* texts, std::uint32_t ranks) {
  std::vector<std::string> cards;
  std::vector<std::string> limits;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::string text = texts[i];
    const std::size_t end = std::min(text.find(kLineEnd), text.size());
    cards.push_back(text.substr(0, end));
    limits.push_back(text.substr(std::min(end + 1, text.size())));
  }
  mpi::Outcome<mpi::World> world = mpi::make_world(rank, cards);
  if (!world) return world.failure();
  if (const mpi::Outcome<> same = mpi::compare_limits(limits); !same) return same.failure();
  return station->add(*world);
}

// Constructs a request in raw memory. An earlier request there has ended, and needs no destruction.
template <class Kind>
Kind& new_request(lintel_transfer* transfer) {
  Kind& made = *new (transfer) Kind;
  // request_of() relies on it
  LINTEL_ASSERT(static_cast<void*>(static_cast<mpi::MessageRequest*>(&made)) == transfer);
  return made;
}
mpi::MessageRequest& request_of(lintel_transfer* transfer) {
  return *std::launder(reinterpret_cast<mpi::MessageRequest*>(transfer));
}

lintel_ending ending_of(mpi::RequestFailure failure) {
  switch (failure) {
    case mpi::RequestFailure::kNone: return LINTEL_WELL;
    case mpi::RequestFailure::kTruncated: return LINTEL_TRUNCATED;
    case mpi::RequestFailure::kPeerLost: return LINTEL_PEER_LOST;
    default: return LINTEL_FAILED;
  }
}

lintel_result result_of(const mpi::MessageResult& result) {
  return {result.source, result.tag, result.length, ending_of(result.failure), result.cancelled};
}

}  // namespace

struct lintel_message {
  mpi::MatchedMessage matched;
};

extern "C" {

bool lintel_wanted() { return read_environment().config.openmpi != 0; }

const char* lintel_open(uint32_t processes) {
  mpi::MessengerOptions options;
  options.most_processes = processes;
  options.list_completed = true;
  mpi::Outcome<std::unique_ptr<mpi::Station>> opened = mpi::Station::open(options);
  if (!opened) return kept_text(opened.sentence());
  station = std::move(*opened);
  return nullptr;
}

const char* lintel_card(const char** problem) {
  mpi::Outcome<mpi::BusinessCard> card = station->card();
  if (card) return kept_text(encode(*card) + kLineEnd + station->limits());
  *problem = kept_text(card.sentence());
  return nullptr;
}

const char* lintel_add_ranks(uint32_t rank, const char* const* cards, uint32_t ranks) {
  const mpi::Outcome<> met = meet(rank, cards, ranks);
  return met ? nullptr : kept_text(met.sentence());
}

void lintel_close() { station.reset(); }

lintel_start lintel_send(lintel_transfer* transfer, const void* buffer, uint64_t length,
                         int32_t destination, uint32_t context, int32_t tag, bool synchronous) {
  const mpi::SendMode mode = synchronous ? mpi::SendMode::kSynchronous : mpi::SendMode::kStandard;
  const mpi::SendArguments message{buffer, length, destination, context, tag, mode};
  // set also if the send leaves at once, because it may be cancelled
  mpi::SendRequest& request = new_request<mpi::SendRequest>(transfer);
  if (messenger().send_at_once(message)) return LINTEL_LEFT;
  bool over = false;
  if (messenger().send(message, request, &over) != mpi::CallError::kNone) return LINTEL_REFUSED;
  return over ? LINTEL_LEFT : LINTEL_BEGUN;
}

bool lintel_receive(lintel_transfer* transfer, void* buffer, uint64_t capacity, int32_t source,
                    uint32_t context, int32_t tag) {
  return messenger().receive({buffer, capacity, source, context, tag},
                             new_request<mpi::ReceiveRequest>(transfer)) == mpi::CallError::kNone;
}

void lintel_cancel(lintel_transfer* transfer) { messenger().cancel(request_of(transfer)); }

size_t lintel_progress(lintel_transfer** ended, size_t room, bool caller_yields) {
  constexpr std::size_t kMost = 16;
  std::array<mpi::MessageRequest*, kMost> completed{};
  const portals::Yielding yielding =
      caller_yields ? portals::Yielding::kByCaller : portals::Yielding::kHere;
  const std::size_t count =
      messenger().take_completed(std::span(completed).first(std::min(room, kMost)), yielding);
  std::transform(
      completed.begin(), completed.begin() + static_cast<std::ptrdiff_t>(count), ended,
      [](mpi::MessageRequest* request) { return reinterpret_cast<lintel_transfer*>(request); });
  return count;
}

lintel_result lintel_result_of(const lintel_transfer* transfer) {
  return result_of(std::launder(reinterpret_cast<const mpi::MessageRequest*>(transfer))->result());
}

bool lintel_probe(int32_t source, uint32_t context, int32_t tag, lintel_result* result) {
  mpi::MessageResult envelope;
  bool found = false;
  const mpi::ProbeArguments arguments{source, context, tag, false};
  if (messenger().iprobe(arguments, found, envelope) != mpi::CallError::kNone) {
    envelope.failure = mpi::RequestFailure::kFailed;
  }
  *result = result_of(envelope);
  return found;
}

lintel_message* lintel_take(int32_t source, uint32_t context, int32_t tag, lintel_result* result) {
  mpi::MatchedMessage matched;
  const mpi::CallError call_error = messenger().improbe({source, context, tag, false}, matched);
  *result = result_of(matched.envelope());
  if (call_error != mpi::CallError::kNone) result->ending = LINTEL_FAILED;
  return matched ? new lintel_message{std::move(matched)} : nullptr;
}

bool lintel_receive_taken(lintel_transfer* transfer, lintel_message* message, void* buffer,
                          uint64_t capacity) {
  const std::unique_ptr<lintel_message> owned(message);
  return messenger().receive_matched(owned->matched, buffer, capacity,
                                     new_request<mpi::ReceiveRequest>(transfer)) ==
         mpi::CallError::kNone;
}

}  // extern "C"
