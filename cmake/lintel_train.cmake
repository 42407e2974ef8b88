# What lintel-perf of the tree TREE, which counts, is run for: each kind of operation, by each way to learn of its end. Most are small ones: a large one counts its
# waiting, not its way. A run that fails leaves its part of the profile out.
function(train)
  execute_process(COMMAND ${TREE}/tools/lintel-perf/lintel-perf ${ARGN} --repeats 1
    RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text TIMEOUT 60)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(WARNING "The profile of the libraries lacks what \"lintel-perf ${arguments}\" does, which has ended with ${result}:\n${text}")
  endif()
endfunction()

foreach(api "--api=3" "--api=4" "--api=4;--notify=counters")
  train(put-lat ${api} --sizes 8,1K --iterations 10000)
  train(get-lat ${api} --sizes 8 --iterations 2000)
  train(msg-rate ${api} --sizes 8 --iterations 50000)
  train(put-bw ${api} --sizes 4K,64K --iterations 200)
  train(get-bw ${api} --sizes 64K --iterations 200)
endforeach()
train(fetch-lat --api=4 --sizes 8 --iterations 2000)
