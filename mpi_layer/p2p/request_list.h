#pragma once
// Ordered lists of requests of one messenger. unlink() on the request removes it from its list.

#include <boost/intrusive/list.hpp>

#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

template <class Kind>
using ListOf = boost::intrusive::list<Kind, boost::intrusive::base_hook<RequestHook>,
                                      boost::intrusive::constant_time_size<false>>;

using SendList = ListOf<SendRequest>;
using ReceiveList = ListOf<ReceiveRequest>;
using RequestList = ListOf<MessageRequest>;  // of both

}  // namespace lintel::mpi
