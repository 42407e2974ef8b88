#pragma once
// The reports for programs: one JSON document, or comma separated values. Both name the unit in each key.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "row.h"
#include "run_description.h"

namespace lintel::perf {

// `error`: empty if the run went through; else the document holds the sizes that were done.
nlohmann::ordered_json json_report(const RunDescription& run, const std::vector<Row>& rows, const std::string& error);

std::string csv_report(const RunDescription& run, const std::vector<Row>& rows);

// Writes `text` to the file, or to stdout if it is "-". Throws Failure(kUnusable) if that cannot be done.
void write_report(const std::string& file, const std::string& text);

// Throws Failure(kUnusable) if the file cannot be written, before any measuring is done. Leaves an empty file.
void claim_report(const char* option, const std::string& file);

}  // namespace lintel::perf
