#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tidemark::runbook {

/// Reads one JSON object of a profile field by field, remembers which fields were asked for, and refuses the others by
/// name. Private to profile.cpp.
class ProfileFields {
 public:
  ProfileFields(const nlohmann::json& object, std::string path);

  bool has(const std::string& name) const { return m_object.contains(name); }
  std::string required(const std::string& name);
  std::string optional(const std::string& name, const std::string& otherwise = {});
  /// One of `allowed`.
  std::string word(const std::string& name, const std::vector<std::string>& allowed);
  std::int64_t number(const std::string& name, std::int64_t otherwise, std::int64_t lowest, std::int64_t highest);
  std::vector<std::string> names(const std::string& name);
  std::map<std::string, std::string> pairs(const std::string& name);
  ProfileFields object(const std::string& name);
  /// Throws Error "profile.unknown_field" when the object has a field that nobody asked for.
  void finish() const;

  std::string path(const std::string& name) const;
  /// Throws Error "profile.field".
  [[noreturn]] void refuse(const std::string& name, const std::string& reason, const std::string& wayOut) const;

 private:
  const nlohmann::json* find(const std::string& name);
  const nlohmann::json& need(const std::string& name);

  nlohmann::json m_object;
  std::string m_path;
  std::set<std::string> m_known;
};

}  // namespace tidemark::runbook
