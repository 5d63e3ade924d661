#include "app/ctl/target.h"

#include "runbook/answers.h"

namespace tidemark::ctl {

Target openTarget(app::AdapterEnvironment& environment, const Options& options) {
  Target target;
  target.profile = runbook::loadProfile(options.profile);
  target.source = environment.openSource(target.profile);
  target.sink = environment.openSinkReader(target.profile);
  target.mapping =
      runbook::buildMapping(target.profile, target.source->describe(TableName::parse(target.profile.source.table)),
                            target.sink->describe(TableName::parse(target.profile.sink.table)));
  return target;
}

Scope readScope(const Options& options, Target& target) {
  Scope scope;
  if (!options.rangeFrom.empty())
    scope.range.from = KeyBound{runbook::parseKey(target.mapping, options.rangeFrom), true};
  if (!options.rangeTo.empty()) scope.range.to = KeyBound{runbook::parseKey(target.mapping, options.rangeTo), true};
  if (!options.filter.empty()) {
    target.source->checkFilter(target.mapping, options.filter);
    target.sink->checkFilter(target.mapping, options.filter);
    scope.filter = options.filter;
    scope.sinkFilter = options.filter;
  }
  return scope;
}

}  // namespace tidemark::ctl
