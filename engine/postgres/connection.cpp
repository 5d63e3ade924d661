#include "engine/postgres/connection.h"

#include <charconv>
#include <chrono>
#include <cstring>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "engine/core/error.h"
#include "engine/postgres/connection_error.h"

namespace tidemark::postgres {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kConnectLimit = 15s;
constexpr auto kCancelAgain = 500ms;
constexpr std::size_t kCopyBuffer = 64 * 1024;

constexpr const char* kSessionSettings = R"sql(
SET client_encoding TO 'UTF8';
SET standard_conforming_strings TO on;
SET TimeZone TO 'UTC';
SET DateStyle TO 'ISO, MDY';
SET IntervalStyle TO 'postgres';
SET bytea_output TO 'hex';
SET extra_float_digits TO 3;
SET search_path TO '';
SET row_security TO off;
SET default_transaction_isolation TO 'read committed';
SET default_transaction_read_only TO off;
SET application_name TO 'tidemark';
SET lock_timeout TO '60s';
SET statement_timeout TO 0;
SET idle_in_transaction_session_timeout TO '10min';
)sql";

struct ResultDeleter {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ResultDeleter>;

const char* orEmpty(const char* text) {
  return text == nullptr ? "" : text;
}

std::string field(const PGresult* result, int code) {
  return orEmpty(PQresultErrorField(result, code));
}

/// Wakes a thread that waits on the server's socket.
class WakeUp {
 public:
  WakeUp() : m_descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~WakeUp() { close(m_descriptor); }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;
  void signal() const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(m_descriptor, &one, sizeof one);
  }
  void clear() const noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = read(m_descriptor, &count, sizeof count);
  }
  int descriptor() const { return m_descriptor; }

 private:
  int m_descriptor;
};

bool connectionStringReadable(const std::string& text) {
  char* reason = nullptr;
  PQconninfoOption* options = PQconninfoParse(text.c_str(), &reason);
  PQfreemem(reason);
  PQconninfoFree(options);
  return options != nullptr;
}

}  // namespace

struct Connection::State {
  PGconn* handle = nullptr;
  PGcancel* canceller = nullptr;
  std::string connectionString;
  std::string target;
  std::stop_token stop;
  WakeUp wakeUp;

  ~State() {
    PQfreeCancel(canceller);
    PQfinish(handle);
  }

  void connect();
  void pollConnect();
  void waitForSocket(short events, std::chrono::milliseconds limit);
  void cancelRunning() const noexcept;
  void requireNotStopped() const {
    if (stop.stop_requested()) throw Cancelled();
  }
  /// Waits for the next result of a sent statement; empty when there is none left.
  ResultHandle nextResult();
  void waitForInput();
  /// Takes results to the end and returns the last one, or the first that failed.
  ResultHandle finishStatement(const std::string& statement);
  void drain() noexcept;
  [[noreturn]] void fail(const PGresult* result, const std::string& statement);
  [[noreturn]] void failLost();
  void send(bool sent) {
    if (!sent) failLost();
  }
  ResultHandle run(const std::string& sql, const Parameters* parameters);
};

void Connection::State::waitForSocket(short events, std::chrono::milliseconds limit) {
  pollfd descriptors[2] = {{PQsocket(handle), events, 0}, {wakeUp.descriptor(), POLLIN, 0}};
  poll(descriptors, 2, static_cast<int>(limit.count()));
  // A wake-up that stayed readable would turn the next waits into a busy loop; the token itself remembers the stop.
  if (descriptors[1].revents != 0) wakeUp.clear();
}

void Connection::State::pollConnect() {
  const auto deadline = Clock::now() + kConnectLimit;
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
    requireNotStopped();
    if (Clock::now() > deadline) throw connectError({}, "no answer within 15 seconds", target, false);
    waitForSocket(status == PGRES_POLLING_READING ? POLLIN : POLLOUT, 200ms);
    pollfd ready{PQsocket(handle), static_cast<short>(status == PGRES_POLLING_READING ? POLLIN : POLLOUT), 0};
    if (poll(&ready, 1, 0) > 0) status = PQconnectPoll(handle);
  }
  if (status == PGRES_POLLING_OK) return;
  const std::string message = orEmpty(PQerrorMessage(handle));
  throw connectError(sqlStateInMessage(message), firstLine(message), target, PQconnectionNeedsPassword(handle) != 0);
}

void Connection::State::connect() {
  // The message of the parser may quote what stands beside a password, so it is not passed on.
  if (!connectionStringReadable(connectionString))
    throw Error("postgres.connection_string", "the connection string cannot be read",
                {"Write it as \"host=… port=… dbname=… user=…\" or as a postgresql:// address.", {}, {}, false, false});
  const char* keywords[] = {"fallback_application_name", "keepalives_idle", "tcp_user_timeout", "dbname", nullptr};
  const char* values[] = {"tidemark", "30", "60000", connectionString.c_str(), nullptr};
  handle = PQconnectStartParams(keywords, values, 1);
  if (handle == nullptr) throw std::bad_alloc();
  target = "server of the connection string";
  if (PQstatus(handle) == CONNECTION_BAD)
    throw connectError({}, firstLine(orEmpty(PQerrorMessage(handle))), target, false);
  target = std::string(orEmpty(PQdb(handle))) + " on " + orEmpty(PQhost(handle)) + ":" + orEmpty(PQport(handle)) +
           " as " + orEmpty(PQuser(handle));
  // Only a verbose message tells the SQLSTATE of a refused log-in.
  PQsetErrorVerbosity(handle, PQERRORS_VERBOSE);
  pollConnect();
  PQsetErrorVerbosity(handle, PQERRORS_DEFAULT);
  PQsetNoticeProcessor(
      handle, [](void*, const char*) {}, nullptr);
  canceller = PQgetCancel(handle);
  PQsendQuery(handle, kSessionSettings);
  finishStatement("session settings");
}

void Connection::State::cancelRunning() const noexcept {
  char reason[256];
  if (canceller != nullptr) PQcancel(canceller, reason, sizeof reason);
}

void Connection::State::failLost() {
  throw lostError(firstLine(orEmpty(PQerrorMessage(handle))), target);
}

void Connection::State::fail(const PGresult* result, const std::string& statement) {
  const std::string sqlState = field(result, PG_DIAG_SQLSTATE);
  if (sqlState == "57014" && stop.stop_requested()) throw Cancelled();
  if (sqlState.empty() && PQstatus(handle) == CONNECTION_BAD) failLost();
  std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = firstLine(orEmpty(PQresultErrorMessage(result)));
  std::string detail = field(result, PG_DIAG_MESSAGE_DETAIL);
  const std::string serverHint = field(result, PG_DIAG_MESSAGE_HINT);
  if (!serverHint.empty()) detail += (detail.empty() ? "" : "\n") + serverHint;
  const std::string context = field(result, PG_DIAG_CONTEXT);
  if (!context.empty()) detail += (detail.empty() ? "" : "\n") + context;
  throw statementError(sqlState, message, detail, statement, field(result, PG_DIAG_SOURCE_FUNCTION));
}

void Connection::State::waitForInput() {
  auto cancelledAt = Clock::time_point::min();
  while (PQisBusy(handle)) {
    // Sent again while the statement runs: the first request may have come before the statement did.
    if (stop.stop_requested() &&
        (cancelledAt == Clock::time_point::min() || Clock::now() - cancelledAt > kCancelAgain)) {
      cancelRunning();
      cancelledAt = Clock::now();
    }
    waitForSocket(POLLIN, stop.stop_requested() ? 50ms : 1000ms);
    if (PQconsumeInput(handle) == 0) failLost();
  }
}

ResultHandle Connection::State::nextResult() {
  waitForInput();
  return ResultHandle(PQgetResult(handle));
}

void Connection::State::drain() noexcept {
  while (PGresult* result = PQgetResult(handle)) {
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (PQstatus(handle) == CONNECTION_BAD || status == PGRES_COPY_IN || status == PGRES_COPY_OUT) return;
  }
}

ResultHandle Connection::State::finishStatement(const std::string& statement) {
  ResultHandle last;
  while (ResultHandle result = nextResult()) {
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) return result;
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY) {
      drain();
      fail(result.get(), statement);
    }
    last = std::move(result);
  }
  if (!last) failLost();
  return last;
}

ResultHandle Connection::State::run(const std::string& sql, const Parameters* parameters) {
  requireNotStopped();
  if (PQstatus(handle) == CONNECTION_BAD) failLost();
  if (parameters == nullptr) {
    send(PQsendQuery(handle, sql.c_str()) == 1);
    return finishStatement(sql);
  }
  std::vector<const char*> values;
  values.reserve(parameters->size());
  for (const Value& value : *parameters) values.push_back(value ? value->c_str() : nullptr);
  send(PQsendQueryParams(handle, sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr, nullptr,
                         0) == 1);
  return finishStatement(sql);
}

namespace {

std::uint64_t affectedRows(PGresult* result) {
  const std::string_view text = orEmpty(PQcmdTuples(result));
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

Result toResult(PGresult* handle) {
  Result result;
  const int columns = PQnfields(handle);
  const int rows = PQntuples(handle);
  for (int column = 0; column < columns; ++column) result.columns.emplace_back(PQfname(handle, column));
  result.rows.resize(static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row) {
    auto& values = result.rows[static_cast<std::size_t>(row)];
    values.resize(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
      if (PQgetisnull(handle, row, column)) continue;
      values[static_cast<std::size_t>(column)].emplace(PQgetvalue(handle, row, column),
                                                       static_cast<std::size_t>(PQgetlength(handle, row, column)));
    }
  }
  result.affected = affectedRows(handle);
  return result;
}

}  // namespace

const std::string& Result::text(std::size_t row, std::size_t column) const {
  static const std::string empty;
  const Value& value = rows.at(row).at(column);
  return value ? *value : empty;
}

std::int64_t Result::number(std::size_t row, std::size_t column) const {
  const std::string& value = text(row, column);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Connection::Connection(std::string connectionString, std::stop_token stop) : m_state(std::make_unique<State>()) {
  m_state->connectionString = std::move(connectionString);
  m_state->stop = std::move(stop);
  m_state->connect();
  m_state->stop = {};
}

Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

Result Connection::exec(const std::string& sql, const Parameters& parameters) {
  return toResult(m_state->run(sql, &parameters).get());
}

void Connection::execScript(const std::string& sql) {
  m_state->run(sql, nullptr);
}

Value Connection::scalar(const std::string& sql, const Parameters& parameters) {
  Result result = exec(sql, parameters);
  if (result.rows.size() != 1 || result.columns.empty())
    throw Error("postgres.statement", "one row was expected, the server sent " + std::to_string(result.rows.size()),
                {{}, sql, {}, false, false});
  return std::move(result.rows[0][0]);
}

void Connection::begin(Isolation isolation, Access access) {
  const char* level = isolation == Isolation::RepeatableRead ? "REPEATABLE READ"
                      : isolation == Isolation::Serializable ? "SERIALIZABLE"
                                                             : "READ COMMITTED";
  execScript(std::string("BEGIN ISOLATION LEVEL ") + level +
             (access == Access::ReadOnly ? " READ ONLY" : " READ WRITE"));
}

void Connection::commit() {
  if (!alive()) m_state->failLost();
  ResultHandle result;
  try {
    m_state->send(PQsendQuery(m_state->handle, "COMMIT") == 1);
    // A stop request must not turn a commit's answer away: the wait goes on whatever the token says.
    const std::stop_token stop = std::exchange(m_state->stop, {});
    struct Restore {
      State& state;
      std::stop_token stop;
      ~Restore() { state.stop = stop; }
    } restore{*m_state, stop};
    result = m_state->finishStatement("COMMIT");
  } catch (const Error& error) {
    if (error.code() != "postgres.lost") throw;
    ErrorDetail detail = error.detail();
    detail.inDoubt = true;
    detail.hint = "Whether the commit took place has to be looked up before anything is done again.";
    throw Error("postgres.in_doubt", "the answer to a commit was lost: " + m_state->target, std::move(detail));
  }
  if (std::strcmp(PQcmdStatus(result.get()), "COMMIT") != 0)
    throw Error("postgres.rolled_back", "the server rolled the transaction back instead of committing it",
                {"An earlier statement of the transaction had failed.", {}, "25P02", false, false});
}

void Connection::rollback() noexcept {
  if (!alive() || !inTransaction()) return;
  const std::stop_token stop = std::exchange(m_state->stop, {});
  if (PQsendQuery(m_state->handle, "ROLLBACK") == 1) m_state->drain();
  m_state->stop = stop;
}

bool Connection::inTransaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(m_state->handle);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE;
}

CopyIn Connection::copyIn(const std::string& sql) {
  const ResultHandle result = m_state->run(sql, nullptr);
  if (PQresultStatus(result.get()) != PGRES_COPY_IN)
    throw Error("postgres.statement", "the statement is no COPY FROM STDIN", {{}, sql, {}, false, false});
  return CopyIn(*m_state);
}

CopyOut Connection::copyOut(const std::string& sql) {
  const ResultHandle result = m_state->run(sql, nullptr);
  if (PQresultStatus(result.get()) != PGRES_COPY_OUT)
    throw Error("postgres.statement", "the statement is no COPY TO STDOUT", {{}, sql, {}, false, false});
  return CopyOut(*m_state);
}

void Connection::cancel() const noexcept {
  m_state->cancelRunning();
}

int Connection::serverVersion() const {
  return PQserverVersion(m_state->handle);
}
bool Connection::alive() const {
  return PQstatus(m_state->handle) == CONNECTION_OK;
}
int Connection::backendPid() const {
  return PQbackendPID(m_state->handle);
}
std::string Connection::describe() const {
  return m_state->target;
}
const std::string& Connection::connectionString() const {
  return m_state->connectionString;
}

std::string Connection::serverVersionName() const {
  const std::string name = orEmpty(PQparameterStatus(m_state->handle, "server_version"));
  return name.substr(0, name.find(' '));
}

CopyIn::CopyIn(CopyIn&& other) noexcept
    : m_state(std::exchange(other.m_state, nullptr)), m_buffer(std::move(other.m_buffer)) {}

CopyIn::~CopyIn() {
  if (m_state == nullptr) return;
  PQputCopyEnd(m_state->handle, "abandoned by the client");
  m_state->drain();
}

void CopyIn::flush() {
  m_state->requireNotStopped();
  if (m_buffer.empty()) return;
  if (PQputCopyData(m_state->handle, m_buffer.data(), static_cast<int>(m_buffer.size())) != 1) m_state->failLost();
  m_buffer.clear();
}

void CopyIn::write(std::string_view text) {
  m_buffer.append(text);
  if (m_buffer.size() >= kCopyBuffer) flush();
}

std::uint64_t CopyIn::finish() {
  flush();
  Connection::State& state = *std::exchange(m_state, nullptr);
  if (PQputCopyEnd(state.handle, nullptr) != 1) state.failLost();
  return affectedRows(state.finishStatement("COPY FROM STDIN").get());
}

CopyOut::CopyOut(CopyOut&& other) noexcept
    : m_state(std::exchange(other.m_state, nullptr)), m_line(std::exchange(other.m_line, nullptr)) {}

void CopyOut::release() {
  PQfreemem(m_line);
  m_line = nullptr;
}

CopyOut::~CopyOut() {
  release();
  if (m_state == nullptr) return;
  m_state->cancelRunning();
  char* line = nullptr;
  while (PQgetCopyData(m_state->handle, &line, 0) > 0) PQfreemem(line);
  m_state->drain();
}

bool CopyOut::next(std::string_view& line) {
  if (m_state == nullptr) return false;
  release();
  for (;;) {
    m_state->requireNotStopped();
    const int length = PQgetCopyData(m_state->handle, &m_line, 1);
    if (length > 0) {
      line = std::string_view(m_line, static_cast<std::size_t>(length));
      if (line.ends_with('\n')) line.remove_suffix(1);
      return true;
    }
    if (length < 0) {
      Connection::State& state = *std::exchange(m_state, nullptr);
      if (length == -2) state.failLost();
      state.finishStatement("COPY TO STDOUT");
      return false;
    }
    m_state->waitForSocket(POLLIN, 1000ms);
    if (PQconsumeInput(m_state->handle) == 0) m_state->failLost();
  }
}

struct StopScope::Link {
  struct Wake {
    const WakeUp* wakeUp;
    void operator()() const noexcept { wakeUp->signal(); }
  };
  Link(Connection::State& connectionState, std::stop_token token)
      : state(connectionState), callback(token, Wake{&connectionState.wakeUp}) {
    state.stop = std::move(token);
  }
  ~Link() {
    state.stop = {};
    state.wakeUp.clear();
  }
  Connection::State& state;
  std::stop_callback<Wake> callback;
};

StopScope::StopScope(std::unique_ptr<Link> link) : m_link(std::move(link)) {}
StopScope::~StopScope() = default;
StopScope::StopScope(StopScope&&) noexcept = default;

StopScope Connection::stopScope(std::stop_token stop) {
  return StopScope(std::make_unique<StopScope::Link>(*m_state, std::move(stop)));
}

}  // namespace tidemark::postgres
