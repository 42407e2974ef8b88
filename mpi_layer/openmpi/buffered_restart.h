#pragma once
// The second start of a persistent buffered send (MPI_Bsend_init). pml cm packs the user's data
// with the request's convertor, then makes that a convertor of the packed copy, and never back: the
// next start packs the copy of the last one, whose memory may be another's by then, and a start
// before the last copy has left takes its number of bytes for a number of items. So the component
// puts the request back to what MPI_Bsend_init has left, before its end is told.

#include "mpi_layer/openmpi/series.h"

// At the start of such a send. True: restore_buffered_send() is to be called, once, before its end
// is told. False: the request does not have the form that is known here, and stays as it is.
bool note_buffered_start(mca_mtl_request_t* request, opal_convertor_t* convertor,
                         const ompi_communicator_t* comm, int destination, int tag);
void restore_buffered_send(mca_mtl_request_t* request, opal_convertor_t* convertor);
