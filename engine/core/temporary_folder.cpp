#include "engine/core/temporary_folder.h"

#include <cerrno>
#include <cstring>
#include <stdlib.h>
#include <string>
#include <system_error>

#include "engine/core/error.h"

namespace tidemark {

TemporaryFolder::TemporaryFolder(std::string_view name) {
  std::string pattern = (std::filesystem::temp_directory_path() / (std::string(name) + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    const int code = errno;
    ErrorDetail detail;
    detail.hint = "Set TMPDIR to a folder that you may write to.";
    detail.technical = std::strerror(code);
    detail.systemCode = std::to_string(code);
    throw Error("storage.temporary", "no temporary folder can be made at " + pattern, detail);
  }
  m_path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  // What cannot be removed is left to the system, which clears that folder by itself.
  std::error_code ignored;
  std::filesystem::remove_all(m_path, ignored);
}

}  // namespace tidemark
