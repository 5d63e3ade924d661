#include "engine/event/json_value.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "engine/core/error.h"

namespace tidemark {

namespace {

// Envelopes are about six deep; a text far beyond that is an attack on the stack, not an event.
constexpr std::size_t kDeepest = 200;

class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return place({}); }
  bool boolean(bool value) override {
    JsonValue node;
    node.type = JsonValue::Type::Boolean;
    node.boolean = value;
    return place(std::move(node));
  }
  bool number_integer(number_integer_t value) override { return placeNumber(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return placeNumber(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& digits) override { return placeNumber(digits); }
  bool string(string_t& value) override {
    JsonValue node;
    node.type = JsonValue::Type::String;
    node.text = std::move(value);
    return place(std::move(node));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonValue::Type::Object); }
  bool start_array(std::size_t) override { return open(JsonValue::Type::Array); }
  bool key(string_t& name) override {
    m_open.back()->members.push_back({std::move(name), {}});
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    m_reason = error.what();
    return false;
  }

  JsonValue& root() { return m_root; }
  const std::string& reason() const { return m_reason; }

 private:
  JsonValue* place(JsonValue&& node) {
    if (m_open.empty()) {
      m_root = std::move(node);
      return &m_root;
    }
    // Only the last child of an open node grows, so pointers to open nodes stay valid.
    JsonValue& parent = *m_open.back();
    if (parent.type == JsonValue::Type::Array) return &parent.items.emplace_back(std::move(node));
    parent.members.back().value = std::move(node);
    return &parent.members.back().value;
  }
  bool placeNumber(std::string digits) {
    JsonValue node;
    node.type = JsonValue::Type::Number;
    node.text = std::move(digits);
    return place(std::move(node)) != nullptr;
  }
  bool open(JsonValue::Type type) {
    if (m_open.size() >= kDeepest) {
      m_reason = "it is nested deeper than " + std::to_string(kDeepest) + " levels";
      return false;
    }
    JsonValue node;
    node.type = type;
    m_open.push_back(place(std::move(node)));
    return true;
  }
  bool close() {
    m_open.pop_back();
    return true;
  }

  JsonValue m_root;
  std::vector<JsonValue*> m_open;
  std::string m_reason;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const JsonMember& member : members)
    if (member.name == name) return &member.value;
  return nullptr;
}

std::string_view JsonValue::string(std::string_view name) const {
  const JsonValue* member = find(name);
  return member != nullptr && member->isString() ? std::string_view(member->text) : std::string_view{};
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (!isNumber()) return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool JsonValue::operator==(const JsonValue& other) const {
  if (type != other.type || boolean != other.boolean || text != other.text || items != other.items ||
      members.size() != other.members.size())
    return false;
  return std::all_of(members.begin(), members.end(), [&](const JsonMember& member) {
    const JsonValue* twin = other.find(member.name);
    return twin != nullptr && *twin == member.value;
  });
}

JsonValue parseJson(std::string_view text, std::string_view what) {
  TreeBuilder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    throw Error("event.json", "The event's " + std::string(what) + " is no JSON: " + builder.reason() + ".",
                {.hint = "Check the converter of the topic: Tidemark reads Connect's JSON, with or without schemas.",
                 .technical = std::string(text.substr(0, 500))});
  return std::move(builder.root());
}

Unwrapped unwrap(const JsonValue& value) {
  if (value.isObject() && value.members.size() == 2) {
    const JsonValue* schema = value.find("schema");
    const JsonValue* payload = value.find("payload");
    // A key may have columns of these very names: a schema is an object with a type, or null beside a null payload.
    if (schema != nullptr && payload != nullptr) {
      if (schema->isObject() && !schema->string("type").empty()) return {payload, schema};
      if (schema->isNull() && (payload->isNull() || payload->isObject())) return {payload, nullptr};
    }
  }
  return {&value, nullptr};
}

const JsonValue* fieldSchema(const JsonValue* structSchema, std::string_view field) {
  const JsonValue* fields = structSchema == nullptr ? nullptr : structSchema->find("fields");
  if (fields == nullptr) return nullptr;
  for (const JsonValue& candidate : fields->items)
    if (candidate.string("field") == field) return &candidate;
  return nullptr;
}

}  // namespace tidemark
