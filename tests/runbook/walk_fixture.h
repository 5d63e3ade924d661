#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "runbook/walk.h"
#include "tests/runbook/demo_environment.h"
#include "tests/runbook/scripted_answers.h"
#include "tests/support/temporary_folder.h"

namespace tidemark::test {

using namespace runbook;
using nlohmann::json;

inline DemoOptions smallWorld() {
  DemoOptions options;
  options.rows = 2000;
  options.differences = {40, 50, 30};
  options.olderTransactionAge = std::chrono::milliseconds(100);
  return options;
}

inline json differences(const RunState& run, int step, const char* fact) {
  return json::parse(run.step(step).fact(fact));
}

/// A run on a small demo whose writers never rest.
class Walk : public testing::Test {
 protected:
  void SetUp() override {
    world = DemoWorld::open(folder / "demo", smallWorld());
    world->start();
    environment = std::make_unique<DemoEnvironment>(*world);
  }
  void TearDown() override {
    driver.reset();
    environment.reset();
    world->stop();
  }
  void begin(DriverOptions options = {}) {
    driver = RunDriver::create(*environment, demoProfile(*world), folder / "runs", nullptr, options);
  }
  void openAgain() {
    const std::string runId = driver->state().runId;
    driver.reset();
    driver = RunDriver::open(*environment, folder / "runs", runId);
  }

  TemporaryFolder folder;
  std::unique_ptr<DemoWorld> world;
  std::unique_ptr<DemoEnvironment> environment;
  std::unique_ptr<RunDriver> driver;
  ScriptedAnswers answers;
};

inline std::string reasons(const WalkResult& result) {
  std::string all = "step " + std::to_string(result.step);
  for (const Obstacle& each : result.obstacles) all += "; " + each.text;
  return all;
}

}  // namespace tidemark::test
