#include "engine/simulator/demo_world.h"

#include <csignal>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "engine/load/load.h"
#include "engine/simulator/session.h"
#include "engine/verify/verify.h"
#include "tests/support/temporary_folder.h"

namespace tidemark {

/// Found by the test library where it prints a failure.
void PrintTo(const SeededDifferences& found, std::ostream* out);
void PrintTo(const SeededDifferences& found, std::ostream* out) {
  *out << found.missing << " missing, " << found.stale << " stale, " << found.ghosts << " ghosts";
}

}  // namespace tidemark

namespace tidemark::test {
namespace {

DemoOptions smallOptions() {
  DemoOptions options;
  options.rows = 600;
  options.differences = {12, 15, 8};
  options.transactionsPerSecond = 400;
  options.olderTransactionAge = std::chrono::milliseconds(50);
  return options;
}

/// Live rows by key.
std::map<Key, Row> contents(RowStream& stream) {
  std::map<Key, Row> rows;
  StoredRow row;
  while (stream.next(row)) rows[row.key] = row.payload;
  return rows;
}

/// What differs, counted as the demo declares it.
SeededDifferences differences(const DemoWorld& world) {
  const auto source = contents(*world.openSource()->rows(world.mapping(), {}));
  const auto sink = contents(*world.openSink()->rows(world.mapping(), {}, SinkRows::Live, {}, true));
  SeededDifferences found{0, 0, 0};
  for (const auto& [key, row] : source) {
    const auto stored = sink.find(key);
    if (stored == sink.end()) {
      ++found.missing;
    } else if (stored->second != row) {
      ++found.stale;
    }
  }
  for (const auto& [key, row] : sink) found.ghosts += source.contains(key) ? 0 : 1;
  return found;
}

/// Lets the writers commit `count` transactions more.
void letWritersWork(const DemoWorld& world, std::uint64_t count) {
  const std::uint64_t until = world.writtenTransactions() + count;
  while (world.writtenTransactions() < until) {
    world.rethrowFailure();
    std::this_thread::yield();
  }
}

Segment load(DemoWorld& world, const std::filesystem::path& keyFile) {
  const auto source = world.openSource();
  const auto sink = world.openSink();
  LoadRequest request;
  request.mapping = world.mapping();
  request.boundary = source->captureBoundary({}, {}, {});
  request.keyFile = keyFile;
  request.pace.batchRows = 50;
  PauseControl control;
  NoProgress progress;
  return loadSegment(
      *source, *sink, request, control, [](const Segment&) {}, {}, progress);
}

class DemoWorldTest : public testing::Test {
 protected:
  TemporaryFolder m_folder;
  std::unique_ptr<DemoWorld> m_world = DemoWorld::open(m_folder / "world", smallOptions());
};

TEST_F(DemoWorldTest, beginsWithExactlyTheDeclaredDifferences) {
  EXPECT_EQ(m_world->seeded(), (SeededDifferences{12, 15, 8}));
  EXPECT_EQ(differences(*m_world), m_world->seeded());
  EXPECT_GT(m_world->openSink()->countMarkers(m_world->mapping(), {}), 0U);
}

TEST_F(DemoWorldTest, verificationFindsTheDeclaredDifferencesAmongLiveWriters) {
  m_world->start();
  letWritersWork(*m_world, 20);
  VerifyOptions options;
  options.rowsPerBucket = 100;
  options.betweenPasses = [&] { m_world->waitUntilSinkCaughtUp(); };
  NoProgress progress;
  const VerifyReport report =
      verify(*m_world->openSource(), *m_world->openSink(), m_world->mapping(), {}, options, {}, progress);
  // Live changes may be in flight in both passes; the declared differences are there whatever they do.
  EXPECT_GE(report.missing, 12U);
  EXPECT_GE(report.stale, 15U);
  EXPECT_GE(report.ghosts, 8U);
  m_world->quiesce();
  const VerifyReport quiet =
      verify(*m_world->openSource(), *m_world->openSink(), m_world->mapping(), {}, options, {}, progress);
  EXPECT_EQ(quiet.missing, 12U);
  EXPECT_EQ(quiet.stale, 15U);
  EXPECT_EQ(quiet.ghosts, 8U);
  EXPECT_EQ(quiet.toRepair(), 35U);
}

TEST_F(DemoWorldTest, isTheSameForTheSameSeed) {
  const auto twin = DemoWorld::open(m_folder / "twin", smallOptions());
  EXPECT_EQ(contents(*twin->openSource()->rows(twin->mapping(), {})),
            contents(*m_world->openSource()->rows(m_world->mapping(), {})));
}

TEST_F(DemoWorldTest, keepsTheSinkStreamingAndTheDeclaredDifferencesAsTheyAre) {
  const auto before = contents(*m_world->openSource()->rows(m_world->mapping(), {}));
  m_world->start();
  letWritersWork(*m_world, 150);
  m_world->quiesce();
  EXPECT_NE(contents(*m_world->openSource()->rows(m_world->mapping(), {})), before);
  EXPECT_EQ(differences(*m_world), m_world->seeded());
}

TEST_F(DemoWorldTest, goesOnWhenItsFolderIsOpenedAgain) {
  m_world->start();
  letWritersWork(*m_world, 50);
  m_world->stop();  // the sink may lag: the feeder goes on where it was
  const auto before = contents(*m_world->openSource()->rows(m_world->mapping(), {}));
  const Lineage lineage = m_world->database()->lineage();
  m_world.reset();
  DemoOptions others = smallOptions();
  others.rows = 50;
  others.differences = {1, 1, 1};
  m_world = DemoWorld::open(m_folder / "world", others);
  EXPECT_EQ(m_world->rows(), 600);
  EXPECT_EQ(m_world->seeded(), (SeededDifferences{12, 15, 8}));
  EXPECT_EQ(m_world->database()->lineage(), lineage);
  EXPECT_EQ(m_world->openSink()->storedLineage(m_world->mapping()), lineage);
  EXPECT_EQ(contents(*m_world->openSource()->rows(m_world->mapping(), {})), before);
  m_world->start();
  letWritersWork(*m_world, 20);
  m_world->quiesce();
  EXPECT_EQ(differences(*m_world), m_world->seeded());
}

TEST_F(DemoWorldTest, makesAFolderAnewWhoseMakingWasInterrupted) {
  m_world.reset();
  std::filesystem::remove(m_folder / "world" / "demo.json");  // written last
  m_world = DemoWorld::open(m_folder / "world", smallOptions());
  EXPECT_EQ(differences(*m_world), m_world->seeded());
}

TEST_F(DemoWorldTest, aLoadAmongLiveWritersMendsWhatIsMissingAndStale) {
  m_world->start();
  letWritersWork(*m_world, 20);
  const Segment segment = load(*m_world, m_folder / "keys");
  letWritersWork(*m_world, 20);
  m_world->quiesce();
  EXPECT_TRUE(segment.complete);
  EXPECT_EQ(differences(*m_world), (SeededDifferences{0, 0, 8})) << "ghosts are the sweep's";
}

TEST_F(DemoWorldTest, holdsTheFirstBoundaryBackAndStraddlesTheSegment) {
  const Segment segment = load(*m_world, m_folder / "keys");
  ASSERT_EQ(segment.boundary.heldBackBy.size(), 1U);
  EXPECT_EQ(segment.boundary.heldBackBy.front().user, "accounting");
  const auto straddles = m_world->straddles();
  ASSERT_EQ(straddles.size(), 1U);
  EXPECT_TRUE(straddles[0].committed);
  const std::vector<Key> key{{std::to_string(straddles[0].id)}};
  const auto loaded = m_world->openSink()->readKeys(m_world->mapping(), key);
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_NE(loaded[0].payload.at(1), Cell::of(straddles[0].status)) << "the read must not have seen it";
  EXPECT_EQ(loaded[0].position, segment.boundary.position);
  m_world->quiesce();
  const auto streamed = m_world->openSink()->readKeys(m_world->mapping(), key);
  EXPECT_EQ(streamed[0].payload.at(1), Cell::of(straddles[0].status)) << "the newer value wins";
  EXPECT_EQ(differences(*m_world), (SeededDifferences{0, 0, 8}));
  EXPECT_TRUE(m_world->openSource()->captureBoundary({}, {}, {}).heldBackBy.empty()) << "only the first one";
}

TEST_F(DemoWorldTest, commitsTheStraddlerWhenASegmentIsGivenUp) {
  const auto source = m_world->openSource();
  const Boundary boundary = source->captureBoundary({}, {}, {});
  StoredRow row;
  ASSERT_TRUE(source->openSegment(m_world->mapping(), {}, boundary)->next(row));
  ASSERT_EQ(m_world->straddles().size(), 1U);
  EXPECT_TRUE(m_world->straddles()[0].committed) << "or it would hold back every later boundary";
}

TEST_F(DemoWorldTest, losesNothingWhenItsProcessIsKilled) {
  m_world.reset();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto world = DemoWorld::open(m_folder / "world", smallOptions());
    world->start();
    world->openStraddler();
    letWritersWork(*world, 60);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  m_world = DemoWorld::open(m_folder / "world", smallOptions());
  EXPECT_GE(m_world->database()->transactionsAfter(0, 10000).size(), 60U);
  m_world->start();
  letWritersWork(*m_world, 20);
  m_world->quiesce();
  EXPECT_EQ(differences(*m_world), m_world->seeded());
}

TEST_F(DemoWorldTest, straddlesByHandToo) {
  const std::int64_t id = m_world->openStraddler();
  EXPECT_NE(m_world->database()->find(id)->status, m_world->straddles().back().status);
  m_world->commitStraddler();
  EXPECT_EQ(m_world->database()->find(id)->status, m_world->straddles().back().status);
}

}  // namespace
}  // namespace tidemark::test
