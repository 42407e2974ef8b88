#pragma once
// One end of the socket between the process that starts a chain and one that takes part in it.
// Carries
// JSON objects, whole and in order.
//
//   starter -> rank  {do: "open"}        -> {kind: "open", nid, pid, max_triggered, max_atomic}
//                    {do: "map", names: [[nid, pid], ...]}                -> {kind: "mapped"}
//                    {do: "lay-out", size, rounds, slots, serial, verify} -> {kind: "ready"}
//                    {do: "enter"}       -> {kind: "asleep"}    all but rank 0; it sleeps from then
//                                        on
//                    {do: "start"}       -> {kind: "done", seconds}    rank 0
//                    {do: "settle", limit_ms} -> {kind: "settled"}     all that it is owed has come
//                    {do: "finish"}      -> {kind: "finished", verified}
//                    {do: "report"}      -> {kind: "state", rounds}    at any time
//                    {do: "end"}         the process ends
//   rank -> starter  {kind: "failed", code, error}    and the process ends

#include <nlohmann/json.hpp>
#include <optional>

#include "chain.h"

namespace lintel::perf {

class ChainLink {
 public:
  // Owns `descriptor`, a socket that keeps message boundaries.
  explicit ChainLink(int descriptor) : descriptor_(descriptor) {}
  ~ChainLink();
  ChainLink(ChainLink&& other) noexcept;
  ChainLink(const ChainLink&) = delete;
  ChainLink& operator=(const ChainLink&) = delete;

  // From any thread. A message to an end that is gone is lost; receive() tells.
  void send(const nlohmann::json& message) const;

  // Sleeps in one system call until a message comes. Nothing: the other end is gone.
  std::optional<nlohmann::json> receive() const;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// What a process of a chain does, from its first call of Portals to its end: obeys the messages
// until told to end, or until the other end is gone. A failure is told there, and ends the process.
void serve_chain_rank(ChainKind kind, unsigned rank, unsigned processes,
                      const ChainLink& link) noexcept;

}  // namespace lintel::perf
