#pragma once

#include "runbook/step.h"

namespace tidemark::runbook {

/// A step that takes number, words and purpose from stepInfos().
class NumberedStep : public Step {
 public:
  explicit NumberedStep(int number) : m_number(number) {}

  int number() const override { return m_number; }
  std::string id() const override { return info().id; }
  std::string title() const override { return info().title; }
  std::string purpose() const override { return info().purpose; }

 private:
  const StepInfo& info() const { return stepInfos().at(static_cast<std::size_t>(m_number - 1)); }

  int m_number;
};

std::unique_ptr<Step> makeScopeStep();
std::unique_ptr<Step> makeSinkStep();
std::unique_ptr<Step> makeRehearseStep();
std::unique_ptr<Step> makeLogStep();
std::unique_ptr<Step> makeChooseStep();
std::unique_ptr<Step> makeBoundaryStep();
std::unique_ptr<Step> makeSampleStep();
std::unique_ptr<Step> makePaceStep();
std::unique_ptr<Step> makeRunStep();
std::unique_ptr<Step> makeDrainedStep();
std::unique_ptr<Step> makeSweepStep();
std::unique_ptr<Step> makeVerifyStep();
std::unique_ptr<Step> makePutBackStep();
std::unique_ptr<Step> makePurgeBoundStep();
std::unique_ptr<Step> makeLineageStep();

/// The question that ends a step which the operator accepts: a name or a ticket, never a bare tick.
Question acceptedBy(const std::string& prompt);

}  // namespace tidemark::runbook
