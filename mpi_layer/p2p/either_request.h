#pragma once
// EitherRequest: holds one request, either a send or a receive. The first use decides which. It is
// for callers whose request objects may be either.
//
// Owned by its user. The rules of MessageRequest apply: it does not move.

#include <variant>

#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

class EitherRequest {
 public:
  // Makes it a send, or a receive. REQUIRES: it is not active, or has that kind already.
  SendRequest& as_send() { return as<SendRequest>(); }
  ReceiveRequest& as_receive() { return as<ReceiveRequest>(); }
  // The request that it holds; before the first use, a send that was never started.
  MessageRequest& request() {
    if (auto* const receive = std::get_if<ReceiveRequest>(&request_)) return *receive;
    return as_send();
  }
  const MessageRequest& request() const {
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
