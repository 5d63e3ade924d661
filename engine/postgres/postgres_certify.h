#pragma once

#include <memory>
#include <string>

#include "engine/certify/certify.h"

namespace tidemark {

/// Certifies a PostgreSQL database in a scratch table of the schema tidemark, where the role may make one, or else of
/// a schema tidemark_scratch that is dropped with it. Throws Error "certify.no_scratch" when the role may do neither.
std::unique_ptr<CertifyDialect> openPostgresCertification(const std::string& connection);

}  // namespace tidemark
