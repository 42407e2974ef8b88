# Runs the programs of the tree TREE, which has the counters: each kind of operation, with each way
# to learn of its end. Most operations are small, because a large one counts mostly waiting. If a
# run fails, its part of the profile is missing. SOURCE: the source tree.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text
    TIMEOUT 60)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(WARNING
      "The profile of the libraries lacks what \"${command}\" does, "
      "which has ended with ${result}:\n${text}")
  endif()
endfunction()

function(train)
  run(${TREE}/tools/lintel-perf/lintel-perf ${ARGN} --repeats 1)
endfunction()

foreach(api "--api=3" "--api=4" "--api=4;--notify=counters")
  train(put-lat ${api} --sizes 8,1K --iterations 10000)
  train(get-lat ${api} --sizes 8 --iterations 2000)
  train(msg-rate ${api} --sizes 8 --iterations 50000)
  train(put-bw ${api} --sizes 4K,64K --iterations 200)
  train(get-bw ${api} --sizes 64K --iterations 200)
endforeach()
train(fetch-lat --api=4 --sizes 8 --iterations 2000)

# MPI: two ranks.
set(program ${TREE}/mpi_perf)
run(${TREE}/mpi_layer/lintel-mpicc -O2 -o ${program} ${SOURCE}/bench/mpi/mpi_perf.c)
function(train_mpi)
  run(${TREE}/tools/lintel-run/lintel-run -n 2 ${program} ${ARGN})
endfunction()
train_mpi(latency 8 20000 100)
train_mpi(latency 1024 20000 100)
train_mpi(latency 16384 2000 100)
train_mpi(rate 8 50000 1000 64)
train_mpi(bandwidth 65536 1000 64 64)
train_mpi(allreduce 8 5000 100)
