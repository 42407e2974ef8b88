# lintel_network_labels(<variable> <test>): the labels of a system or fault test for its network.
# The name of the test tells the network ("...net...", or the default). The gate runs all tests on
# the default network, and on each other network those of LINTEL_SLICE. CTest includes this file
# too, for names that only a program knows.

# What the gate runs on every network except the default one: a test of each kind of traffic, the
# death of a peer or of a connection, a client of each API.
set(LINTEL_SLICE
  "DataMovement\\.(APutOfAnySize|AGetOfAnySize)" "Traffic\\.GetsAndPuts"
  "PeerDeath\\.(AKilledTargetEnds|APeerThatIsStartedAgain)"
  "Threads\\.EachEvent" "InjectedFaults\\.EverythingAtOnce" "Idle\\." "Fork\\."
  "TwoHosts\\.(PutAndGet|DestroyedConnections)"
  "clients4\\.(mtl|shmem)\\.4" "MpiPrograms\\.(traffic_.*_4|leaving_)"
  "Signals\\.ARankThatDies" "LintelPerf\\..*\\.(EveryMeasurement|AClientReportsAServer)")
list(JOIN LINTEL_SLICE "|" LINTEL_SLICE)

function(lintel_network_labels variable test)
  string(REGEX REPLACE "  # .*" "" test "${test}")  # GoogleTest's remark on a parameter
  if(NOT test MATCHES "[./_](net|tcp[_+]ofi_rxm|shm)([._]|$)")
    set(labels direct)
    if(NOT test MATCHES "[./_]direct([._]|$)")
      list(APPEND labels default)
    endif()
    set(${variable} ${labels} PARENT_SCOPE)
    return()
  endif()
  string(REPLACE "+" "_" labels ${CMAKE_MATCH_1})
  if(NOT test MATCHES "${LINTEL_SLICE}")
    list(APPEND labels full)
  endif()
  set(${variable} ${labels} PARENT_SCOPE)
endfunction()
