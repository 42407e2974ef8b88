// A part of the MPI layer's messenger, used without the lock of its process.

#include "mpi_layer/p2p/credit_ledger.h"

void credit_for(lintel::Mutex& mutex, lintel::mpi::CreditLedger& ledger, lintel::mpi::Peer& peer) {
#if defined(HOLDS_THE_LOCK)
  const lintel::mpi::ProcessLock lock(mutex);
#else
  static_cast<void>(mutex);
#endif
  ledger.owe(peer, 8);
}
