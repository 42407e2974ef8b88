#pragma once
// Corrects the second start of a persistent buffered send (MPI_Bsend_init). pml cm packs the data
// of the user with the convertor of the request, then makes that a convertor of the packed copy,
// and never restores it. So the next start packs the copy of the last one, whose memory may have
// been reused. A start before the last copy has left uses its number of bytes as a number of items.
// Therefore the component restores the state after MPI_Bsend_init before it reports the end of the
// send.

#include "mpi_layer/openmpi/series.h"

// To be called at the start of such a send. True: call restore_buffered_send() once, before the end
// of the send is reported. False: the request does not have the expected form, and was not changed.
bool note_buffered_start(mca_mtl_request_t* request, opal_convertor_t* convertor,
                         const ompi_communicator_t* comm, int destination, int tag);
void restore_buffered_send(mca_mtl_request_t* request, opal_convertor_t* convertor);
