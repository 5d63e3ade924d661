#include "runbook/profile_fields.h"

#include "engine/core/error.h"
#include "runbook/text.h"

namespace tidemark::runbook {

using nlohmann::json;

namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& each : words) result += (result.empty() ? "" : ", ") + each;
  return result;
}

}  // namespace

ProfileFields::ProfileFields(const json& object, std::string path) : m_object(object), m_path(std::move(path)) {
  if (m_object.is_object()) return;
  throw Error("profile.field", text("%1 must be an object.", m_path.empty() ? text("The profile") : m_path),
              {.hint = text("Compare with the sample profiles.")});
}

std::string ProfileFields::path(const std::string& name) const {
  return m_path.empty() ? name : m_path + "." + name;
}

void ProfileFields::refuse(const std::string& name, const std::string& reason, const std::string& wayOut) const {
  throw Error("profile.field", text("Field %1 of the profile: %2.", path(name), reason), {.hint = wayOut});
}

const json* ProfileFields::find(const std::string& name) {
  m_known.insert(name);
  const auto found = m_object.find(name);
  return found == m_object.end() ? nullptr : &*found;
}

const json& ProfileFields::need(const std::string& name) {
  const json* value = find(name);
  if (value != nullptr) return *value;
  throw Error("profile.missing_field", text("The profile has no field %1.", path(name)),
              {.hint = text("Add it; the sample profiles and the schema say what it holds.")});
}

std::string ProfileFields::required(const std::string& name) {
  const json& value = need(name);
  if (!value.is_string()) refuse(name, text("must be a text"), text("Write it in double quotes."));
  if (value.get<std::string>().empty()) refuse(name, text("must not be empty"), text("Name it."));
  return value.get<std::string>();
}

std::string ProfileFields::optional(const std::string& name, const std::string& otherwise) {
  const json* value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_string()) refuse(name, text("must be a text"), text("Write it in double quotes."));
  return value->get<std::string>();
}

std::string ProfileFields::word(const std::string& name, const std::vector<std::string>& allowed) {
  const std::string value = required(name);
  for (const std::string& each : allowed) {
    if (each == value) return value;
  }
  refuse(name, text("\"%1\" is not known", value), text("Write one of: %1.", listed(allowed)));
}

std::int64_t ProfileFields::number(const std::string& name, std::int64_t otherwise, std::int64_t lowest,
                                   std::int64_t highest) {
  const json* value = find(name);
  if (value == nullptr) return otherwise;
  const std::string range =
      text("Write a whole number from %1 to %2.", std::to_string(lowest), std::to_string(highest));
  if (!value->is_number_integer()) refuse(name, text("must be a whole number"), range);
  const bool tooLarge =
      value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(highest);
  if (tooLarge || value->get<std::int64_t>() < lowest || value->get<std::int64_t>() > highest) {
    refuse(name, text("%1 is out of range", value->dump()), range);
  }
  return value->get<std::int64_t>();
}

std::vector<std::string> ProfileFields::names(const std::string& name) {
  const json& value = need(name);
  const bool fits = value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), [](const json& each) {
                      return each.is_string() && !each.get<std::string>().empty();
                    });
  if (!fits) refuse(name, text("must be a list of column names"), text("For example: [\"source_lsn\"]."));
  return value.get<std::vector<std::string>>();
}

std::map<std::string, std::string> ProfileFields::pairs(const std::string& name) {
  const json* value = find(name);
  if (value == nullptr) return {};
  const bool fits = value->is_object() &&
                    std::all_of(value->begin(), value->end(), [](const json& each) { return each.is_string(); });
  if (!fits) refuse(name, text("must be an object of texts"), text("For example: {\"name\": \"value\"}."));
  return value->get<std::map<std::string, std::string>>();
}

ProfileFields ProfileFields::object(const std::string& name) {
  return ProfileFields(need(name), path(name));
}

void ProfileFields::finish() const {
  for (const auto& [name, value] : m_object.items()) {
    if (m_known.contains(name)) continue;
    throw Error(
        "profile.unknown_field", text("The profile has a field %1 that this version does not know.", path(name)),
        {.hint = text("Remove it or correct its spelling. Known here: %1.", listed({m_known.begin(), m_known.end()}))});
  }
}

}  // namespace tidemark::runbook
