#include <pwd.h>
#include <string>
#include <unistd.h>

#include <QString>
#include <QSysInfo>

#include "runbook/run_driver.h"

namespace tidemark::runbook {

Operator Operator::current() {
  Operator who;
  const passwd* account = ::getpwuid(::geteuid());
  who.user = account != nullptr ? account->pw_name : "uid " + std::to_string(::geteuid());
  who.host = QSysInfo::machineHostName().toStdString();
  who.pid = ::getpid();
  return who;
}

}  // namespace tidemark::runbook
