#include "mpi_layer/impi/label.h"

#include <array>
#include <cstdio>

namespace lintel::mpi::impi {
namespace {

constexpr std::array<LabelRow, 14> kLabels{{
    {kVersion, "IMPI_C_VERSION"},
    {kClientHosts, "IMPI_C_NHOSTS"},
    {kClientProcs, "IMPI_C_NPROCS"},
    {kDataLength, "IMPI_C_DATALEN"},
    {kTagUpperBound, "IMPI_C_TAGUB"},
    {kCollectiveCrossoverSize, "IMPI_C_COLL_XSIZE"},
    {kCollectiveMaxLinear, "IMPI_C_COLL_MAXLINEAR"},
    {kHostAddress, "IMPI_H_IPV6"},
    {kHostPort, "IMPI_H_PORT"},
    {kHostProcs, "IMPI_H_NPROCS"},
    {kHostAckmark, "IMPI_H_ACKMARK"},
    {kHostHiwater, "IMPI_H_HIWATER"},
    {kProcAddress, "IMPI_P_IPV6"},
    {kProcPid, "IMPI_P_PID"},
}};

}  // namespace

std::span<const LabelRow> labels() { return kLabels; }

std::string text_of_label(Label label) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%04x", static_cast<unsigned>(label));
  for (const LabelRow& row : kLabels) {
    if (row.label == label) return std::string(row.name) + " (" + number + ")";
  }
  return number;
}

}  // namespace lintel::mpi::impi
