#include <QSaveFile>

#include "engine/core/error.h"
#include "runbook/report.h"
#include "runbook/text.h"

namespace tidemark::runbook {

void writeReport(const ReportModel& report, const std::filesystem::path& file) {
  const std::string content = file.extension() == ".html" ? reportHtml(report) : reportJson(report);
  QSaveFile output(QString::fromStdString(file.string()));
  const auto size = static_cast<qint64>(content.size());
  if (!output.open(QIODevice::WriteOnly) || output.write(content.data(), size) != size || !output.commit()) {
    throw Error("report.file", text("The report cannot be written to %1.", file.string()),
                {.hint = text("Name a file in a folder that exists, with room and the right to write."),
                 .technical = output.errorString().toStdString()});
  }
}

std::filesystem::path writeReports(const ReportModel& report, const std::filesystem::path& runFolder) {
  writeReport(report, runFolder / "report.json");
  writeReport(report, runFolder / "report.html");
  return runFolder / "report.html";
}

}  // namespace tidemark::runbook
