// A part of the MPI layer's messenger, with the lock of its process and without it.

#include "mpi_layer/p2p/credit_ledger.h"
#include "mpi_layer/p2p/engine_access.h"

void credit_for(const lintel::mpi::EngineAccess& engine, lintel::mpi::CreditLedger& ledger,
                lintel::mpi::Peer& peer) {
  const lintel::MutexLock lock(engine.lock());
  ledger.owe(peer, 8);
}

void credit_without_the_lock(lintel::mpi::CreditLedger& ledger, lintel::mpi::Peer& peer) {
  ledger.owe(peer, 8);  // refused
}
