#pragma once

#include <stop_token>
#include <vector>

#include "engine/core/progress.h"
#include "engine/verify/bucket_compare.h"
#include "engine/verify/verify.h"

namespace tidemark {

struct FirstPassResult {
  std::string method = "stream";
  std::vector<Bucket> buckets;
  std::uint64_t suspects = 0;
  KindCounts seen{};
  std::vector<Candidate> kept;  ///< The lowest keys that differ, in key order; at most VerifyOptions::differencesKept.
};

/// Compares the buckets of a scope: by the digests of both servers where they share a method, then row by row where the
/// digests differ; otherwise row by row everywhere.
FirstPassResult firstPass(Source& source, SinkReader& sink, const TableMapping& mapping, const Scope& scope,
                          const VerifyOptions& options, std::stop_token stop, ProgressMeter& meter);

}  // namespace tidemark
