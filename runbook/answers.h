#pragma once

#include <string>

#include "engine/catalog/column_type.h"
#include "engine/scope/scope.h"
#include "engine/scope/table_mapping.h"
#include "runbook/run_state.h"

namespace tidemark::runbook {

/// Throws Error "answer.invalid" when `value` cannot answer the question: an unknown choice or one that cannot be
/// chosen, no number, a text that does not match, nothing where something is required.
void requireAnswer(const Question& question, const std::string& value);

/// A key as people write it: the plain value for a key of one column, a JSON array of texts otherwise. Throws Error
/// "answer.invalid" when the number of parts or a part's form does not fit.
Key parseKey(const TableMapping& mapping, const std::string& text);

/// Throws Error "answer.invalid" with `reason` and a way out.
[[noreturn]] void invalidAnswer(const std::string& reason, const std::string& wayOut);

}  // namespace tidemark::runbook
