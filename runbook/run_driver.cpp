#include "runbook/run_driver.h"

#include <algorithm>

#include <QString>

#include "engine/core/error.h"
#include "engine/load/reread.h"
#include "runbook/answers.h"
#include "runbook/codec.h"
#include "runbook/drained.h"
#include "runbook/run_folder.h"
#include "runbook/run_session.h"
#include "runbook/text.h"

namespace tidemark::runbook {

namespace {

constexpr const char* kResume = "resume";
constexpr int kSweepStep = 11;

std::string trimmed(const std::string& value) {
  return QString::fromStdString(value).trimmed().toStdString();
}

Question resumeQuestion(const InterruptedEffect& effect) {
  Question question;
  question.id = kResume;
  question.prompt = text("\"%1\" was interrupted. Go on?", effect.action);
  question.kind = QuestionKind::Choice;
  question.choices = {{"continue", text("Go on from what was found"), {}}};
  question.help = effect.reconciled ? effect.outcome : text("What it did has not been measured yet: measure the step.");
  return question;
}

}  // namespace

class RunDriver::Impl {
 public:
  Impl(Environment& environment, Profile profile, std::unique_ptr<Journal> journal, RunObserver* observer,
       DriverOptions options)
      : session(environment, std::move(profile), std::move(journal), observer, std::move(options)),
        steps(makeSteps()) {}

  Step& step(int number) { return *steps.at(static_cast<std::size_t>(number - 1)); }
  void measure(int number);
  std::vector<Question> questions(int number);
  Action actionOf(int number, const std::string& id);
  void requireReady(const Action& action, const std::string& confirmation) const;
  void requireGates(int number) const;
  void run(int number, const Action& action, const std::function<void()>& work);
  void endFailed(int number, std::int64_t effect, const std::string& action, const Error& problem);
  void reconcile();
  void releaseTable();

  RunSession session;
  std::vector<std::unique_ptr<Step>> steps;
};

void RunDriver::Impl::measure(int number) {
  const RunState& state = session.state();
  if (state.interrupted && !state.interrupted->reconciled) reconcile();
  const bool begins = number == state.currentStep() && state.step(number).status != StepStatus::Running &&
                      state.phase == RunPhase::Open;
  if (begins) session.enact({.kind = EventKind::StepStarted, .step = number});
  try {
    std::vector<Gate> gates = step(number).measure(session);
    for (Gate& gate : gates) {
      if (gate.measuredAt.empty()) gate.measuredAt = session.now();
    }
    RunEvent event{.kind = EventKind::GatesMeasured, .step = number};
    event.gates = std::move(gates);
    session.enact(event);
    session.notifyGates(number, session.state().step(number).gates);
  } catch (const Error& problem) {
    session.dropConnections();
    if (begins || number == state.currentStep()) {
      session.enact({.kind = EventKind::StepFailed, .step = number, .error = session.asRunError(problem)});
    }
    throw;
  }
}

std::vector<Question> RunDriver::Impl::questions(int number) {
  std::vector<Question> result;
  const auto& interrupted = session.state().interrupted;
  if (interrupted && interrupted->step == number) result.push_back(resumeQuestion(*interrupted));
  for (Question& each : step(number).questions(session)) result.push_back(std::move(each));
  return result;
}

Action RunDriver::Impl::actionOf(int number, const std::string& id) {
  for (Action& each : step(number).actions(session)) {
    if (each.id == id) return each;
  }
  throw Error("action.unknown", text("Step %1 has no action %2.", std::to_string(number), id),
              {.hint = text("The step's page lists what it can do.")});
}

void RunDriver::Impl::requireReady(const Action& action, const std::string& confirmation) const {
  if (!action.blockedBecause.empty()) {
    throw Error("action.blocked", text("\"%1\" cannot be done now: %2", action.title, action.blockedBecause));
  }
  if (action.writes && session.dryRun()) {
    throw Error("run.dry_run", text("\"%1\" would write, and this is a dry run.", action.title),
                {.hint = text("Everything can be measured and shown. Open the run without dry run to write.")});
  }
  if (action.writes && !session.state().armed) {
    throw Error("run.not_armed", text("\"%1\" writes, and the run is not armed.", action.title),
                {.hint = text("Arm the run first.")});
  }
  if (!action.confirmation.empty() && trimmed(confirmation) != action.confirmation) {
    throw Error("action.confirmation", text("What was typed is not %1.", action.confirmation),
                {.hint = text("Type it exactly, capitals included.")});
  }
}

void RunDriver::Impl::requireGates(int number) const {
  for (const Gate& each : session.state().step(number).gates) {
    const Gate gate = gateAt(each, session.now());
    if (gate.outcome || gate.open()) continue;
    throw Error("gate.shut", text("\"%1\" is shut: %2", gate.title, gate.measured), {.hint = gate.hint});
  }
}

void RunDriver::Impl::run(int number, const Action& action, const std::function<void()>& work) {
  const std::int64_t effect = session.state().lastEffect + 1;
  session.enact({.kind = EventKind::EffectAnnounced,
                 .step = number,
                 .id = action.id,
                 .text = action.statement,
                 .effect = effect,
                 .writes = action.writes});
  try {
    work();
  } catch (const Error& problem) {
    endFailed(number, effect, action.id, problem);
    throw;
  } catch (const std::exception& problem) {
    // Nothing but Error is meant to leave the engine; what does all the same must not leave the effect without an end.
    const Error unexpected("internal.unexpected", text("An unexpected problem: %1", std::string(problem.what())),
                           {.hint = text("Measure the step again; if it stays, report it with the journal.")});
    endFailed(number, effect, action.id, unexpected);
    throw unexpected;
  }
  session.enact({.kind = EventKind::EffectFinished, .step = number, .id = action.id, .effect = effect});
}

void RunDriver::Impl::endFailed(int number, std::int64_t effect, const std::string& action, const Error& problem) {
  session.dropConnections();
  Outcome outcome = Outcome::Failed;
  if (problem.code() == Cancelled().code()) outcome = Outcome::Cancelled;
  if (problem.detail().inDoubt) outcome = Outcome::InDoubt;
  try {
    session.enact({.kind = EventKind::EffectFinished,
                   .step = number,
                   .id = action,
                   .text = problem.what(),
                   .effect = effect,
                   .outcome = outcome});
    if (outcome == Outcome::Cancelled || session.state().phase != RunPhase::Open) return;
    session.enact({.kind = EventKind::StepFailed, .step = number, .error = session.asRunError(problem)});
  } catch (const Error&) {
    // The journal cannot be written: the first problem is the one to show, and opening the run again will name the
    // effect as interrupted.
  }
}

void RunDriver::Impl::reconcile() {
  const InterruptedEffect effect = *session.state().interrupted;
  try {
    const Reconciliation found = step(effect.step).reconcile(session, effect);
    session.enact({.kind = EventKind::EffectReconciled,
                   .step = effect.step,
                   .id = effect.action,
                   .text = found.text,
                   .effect = effect.effect,
                   .outcome = found.tookPlace ? Outcome::Succeeded : Outcome::Failed});
  } catch (const Error&) {
    session.dropConnections();
    throw;
  }
}

void RunDriver::Impl::releaseTable() {
  try {
    session.unlockTable();
  } catch (const Error&) {
    // The run has ended either way, and its journal says so; the lock names a run that is over and may be broken.
    session.dropConnections();
  }
}

RunDriver::RunDriver(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunDriver::~RunDriver() = default;

std::unique_ptr<RunDriver> RunDriver::create(Environment& environment, const Profile& profile,
                                             const std::filesystem::path& folder, RunObserver* observer,
                                             DriverOptions options) {
  requireSource(profile);
  const std::string runId = newRunId(options.clock());
  makeRunFolder(folder, runId);
  const LockHolder holder{runId, options.who.user, options.who.host, options.who.pid, options.clock()};
  auto journal = Journal::create(journalFile(folder, runId), holder);
  auto impl = std::make_unique<Impl>(environment, profile, std::move(journal), observer, std::move(options));
  impl->session.enact({.kind = EventKind::RunCreated, .text = runId, .json = writeProfile(profile)});
  return std::unique_ptr<RunDriver>(new RunDriver(std::move(impl)));
}

std::unique_ptr<RunDriver> RunDriver::open(Environment& environment, const std::filesystem::path& folder,
                                           const std::string& runId, RunObserver* observer, DriverOptions options) {
  const LockHolder holder{runId, options.who.user, options.who.host, options.who.pid, options.clock()};
  auto journal = Journal::open(journalFile(folder, runId), Journal::Access::Drive, holder);
  RunState state = replay(journal->events());
  if (state.runId.empty()) {
    throw Error("journal.empty", text("The journal of run %1 holds no run: it was interrupted while it began.", runId),
                {.hint = text("Nothing was done under it. Remove its folder and begin a new run.")});
  }
  const auto takenOver = journal->takenOver();
  auto impl = std::make_unique<Impl>(environment, parseProfile(state.profileJson), std::move(journal), observer,
                                     std::move(options));
  impl->session.restore(std::move(state));
  if (takenOver) {
    impl->session.enact({.kind = EventKind::LockTakenOver,
                         .text = text("%1 on %2, process %3, since %4", takenOver->user, takenOver->host,
                                      std::to_string(takenOver->pid), takenOver->since)});
  }
  const Operator& who = impl->session.options().who;
  const auto effects = impl->session.enact(
      {.kind = EventKind::RunOpened, .text = text("%1, process %2", who.host, std::to_string(who.pid))});
  if (std::any_of(effects.begin(), effects.end(), [](const Effect& e) { return e.kind == EffectKind::Reconcile; })) {
    try {
      impl->reconcile();
    } catch (const Error&) {
      // A server that is away now must not keep the run from being read; measuring the step tries again.
    }
  }
  return std::unique_ptr<RunDriver>(new RunDriver(std::move(impl)));
}

RunState RunDriver::state() const {
  return m_impl->session.copyOfState();
}

const Profile& RunDriver::profile() const {
  return m_impl->session.profile();
}

std::filesystem::path RunDriver::runFolder() const {
  return m_impl->session.folder();
}

const Journal& RunDriver::journal() const {
  return m_impl->session.journal();
}

Banner RunDriver::banner() const {
  return m_impl->session.banner();
}

int RunDriver::currentStep() const {
  return state().currentStep();
}

std::vector<Question> RunDriver::questions(int step) {
  return m_impl->questions(step);
}

void RunDriver::answer(int step, const std::string& question, const std::string& value) {
  RunSession& session = m_impl->session;
  if (question == kResume) {
    if (value != "continue") {
      throw Error("answer.invalid", text("\"%1\" does not answer whether to go on.", value),
                  {.hint = text("Answer \"continue\", or abandon the run.")});
    }
    acceptInterrupted();
    return;
  }
  const auto asked = m_impl->questions(step);
  const auto found =
      std::find_if(asked.begin(), asked.end(), [&](const Question& each) { return each.id == question; });
  if (found == asked.end()) {
    throw Error("answer.invalid", text("Step %1 asks no question %2.", std::to_string(step), question),
                {.hint = text("The step's page lists its questions.")});
  }
  const std::string given = trimmed(value);
  requireAnswer(*found, given);
  m_impl->step(step).checkAnswer(session, question, given);
  if (session.state().step(step).answer(question) == given && session.state().step(step).answers.contains(question))
    return;
  const auto effects = session.enact({.kind = EventKind::Answered, .step = step, .id = question, .text = given});
  const bool current = step == session.state().currentStep();
  const bool again =
      std::any_of(effects.begin(), effects.end(), [](const Effect& e) { return e.kind == EffectKind::Measure; });
  if (again && current && session.state().step(step).status == StepStatus::Running) {
    m_impl->step(step).answered(session, question);
  }
}

void RunDriver::waive(int step, const std::string& gate, const std::string& reason, const std::string& secondPerson) {
  m_impl->session.enact({.kind = EventKind::Waived,
                         .step = step,
                         .id = gate,
                         .text = trimmed(reason),
                         .secondPerson = trimmed(secondPerson)});
}

void RunDriver::arm() {
  if (m_impl->session.dryRun()) {
    throw Error("run.dry_run", text("This is a dry run: it cannot be armed."),
                {.hint = text("Open the run without dry run to write.")});
  }
  m_impl->session.enact({.kind = EventKind::Armed});
}

void RunDriver::disarm(const std::string& reason) {
  m_impl->session.enact({.kind = EventKind::Disarmed, .text = reason});
}

void RunDriver::measure(int step) {
  m_impl->session.freshStop();
  m_impl->measure(step);
}

std::vector<Action> RunDriver::actions(int step) {
  return m_impl->step(step).actions(m_impl->session);
}

void RunDriver::perform(int step, const std::string& action, const std::string& confirmation) {
  RunSession& session = m_impl->session;
  session.freshStop();
  if (step != session.state().currentStep()) {
    throw Error("action.blocked", text("Step %1 is not the current one.", std::to_string(step)),
                {.hint = text("Finish the steps in order, or open a finished one again.")});
  }
  m_impl->measure(step);
  const Action wanted = m_impl->actionOf(step, action);
  m_impl->requireReady(wanted, confirmation);
  m_impl->requireGates(step);
  m_impl->run(step, wanted, [&] { m_impl->step(step).perform(session, action); });
  m_impl->measure(step);
}

std::vector<Obstacle> RunDriver::obstacles(int step) {
  const RunState state = m_impl->session.copyOfState();
  const StepState& own = state.step(step);
  std::vector<Obstacle> result;
  if (state.interrupted) {
    result.push_back({text("\"%1\" of step %2 was interrupted: answer whether to go on.", state.interrupted->action,
                           std::to_string(state.interrupted->step)),
                      {},
                      kResume,
                      {}});
    return result;
  }
  if (own.status == StepStatus::Failed && own.lastError) result.push_back({own.lastError->message, {}, {}, {}});
  for (const Question& each : m_impl->questions(step)) {
    if (each.required && !own.answers.contains(each.id)) {
      result.push_back({text("Not answered yet: %1", each.prompt), {}, each.id, {}});
    }
  }
  try {
    for (const Action& each : actions(step)) {
      if (each.required && !each.done) result.push_back({text("Not done yet: %1", each.title), {}, {}, each.id});
    }
  } catch (const Error& problem) {
    m_impl->session.dropConnections();
    result.push_back({problem.what(), {}, {}, {}});
  }
  if (own.gates.empty()) result.push_back({text("The step's gates have not been measured yet."), {}, {}, {}});
  for (const Gate& each : own.gates) {
    const Gate gate = gateAt(each, m_impl->session.now());
    if (gate.open()) continue;
    const std::string word = text(std::string(resultName(gate.result)).c_str());
    result.push_back(
        {text("%1: %2 (%3)", gate.title, gate.measured.empty() ? text("not measured") : gate.measured, word),
         gate.id,
         {},
         {}});
  }
  return result;
}

void RunDriver::finish(int step) {
  const auto left = obstacles(step);
  if (!left.empty())
    throw Error("step.unfinished", left.front().text, {.hint = text("The step's page lists all that is left.")});
  m_impl->session.enact({.kind = EventKind::StepFinished, .step = step});
  if (step != kSteps) return;
  const std::string name = m_impl->session.state().step(step).answer("signed_by");
  m_impl->session.enact({.kind = EventKind::RunFinished, .text = name});
  m_impl->releaseTable();
}

std::string RunDriver::doesNotApply(int step) const {
  return m_impl->step(step).doesNotApply(state());
}

void RunDriver::skip(int step) {
  const std::string reason = doesNotApply(step);
  if (reason.empty()) {
    throw Error("run.not_allowed", text("Step %1 applies to this run and cannot be skipped.", std::to_string(step)),
                {.hint = text("Measure it and finish it.")});
  }
  m_impl->session.enact({.kind = EventKind::StepSkipped, .step = step, .text = reason});
}

void RunDriver::reopen(int step, const std::string& reason) {
  m_impl->session.enact({.kind = EventKind::StepReopened, .step = step, .text = reason});
}

void RunDriver::acceptInterrupted() {
  const auto interrupted = state().interrupted;
  if (!interrupted) throw Error("run.not_allowed", text("Nothing was interrupted."));
  if (!interrupted->reconciled) m_impl->reconcile();
  m_impl->session.enact({.kind = EventKind::ResumeAccepted, .step = interrupted->step, .effect = interrupted->effect});
}

UndoResult RunDriver::undoSweep() {
  RunSession& session = m_impl->session;
  session.freshStop();
  Action undo;
  undo.id = kUndoAction;
  undo.title = text("Put back the rows that this run's sweep marked in %1", session.profile().sink.table);
  undo.writes = true;
  undo.statement = text(
      "Restore the before-images of run %1 at the boundary where the marker is untouched; read every other "
      "key again.",
      session.state().runId);
  undo.rows = session.sink().beforeImages(session.state().runId);
  m_impl->requireReady(undo, {});
  // Whoever asks for the undo again has answered whether to go on with one that was interrupted.
  const auto& interrupted = session.state().interrupted;
  if (interrupted && interrupted->action == kUndoAction) acceptInterrupted();
  // Put back at the boundary, a row would win against changes from before it that are still on their way: until the
  // stream has passed it, only the source can say what belongs there.
  const bool drained = isDrained(session);
  UndoResult result;
  m_impl->run(kSweepStep, undo, [&] {
    session.lockTable();
    if (drained) {
      result = session.sink().undoSweep(session.mapping(), session.state().runId);
    } else {
      result.changedSince = session.sink().beforeImageKeys(session.mapping(), session.state().runId);
    }
    if (!result.changedSince.empty()) {
      rereadKeys(session.source(), session.sink(), session.mapping(), result.changedSince, session.boundaryOptions(),
                 session.stopToken(), session.boundaryObserver());
    }
    session.record(kSweepStep, "undone",
                   "{\"changed_since\":" + std::to_string(result.changedSince.size()) +
                       ",\"restored\":" + std::to_string(result.restored) + "}");
  });
  if (session.state().phase != RunPhase::Open) m_impl->releaseTable();
  return result;
}

void RunDriver::abandon(const std::string& reason) {
  m_impl->session.enact({.kind = EventKind::RunAbandoned, .text = reason});
  m_impl->releaseTable();
}

void RunDriver::requestStop() {
  m_impl->session.requestStop();
}

bool RunDriver::stopRequested() const {
  return m_impl->session.stopToken().stop_requested();
}

PauseControl& RunDriver::pauseControl() {
  return m_impl->session.pauseControl();
}

}  // namespace tidemark::runbook
