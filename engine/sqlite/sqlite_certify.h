#pragma once

#include <filesystem>
#include <memory>

#include "engine/certify/certify.h"

namespace tidemark {

/// Certifies a SQLite database in scratch tables "tidemark_scratch_…" of an existing file.
/// Belongs to the thread that made it. Throws what openSqliteSink throws.
std::unique_ptr<CertifyDialect> openSqliteCertification(const std::filesystem::path& file);

}  // namespace tidemark
