#pragma once
// RequestList: requests of one messenger in order, that leave it by themselves when they are unlinked or linked elsewhere.

#include <boost/intrusive/list.hpp>

#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

struct RequestHooks {
  using Member = boost::intrusive::member_hook<Request, Request::Hook, &Request::link_>;
};

using RequestList = boost::intrusive::list<Request, RequestHooks::Member, boost::intrusive::constant_time_size<false>>;

}  // namespace lintel::mpi
