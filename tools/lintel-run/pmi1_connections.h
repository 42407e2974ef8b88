#pragma once
// Pmi1Connections: lintel-run's ends of the PMI-1 connections of all ranks, and their Pmi1Server.
//
// Owns the descriptors. Thread: one at a time; nothing blocks. Its owner polls the descriptors.
// Does not: end the job, or know processes.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "mpi_layer/bootstrap/pmi1_line_reader.h"
#include "pmi1_server.h"

namespace lintel::run {

class Pmi1Connections {
 public:
  using End = Pmi1Server::End;

  Pmi1Connections(std::string job_name, std::size_t ranks) : server_(std::move(job_name), ranks) {}

  // The connection of the next rank, beginning with rank 0. It does not block.
  void add(FileDescriptor socket) { connections_.emplace_back(std::move(socket)); }

  int fd(std::size_t rank) const { return connections_[rank].socket.get(); }
  bool is_open(std::size_t rank) const { return connections_[rank].socket.is_open(); }
  // Answers wait for room in the connection.
  bool has_answers(std::size_t rank) const { return !connections_[rank].answers.empty(); }
  bool is_readable(std::size_t rank) const;
  // The connection is closed, here or at the other end, and nothing is left to read.
  bool is_at_end(std::size_t rank) const;

  // Reads once from the connection and answers, also other ranks that wait. Returns why the job has
  // to end, if it has to; the rank's connection is closed then.
  // REQUIRES: !has_answers(rank), so that what a rank can make lintel-run keep is bounded.
  std::optional<End> read(std::size_t rank);
  // Sends answers as far as there is room. A connection that fails is closed.
  void send_answers(std::size_t rank);
  // The process has ended. Its connection stays until it was read to its end.
  void on_process_end(std::size_t rank) { server_.leave(rank); }

  // As Pmi1Server.
  bool is_within(std::size_t rank) const { return server_.is_within(rank); }
  std::optional<End> hanging() const { return server_.hanging(); }

 private:
  struct Connection {
    explicit Connection(FileDescriptor from) : socket(std::move(from)) {}
    FileDescriptor socket;
    mpi::Pmi1LineReader lines;
    std::string answers;  // not sent yet
  };
  void close(std::size_t rank);

  std::vector<Connection> connections_;  // by rank
  Pmi1Server server_;
};

}  // namespace lintel::run
