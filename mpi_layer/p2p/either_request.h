#pragma once
// EitherRequest: room for one request, of which the first use says whether it is a send or a
// receive. For a caller whose objects stand for either.
//
// Owned by its user; used as requests are. It does not move.

#include <variant>

#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

class EitherRequest {
 public:
  // A send, or a receive, from now on. REQUIRES: it is not active, or is one already.
  SendRequest& as_send() { return as<SendRequest>(); }
  ReceiveRequest& as_receive() { return as<ReceiveRequest>(); }
  // What it is; before the first use a send that was never started.
  Request& request() {
    if (auto* const receive = std::get_if<ReceiveRequest>(&request_)) return *receive;
    return as_send();
  }
  const Request& request() const {
    static const SendRequest kUnused;
    if (const auto* const receive = std::get_if<ReceiveRequest>(&request_)) return *receive;
    if (const auto* const send = std::get_if<SendRequest>(&request_)) return *send;
    return kUnused;
  }

 private:
  template <class Kind>
  Kind& as() {
    if (auto* const request = std::get_if<Kind>(&request_)) return *request;
    return request_.emplace<Kind>();
  }

  std::variant<std::monostate, SendRequest, ReceiveRequest> request_;
};

}  // namespace lintel::mpi
