#include "engine/catalog/column_type.h"

#include <gtest/gtest.h>

#include "engine/core/error.h"
#include "engine/scope/table_mapping.h"

namespace tidemark {
namespace {

TEST(TableNameText, IsReadInParts) {
  EXPECT_EQ(TableName::parse("orders"), (TableName{"", "orders"}));
  EXPECT_EQ(TableName::parse("public.orders"), (TableName{"public", "orders"}));
  EXPECT_EQ(TableName::parse("\"My.Schema\".\"Or\"\"ders\""), (TableName{"My.Schema", "Or\"ders"}));
  EXPECT_EQ(TableName::parse("public.\"Orders\"").display(), "public.Orders");
}

TEST(TableNameText, IsRefusedWhenItIsNone) {
  for (const char* text : {"", ".", "a.", ".a", "a.b.c", "\"a", "\"\"", "a\"b", "\"a\"b"}) {
    try {
      TableName::parse(text);
      ADD_FAILURE() << text << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "profile.table_name") << text;
    }
  }
}

TEST(DeclaredType, IsMappedFromTheCataloguesWords) {
  EXPECT_EQ(columnTypeOf("smallint").kind, ColumnKind::SmallInt);
  EXPECT_EQ(columnTypeOf("integer").kind, ColumnKind::Integer);
  EXPECT_EQ(columnTypeOf("int8").kind, ColumnKind::BigInt);
  EXPECT_EQ(columnTypeOf("text").kind, ColumnKind::Text);
  EXPECT_EQ(columnTypeOf("character varying(20)").kind, ColumnKind::Text);
  EXPECT_EQ(columnTypeOf("character varying(20)").declared, "character varying(20)");
  EXPECT_EQ(columnTypeOf("boolean").kind, ColumnKind::Boolean);
  EXPECT_EQ(columnTypeOf("date").kind, ColumnKind::Date);
  EXPECT_EQ(columnTypeOf("timestamp without time zone").kind, ColumnKind::Timestamp);
  EXPECT_EQ(columnTypeOf("timestamp(3) without time zone").kind, ColumnKind::Timestamp);
  EXPECT_EQ(columnTypeOf("timestamp(3) with time zone").kind, ColumnKind::TimestampTz);
  EXPECT_EQ(columnTypeOf("TIMESTAMPTZ").kind, ColumnKind::TimestampTz);
  EXPECT_EQ(columnTypeOf("uuid").kind, ColumnKind::Uuid);
  EXPECT_EQ(columnTypeOf("json").kind, ColumnKind::Json);
  EXPECT_EQ(columnTypeOf("jsonb").kind, ColumnKind::Jsonb);
  EXPECT_EQ(columnTypeOf("bytea").kind, ColumnKind::Bytea);
}

TEST(DeclaredType, KeepsTheScaleOfANumeric) {
  EXPECT_EQ(columnTypeOf("numeric(12,2)").scale, 2);
  EXPECT_EQ(columnTypeOf("numeric(12, 2)").scale, 2);
  EXPECT_EQ(columnTypeOf("numeric(12)").scale, 0);
  EXPECT_EQ(columnTypeOf("numeric(3,-2)").scale, -2);
  EXPECT_EQ(columnTypeOf("numeric").scale, std::nullopt);
  EXPECT_EQ(columnTypeOf("character varying(20)").scale, std::nullopt);
}

TEST(DeclaredType, KnowsTheSecondsPrecision) {
  EXPECT_EQ(secondsPrecision(columnTypeOf("timestamp(3) without time zone")), 3);
  EXPECT_EQ(secondsPrecision(columnTypeOf("timestamp(0) with time zone")), 0);
  EXPECT_EQ(secondsPrecision(columnTypeOf("timestamp without time zone")), 6);
}

TEST(DeclaredType, IsRefusedByNameWhenNotSupported) {
  for (const char* type : {"integer[]", "text[]", "numeric(12,2)[]", "money", "interval", "time without time zone",
                           "character(10)", "real", "double precision", "point", "inet", "xml", "hstore", "my_enum",
                           "timestamp with time zone[]", "bit(12)", ""}) {
    try {
      columnTypeOf(type, "c_odd");
      ADD_FAILURE() << type << " was mapped";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "catalog.type");
      EXPECT_NE(std::string(error.what()).find(type), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("c_odd"), std::string::npos);
    }
  }
}

TEST(CompareValues, OrdersNumbersByValue) {
  const auto less = [](ColumnKind kind, const char* a, const char* b) {
    EXPECT_EQ(compareValues(kind, a, b), std::strong_ordering::less) << a << " " << b;
    EXPECT_EQ(compareValues(kind, b, a), std::strong_ordering::greater) << a << " " << b;
  };
  less(ColumnKind::BigInt, "9", "10");
  less(ColumnKind::BigInt, "-10", "-9");
  less(ColumnKind::BigInt, "-9223372036854775808", "9223372036854775807");
  less(ColumnKind::BigInt, "99999999999999999999", "100000000000000000000");
  less(ColumnKind::Numeric, "9.99", "10");
  less(ColumnKind::Numeric, "0.45", "0.5");
  less(ColumnKind::Numeric, "-0.5", "-0.45");
  less(ColumnKind::Numeric, "-Infinity", "-99999999999999999999999.5");
  less(ColumnKind::Numeric, "99999999999999999999999.5", "Infinity");
  less(ColumnKind::Numeric, "Infinity", "NaN");
  EXPECT_EQ(compareValues(ColumnKind::Numeric, "1.0", "1.00"), std::strong_ordering::equal);
  EXPECT_EQ(compareValues(ColumnKind::Numeric, "-0.0", "0"), std::strong_ordering::equal);
}

TEST(CompareValues, OrdersTextBytewise) {
  EXPECT_EQ(compareValues(ColumnKind::Text, "Z", "a"), std::strong_ordering::less);
  EXPECT_EQ(compareValues(ColumnKind::Text, "z", "\xC3\xA4"), std::strong_ordering::less);
  EXPECT_EQ(compareValues(ColumnKind::Text, "10", "9"), std::strong_ordering::less);
  EXPECT_EQ(compareValues(ColumnKind::Text, "a", "ab"), std::strong_ordering::less);
}

TEST(CompareValues, RefusesKindsWithoutASharedOrder) {
  EXPECT_THROW(compareValues(ColumnKind::Json, "{}", "{}"), Error);
  EXPECT_THROW(compareValues(ColumnKind::Jsonb, "{}", "{}"), Error);
}

TEST(CompareKeys, GoesColumnByColumn) {
  const std::vector<ColumnKind> kinds{ColumnKind::BigInt, ColumnKind::Text};
  EXPECT_EQ(compareKeys(kinds, {"9", "b"}, {"10", "a"}), std::strong_ordering::less);
  EXPECT_EQ(compareKeys(kinds, {"9", "b"}, {"9", "a"}), std::strong_ordering::greater);
  EXPECT_EQ(compareKeys(kinds, {"9", "b"}, {"9", "b"}), std::strong_ordering::equal);
  EXPECT_THROW(compareKeys(kinds, {"9"}, {"9", "b"}), Error);
}

TEST(SameValue, IsExactButForTheWayAValueIsWritten) {
  const auto same = [](ColumnKind kind, const char* a, const char* b) {
    return sameValue(kind, Cell::of(a), Cell::of(b));
  };
  EXPECT_TRUE(same(ColumnKind::Uuid, "00000000-0000-0000-0000-00000000000A", "00000000-0000-0000-0000-00000000000a"));
  EXPECT_TRUE(same(ColumnKind::Timestamp, "2024-02-29 12:00:00.500", "2024-02-29 12:00:00.5"));
  EXPECT_TRUE(same(ColumnKind::TimestampTz, "2024-02-29 12:00:00.0+00", "2024-02-29 12:00:00+00"));
  EXPECT_TRUE(same(ColumnKind::Bytea, "\\xDE", "\\xde"));
  EXPECT_TRUE(same(ColumnKind::Integer, "007", "7"));
  EXPECT_FALSE(same(ColumnKind::Numeric, "1.0", "1.00"));
  EXPECT_FALSE(same(ColumnKind::Numeric, "1", "-1"));
  EXPECT_FALSE(same(ColumnKind::Text, "A", "a"));
  EXPECT_FALSE(same(ColumnKind::Json, "{\"a\":1}", "{\"a\": 1}"));
}

TEST(SameValue, TellsNullFromEmptyAndFromLeftOut) {
  EXPECT_TRUE(sameValue(ColumnKind::Text, Cell::null(), Cell::null()));
  EXPECT_FALSE(sameValue(ColumnKind::Text, Cell::null(), Cell::of("")));
  EXPECT_FALSE(sameValue(ColumnKind::Text, Cell::null(), Cell::leftOut()));
}

TEST(DisplayKey, NeverPrintsTwoKeysAlike) {
  EXPECT_EQ(displayKey({"1", "a"}), "1|a");
  EXPECT_NE(displayKey({"1|a"}), displayKey({"1", "a"}));
  EXPECT_NE(displayKey({"1\\", "a"}), displayKey({"1\\|a"}));
  EXPECT_NE(displayKey({"", ""}), displayKey({""}));
}

TEST(Shape, FindsColumnsByName) {
  const TableShape shape{
      {"public", "t"}, {{"id", columnTypeOf("bigint"), false}, {"v", columnTypeOf("text"), true}}, {0}};
  ASSERT_NE(shape.find("v"), nullptr);
  EXPECT_EQ(shape.find("v")->type.kind, ColumnKind::Text);
  EXPECT_EQ(shape.find("V"), nullptr);
}

TEST(Mapping, KnowsTheKindsOfItsKey) {
  TableMapping mapping;
  mapping.key = {{"a", "a", columnTypeOf("bigint")}, {"b", "b", columnTypeOf("text")}};
  EXPECT_EQ(mapping.keyKinds(), (std::vector<ColumnKind>{ColumnKind::BigInt, ColumnKind::Text}));
}

}  // namespace
}  // namespace tidemark
