#pragma once
// One end of the socket between the process that starts a chain and one that takes part in it. Carries JSON objects, whole and in order.
//
//   starter -> rank  {do: "open"}                                    -> {kind: "open", nid, pid, max_triggered, max_atomic}
//                    {do: "map", names: [[nid, pid], ...]}           -> {kind: "mapped"}
//                    {do: "lay-out", size, rounds, slots, serial, verify} -> {kind: "ready"}       nothing is sent yet
//                    {do: "enter"}          all but rank 0           -> {kind: "asleep"}           and then it sleeps until the next message
//                    {do: "start"}          rank 0                   -> {kind: "done", seconds}
//                    {do: "settle", limit_ms}                        -> {kind: "settled"}          all that it is owed has come
//                    {do: "finish"}                                  -> {kind: "finished", verified}
//                    {do: "report"}         at any time              -> {kind: "state", rounds}
//                    {do: "end"}                                        the process ends
//   rank -> starter  {kind: "failed", code, error}                      and the process ends

#include <nlohmann/json.hpp>
#include <optional>

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

}  // namespace lintel::perf
