#include "engine/simulator/log_storage.h"

#include "engine/simulator/sql.h"

namespace tidemark::simulator {

namespace {

/// An order from a statement whose columns, from `first` on, are the table's.
Order orderOf(const Statement& row, int first) {
  Order order;
  order.id = row.integer(first);
  order.customer = row.text(first + 1);
  order.status = row.text(first + 2);
  order.total = row.text(first + 3);
  order.note = row.textOrNull(first + 4);
  order.updatedAt = row.text(first + 5);
  return order;
}

std::vector<LogEntry> readEntries(SqliteFile& file, std::int64_t commitEnd) {
  Statement rows(file, sql::kEntriesOfCommit);
  rows.bind(commitEnd).execute();
  std::vector<LogEntry> entries;
  while (rows.next()) {
    LogEntry entry;
    entry.position = rows.integer(0);
    entry.operation = rows.text(1).front();
    entry.noteUnchanged = rows.integer(2) != 0;
    entry.id = rows.integer(3);
    if (entry.operation != 'd') entry.after = orderOf(rows, 3);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

void writeLog(SqliteFile& file, const LoggedTransaction& transaction, bool visible) {
  Statement insert(file, sql::kInsertLogEntry);
  for (const LogEntry& entry : transaction.entries) {
    const Order* after = entry.after ? &*entry.after : nullptr;
    const auto value = [&](const std::string Order::*column) {
      return after ? std::optional<std::string>(after->*column) : std::nullopt;
    };
    insert.bind(entry.position).bind(transaction.commitEnd).bind(std::string(1, entry.operation)).bind(entry.id);
    insert.bind(value(&Order::customer)).bind(value(&Order::status)).bind(value(&Order::total));
    insert.bind(after ? after->note : std::nullopt).bind(value(&Order::updatedAt));
    insert.bind(std::int64_t{entry.noteUnchanged ? 1 : 0}).execute();
  }
  Statement(file, sql::kInsertCommit)
      .bind(transaction.commitEnd)
      .bind(transaction.commitPosition)
      .bind(transaction.transactionId)
      .bind(transaction.committedAt)
      .bind(std::int64_t{visible ? 1 : 0})
      .execute();
}

void applyToTable(SqliteFile& file, const LoggedTransaction& transaction) {
  Statement put(file, sql::kPutOrder);
  Statement remove(file, sql::kDeleteOrder);
  for (const LogEntry& entry : transaction.entries) {
    if (!entry.after) {
      remove.bind(entry.id).execute();
      continue;
    }
    const Order& order = *entry.after;
    put.bind(order.id).bind(order.customer).bind(order.status).bind(order.total).bind(order.note);
    put.bind(order.updatedAt).execute();
  }
  Statement(file, sql::kMakeVisible).bind(transaction.commitEnd).execute();
}

void redoInvisible(SqliteFile& file) {
  std::vector<std::int64_t> commits;
  {
    Statement rows(file, sql::kInvisibleCommits);
    rows.execute();
    while (rows.next()) commits.push_back(rows.integer(0));
  }
  for (const std::int64_t commitEnd : commits) {
    LoggedTransaction transaction;
    transaction.commitEnd = commitEnd;
    transaction.entries = readEntries(file, commitEnd);
    applyToTable(file, transaction);
  }
}

std::vector<LoggedTransaction> readTransactions(SqliteFile& file, std::int64_t afterCommitEnd, std::size_t limit) {
  std::vector<LoggedTransaction> transactions;
  {
    Statement rows(file, sql::kCommitsAfter);
    rows.bind(afterCommitEnd).bind(static_cast<std::int64_t>(limit)).execute();
    while (rows.next()) {
      LoggedTransaction transaction;
      transaction.commitEnd = rows.integer(0);
      transaction.commitPosition = rows.integer(1);
      transaction.transactionId = rows.integer(2);
      transaction.committedAt = rows.integer(3);
      transactions.push_back(std::move(transaction));
    }
  }
  for (LoggedTransaction& transaction : transactions) transaction.entries = readEntries(file, transaction.commitEnd);
  return transactions;
}

std::optional<Order> readOrder(SqliteFile& file, std::int64_t id) {
  Statement row(file, sql::kReadOrder);
  row.bind(id).execute();
  if (!row.next()) return std::nullopt;
  return orderOf(row, 0);
}

std::optional<std::string> readMeta(SqliteFile& file, const std::string& name) {
  Statement row(file, sql::kReadMeta);
  row.bind(name).execute();
  if (!row.next()) return std::nullopt;
  return row.text(0);
}

void writeMeta(SqliteFile& file, const std::string& name, const std::string& value) {
  Statement(file, sql::kWriteMeta).bind(name).bind(value).execute();
}

std::int64_t readNumber(SqliteFile& file, const char* statement) {
  Statement row(file, statement);
  row.execute();
  return row.next() ? row.integer(0) : 0;
}

}  // namespace tidemark::simulator
