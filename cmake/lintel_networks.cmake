# lintel_network_labels(<variable> <test>): the labels of a system or fault test that say on which
# network it runs, which its name tells ("...net...", or the default), and whether the gate has it:
# on the default network all, on each other one those of LINTEL_SLICE. CTest includes this file too,
# for names that only a program tells.

# What the gate runs on every network that is not the default: a clause of each kind of traffic, the
# death of a peer, a client of each API.
set(LINTEL_SLICE
  "DataMovement\\.(APutOfAnySize|AGetOfAnySize)" "Traffic\\.GetsAndPuts"
  "PeerDeath\\.(AKilledTargetEnds|APeerThatIsStartedAgain)"
  "Threads\\.EachEvent" "InjectedFaults\\.EverythingAtOnce" "Idle\\." "Fork\\."
  "TwoHosts\\.PutAndGet"
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
