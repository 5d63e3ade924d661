#include "engine/event/value_decoder.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "engine/core/error.h"
#include "engine/event/binary_text.h"
#include "engine/event/decimal_text.h"
#include "engine/event/time_text.h"

namespace tidemark {

namespace {

constexpr std::string_view kConnectDecimal = "org.apache.kafka.connect.data.Decimal";
constexpr std::string_view kConnectTimestamp = "org.apache.kafka.connect.data.Timestamp";

// What the PostgreSQL driver makes of infinite timestamps; the connector passes the numbers on whatever the unit.
constexpr std::int64_t kPositiveInfinity = 9'223'372'036'825'200'000;
constexpr std::int64_t kNegativeInfinity = -9'223'372'036'832'400'000;

struct Context {
  const ColumnType& type;
  const std::string& column;
  const JsonValue& value;
  const JsonValue* schema;
  const EventEncodings& encodings;

  std::string_view schemaName() const { return schema == nullptr ? std::string_view{} : schema->string("name"); }
  std::string_view schemaType() const { return schema == nullptr ? std::string_view{} : schema->string("type"); }
};

[[noreturn]] void refuse(const Context& at, const std::string& reason, const std::string& hint = {}) {
  std::string shown = at.value.text.substr(0, 60);
  if (at.value.type == JsonValue::Type::Object) shown = "an object";
  if (at.value.type == JsonValue::Type::Array) shown = "an array";
  if (at.value.type == JsonValue::Type::Boolean) shown = at.value.boolean ? "true" : "false";
  const std::string name = at.schemaName().empty() ? std::string(at.schemaType()) : std::string(at.schemaName());
  throw Error("event.type",
              "Column \"" + at.column + "\" (" + std::string(kindName(at.type.kind)) + ") cannot hold " + shown +
                  (name.empty() ? "" : " of schema " + name) + ": " + reason + ".",
              {.hint = hint.empty() ? "Check that the mapping's type is the column's type at the source, and that no "
                                      "transform changes the value."
                                    : hint});
}

bool isInteger(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string integerText(const Context& at) {
  if ((!at.value.isNumber() && !at.value.isString()) || !isInteger(at.value.text)) refuse(at, "it is no integer");
  return *canonicalDecimal(at.value.text, 0);
}

std::string base64Decimal(const Context& at, const JsonValue& value, int scale) {
  const auto bytes = value.isString() ? decodeBase64(value.text) : std::nullopt;
  if (!bytes) refuse(at, "it is no base64");
  const auto text = canonicalDecimal(decimalFromBytes(*bytes, scale), at.type.scale);
  if (!text) refuse(at, "it has more decimals than " + at.type.declared + " holds");
  return *text;
}

std::string plainDecimal(const Context& at) {
  if (!canonicalDecimal(at.value.text, std::nullopt)) refuse(at, "it is no number");
  const auto text = canonicalDecimal(at.value.text, at.type.scale);
  if (!text) refuse(at, "it has more decimals than " + at.type.declared + " holds");
  return *text;
}

/// A string without a schema. With a scale above zero a plain number has a point, which base64 has not.
std::string decimalString(const Context& at) {
  const bool fixedScale = at.type.scale.has_value();
  const bool plain = canonicalDecimal(at.value.text, std::nullopt).has_value();
  const bool base64 = fixedScale && decodeBase64(at.value.text).has_value();
  switch (at.encodings.decimals) {
    case DecimalStrings::Plain:
      return plainDecimal(at);
    case DecimalStrings::Base64:
      if (fixedScale) return base64Decimal(at, at.value, *at.type.scale);
      refuse(at, "base64 needs a scale, and neither a schema nor the type has one");
    case DecimalStrings::Unknown:
      break;
  }
  if (plain && base64)
    refuse(at, "it can be read as a number and as base64",
           "Say how decimals are written (the connector's decimal.handling.mode), or turn schemas on.");
  return base64 ? base64Decimal(at, at.value, *at.type.scale) : plainDecimal(at);
}

std::string numericText(const Context& at) {
  const JsonValue& value = at.value;
  if (value.isNumber()) return plainDecimal(at);
  if (value.isObject()) {  // io.debezium.data.VariableScaleDecimal
    const JsonValue* scale = value.find("scale");
    const JsonValue* unscaled = value.find("value");
    const auto places = scale == nullptr ? std::nullopt : scale->integer();
    if (!places || unscaled == nullptr || std::abs(*places) > 150'000) refuse(at, "it has no scale and value");
    return base64Decimal(at, *unscaled, static_cast<int>(*places));
  }
  if (!value.isString()) refuse(at, "it is no number");
  if (at.schemaName() == kConnectDecimal) {
    const JsonValue* parameters = at.schema->find("parameters");
    const std::string_view scale = parameters == nullptr ? std::string_view{} : parameters->string("scale");
    int places = 0;
    const auto read = std::from_chars(scale.data(), scale.data() + scale.size(), places);
    if (read.ec != std::errc{}) refuse(at, "its schema names no scale");
    return base64Decimal(at, value, places);
  }
  if (at.schemaType() == "string") return plainDecimal(at);
  return decimalString(at);
}

std::string booleanText(const Context& at) {
  if (at.value.type != JsonValue::Type::Boolean) refuse(at, "it is no boolean");
  return at.value.boolean ? "true" : "false";
}

std::string dateValue(const Context& at) {
  std::optional<std::int64_t> days = at.value.integer();
  if (!days && at.value.isString()) {
    if (at.value.text == "infinity" || at.value.text == "-infinity") return at.value.text;
    if (const auto moment = parseIsoMoment(at.value.text)) days = moment->days;
  }
  if (!days) refuse(at, "it is neither days since 1970 nor an ISO date");
  const auto text = dateText(*days);
  if (!text)
    refuse(at, "the day lies outside what a date can hold",
           "The connector turns infinite dates into an arbitrary day. Load this row by SQL, or leave the column out.");
  return *text;
}

std::int64_t unitsPerSecond(const Context& at) {
  const std::string_view name = at.schemaName();
  if (name == "io.debezium.time.Timestamp" || name == kConnectTimestamp) return 1'000;
  if (name == "io.debezium.time.MicroTimestamp") return 1'000'000;
  if (name == "io.debezium.time.NanoTimestamp") return 1'000'000'000;
  if (!name.empty()) refuse(at, "a number of that schema is no timestamp");
  return secondsPrecision(at.type) <= 3 ? 1'000 : 1'000'000;
}

std::string timestampValue(const Context& at, std::string_view zone) {
  std::optional<Moment> moment;
  if (const auto count = at.value.integer()) {
    if (*count == kPositiveInfinity) return "infinity";
    if (*count == kNegativeInfinity) return "-infinity";
    moment = momentFromEpoch(*count, unitsPerSecond(at));
  } else if (at.value.isString()) {
    if (at.value.text == "infinity" || at.value.text == "-infinity") return at.value.text;
    moment = parseIsoMoment(at.value.text);
    if (moment == momentFromEpoch(kPositiveInfinity, 1'000'000)) return "infinity";
    if (moment == momentFromEpoch(kNegativeInfinity, 1'000'000)) return "-infinity";
  }
  if (!moment) refuse(at, "it is neither a time since 1970 nor an ISO time");
  const auto text = timestampText(*moment, zone);
  if (!text) refuse(at, "the time lies outside what a timestamp can hold");
  return *text;
}

std::string uuidText(const Context& at) {
  std::string text = at.value.isString() ? at.value.text : std::string{};
  bool good = text.size() == 36;
  for (std::size_t i = 0; good && i < text.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    good = hyphen ? text[i] == '-' : std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  if (!good) refuse(at, "it is no uuid");
  return text;
}

std::string stringText(const Context& at) {
  if (!at.value.isString()) refuse(at, "it is no string");
  return at.value.text;
}

std::optional<std::string> decodeBinary(std::string_view text, BinaryStrings encoding) {
  switch (encoding) {
    case BinaryStrings::Base64:
      return decodeBase64(text);
    case BinaryStrings::Base64Url:
      return decodeBase64(text, true);
    case BinaryStrings::Hex:
      return decodeHex(text);
    case BinaryStrings::Unknown:
      break;
  }
  return std::nullopt;
}

/// The bytes of a bytea's text. A schema of type bytes means base64; a string needs the setting, or must be such that
/// only one reading is possible.
std::string binaryBytes(const Context& at) {
  if (!at.value.isString()) refuse(at, "it is no string");
  const std::string& text = at.value.text;
  BinaryStrings encoding = at.encodings.binaries;
  if (at.schemaType() == "bytes") encoding = BinaryStrings::Base64;
  if (encoding == BinaryStrings::Unknown) {
    const auto hex = decodeHex(text);
    const auto base64 = decodeBase64(text);
    const auto url = decodeBase64(text, true);
    if (hex && base64 && hex != base64)
      refuse(at, "it can be read as hexadecimal and as base64",
             "Say how bytes are written (the connector's binary.handling.mode), or turn schemas on.");
    // Where both alphabets of base64 can read a text they agree on it.
    if (hex || base64 || url) return hex ? *hex : base64 ? *base64 : *url;
    refuse(at, "it is neither base64 nor hexadecimal");
  }
  const auto bytes = decodeBinary(text, encoding);
  if (!bytes) refuse(at, "it is not in the encoding that was set");
  return *bytes;
}

/// The connector writes the placeholder in the column's own encoding.
bool isPlaceholder(const Context& at) {
  if (!at.value.isString() || at.encodings.placeholder.empty()) return false;
  const std::string& placeholder = at.encodings.placeholder;
  if (at.value.text == placeholder) return true;
  if (at.type.kind != ColumnKind::Bytea || at.value.text.size() < placeholder.size()) return false;
  for (const auto encoding : {BinaryStrings::Base64, BinaryStrings::Base64Url, BinaryStrings::Hex})
    if (decodeBinary(at.value.text, encoding) == placeholder) return true;
  return false;
}

std::string canonicalText(const Context& at) {
  switch (at.type.kind) {
    case ColumnKind::SmallInt:
    case ColumnKind::Integer:
    case ColumnKind::BigInt:
      return integerText(at);
    case ColumnKind::Numeric:
      return numericText(at);
    case ColumnKind::Boolean:
      return booleanText(at);
    case ColumnKind::Date:
      return dateValue(at);
    case ColumnKind::Timestamp:
      return timestampValue(at, "");
    case ColumnKind::TimestampTz:
      return timestampValue(at, "+00");
    case ColumnKind::Uuid:
      return uuidText(at);
    case ColumnKind::Text:
    case ColumnKind::Json:
    case ColumnKind::Jsonb:
      return stringText(at);
    case ColumnKind::Bytea:
      return byteaText(binaryBytes(at));
  }
  refuse(at, "its type is not supported");
}

}  // namespace

Cell decodeValue(const ColumnType& type, const std::string& column, const JsonValue& value, const JsonValue* schema,
                 const EventEncodings& encodings) {
  const Context at{type, column, value, schema, encodings};
  if (value.isNull()) return Cell::null();
  if (isPlaceholder(at)) return Cell::leftOut();
  return Cell::of(canonicalText(at));
}

}  // namespace tidemark
