#pragma once

#include <filesystem>
#include <string_view>

namespace tidemark {

/// A new folder of its own under the system's folder for temporary files, readable by this user alone; removed with
/// everything in it when the object ends.
class TemporaryFolder {
 public:
  /// The folder's name begins with `name`. Throws Error "storage.temporary" when none can be made.
  explicit TemporaryFolder(std::string_view name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
};

}  // namespace tidemark
