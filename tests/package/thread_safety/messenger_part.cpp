// A part of the MPI layer's messenger, used without the lock of its process.

#include "mpi_layer/p2p/credit_ledger.h"
#include "mpi_layer/p2p/engine_access.h"

void credit_for(const lintel::mpi::EngineAccess& engine, lintel::mpi::CreditLedger& ledger,
                lintel::mpi::Peer& peer) {
#if defined(HOLDS_THE_LOCK)
  const lintel::MutexLock lock(engine.lock());
#else
  static_cast<void>(engine);
#endif
  ledger.owe(peer, 8);
}
