#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark {

struct JsonMember;

/// A JSON text as a tree in which numbers keep the digits they were written with: neither long integers nor decimals
/// pass through a binary number. Private to the engine's event part.
struct JsonValue {
  enum class Type : std::uint8_t { Null, Boolean, Number, String, Array, Object };

  Type type = Type::Null;
  bool boolean = false;
  std::string text;                 ///< Of a string its value, of a number its digits.
  std::vector<JsonValue> items;     ///< Of an array.
  std::vector<JsonMember> members;  ///< Of an object, in the order in which they stand.

  bool isNull() const { return type == Type::Null; }
  bool isNumber() const { return type == Type::Number; }
  bool isString() const { return type == Type::String; }
  bool isObject() const { return type == Type::Object; }

  /// The member of that name, or null when this is no object or has none.
  const JsonValue* find(std::string_view name) const;
  /// The member's text when it is a string; empty otherwise.
  std::string_view string(std::string_view name) const;
  /// The value of an integral number that fits into 64 bits.
  std::optional<std::int64_t> integer() const;
  /// The same value: members may stand in any order.
  bool operator==(const JsonValue& other) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Throws Error "event.json" that says where and why; `what` names the text in the message ("key", "value").
JsonValue parseJson(std::string_view text, std::string_view what);

/// The payload of a {"schema": …, "payload": …} wrapper and its schema; a value without wrapper stands for itself.
struct Unwrapped {
  const JsonValue* payload = nullptr;
  const JsonValue* schema = nullptr;  ///< Null without wrapper.
};
Unwrapped unwrap(const JsonValue& value);

/// The schema of a struct's field, or null.
const JsonValue* fieldSchema(const JsonValue* structSchema, std::string_view field);

}  // namespace tidemark
