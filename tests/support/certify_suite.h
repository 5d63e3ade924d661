#pragma once

#include <gtest/gtest.h>

#include "engine/certify/certify.h"

namespace tidemark::test {

/// What every database must show: the same figures, because the deliveries are the same everywhere.
inline void expectTheTable(const Certificate& certificate) {
  struct Line {
    std::string name;
    bool sameBatchTwice, replayOneByOne, lateUpdateAfterDelete;
    std::uint64_t shuffles, randomLogs, orders;
  };
  // The orders can be counted by hand. Without a guard both contended keys must see their newest of three changes last:
  // 1 - 1/9 of the orders differ. By timestamp only the two changes of one millisecond matter: half. With physical
  // deletes key 2 ends right when its delete is the last of its three: 2/3 differ.
  const std::vector<Line> table{{"guarded", true, true, true, 0, 0, 0},
                                {"no_guard", false, false, false, 188, 414, 4480},
                                {"newest_timestamp", true, true, true, 141, 155, 2520},
                                {"newest_timestamp_strict", true, true, true, 65, 156, 2520},
                                {"physical_delete", false, false, false, 130, 127, 3360}};
  ASSERT_EQ(certificate.sinks.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const SinkCertificate& sink = certificate.sinks[i];
    EXPECT_EQ(sink.name, table[i].name);
    EXPECT_EQ(sink.sameBatchTwice, table[i].sameBatchTwice) << sink.name;
    EXPECT_EQ(sink.replayOneByOne, table[i].replayOneByOne) << sink.name;
    EXPECT_EQ(sink.lateUpdateAfterDelete, table[i].lateUpdateAfterDelete) << sink.name;
    EXPECT_EQ(sink.shufflesThatDiffer, table[i].shuffles) << sink.name;
    EXPECT_EQ(sink.randomLogsThatFail, table[i].randomLogs) << sink.name;
    EXPECT_EQ(sink.ordersThatDiffer, table[i].orders) << sink.name;
  }
  EXPECT_TRUE(certificate.passed());
}

}  // namespace tidemark::test
