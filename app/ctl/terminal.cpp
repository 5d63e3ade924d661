#include "app/ctl/terminal.h"

#include <cstdio>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace tidemark::ctl {

namespace {

constexpr std::chrono::seconds kPlainLineInterval{2};
constexpr std::size_t kBarWidth = 24;

std::size_t terminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 80;
}

std::string bar(const Progress& progress) {
  if (!progress.total || *progress.total == 0) return {};
  const auto filled =
      static_cast<std::size_t>(std::min<std::uint64_t>(progress.done, *progress.total) * kBarWidth / *progress.total);
  return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
}

std::string duration(std::chrono::seconds seconds) {
  const auto count = seconds.count();
  if (count < 60) return std::to_string(count) + " s";
  const auto rest = [](long value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  if (count < 3600) return std::to_string(count / 60) + " min " + rest(count % 60) + " s";
  return std::to_string(count / 3600) + " h " + rest(count % 3600 / 60) + " min";
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string errorJson(const Error& error) {
  return nlohmann::ordered_json{{"code", error.code()},
                                {"message", error.what()},
                                {"hint", error.detail().hint},
                                {"technical", error.detail().technical}}
      .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string progressText(const Progress& progress) {
  std::string text = progress.activity + ": " + grouped(progress.done);
  if (progress.total && *progress.total > 0) {
    text += " of " + grouped(*progress.total);
    text += " (" + std::to_string(std::min<std::uint64_t>(100, progress.done * 100 / *progress.total)) + " %)";
  }
  if (progress.rate >= 1) text += ", " + grouped(static_cast<std::uint64_t>(progress.rate)) + "/s";
  if (!progress.pausedBecause.empty()) return text + ", paused: " + progress.pausedBecause;
  if (progress.remaining) text += ", about " + duration(*progress.remaining) + " left";
  return text;
}

Terminal::Terminal(bool json)
    : m_json(json),
      m_interactive(isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1),
      m_drawProgress(isatty(STDERR_FILENO) == 1) {}

void Terminal::say(const std::string& line) {
  if (m_json) {
    note(line);
    return;
  }
  endProgress();
  std::cout << line << '\n' << std::flush;
}

void Terminal::note(const std::string& line) {
  endProgress();
  std::cerr << line << '\n' << std::flush;
}

void Terminal::document(const std::string& json) {
  endProgress();
  std::cout << json << '\n' << std::flush;
  m_documented = true;
}

void Terminal::error(const Error& error) {
  note("tidemarkctl: " + std::string(error.what()));
  if (!error.detail().hint.empty()) note("  What to do: " + error.detail().hint);
  std::string technical = "  Details: " + error.code();
  if (!error.detail().systemCode.empty()) technical += ", " + error.detail().systemCode;
  if (!error.detail().technical.empty()) technical += ", " + error.detail().technical;
  note(technical);
  if (m_json && !m_documented) document("{\"error\": " + errorJson(error) + "}");
}

std::optional<std::string> Terminal::ask(const std::string& prompt, const std::string& initial) {
  endProgress();
  std::cerr << prompt;
  if (!initial.empty()) std::cerr << " [" << initial << "]";
  std::cerr << ": " << std::flush;
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line.empty() ? initial : line;
}

void Terminal::report(const Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (m_drawProgress) {
    std::string line = bar(progress) + progressText(progress);
    const std::size_t width = terminalWidth() - 1;
    if (line.size() > width) line.resize(width);
    std::cerr << '\r' << line << "\033[K" << std::flush;
    m_progressShown = true;
    return;
  }
  if (progress.activity == m_lastActivity && now - m_lastLine < kPlainLineInterval) return;
  m_lastActivity = progress.activity;
  m_lastLine = now;
  std::cerr << progressText(progress) << '\n' << std::flush;
}

void Terminal::endProgress() {
  if (!m_progressShown) return;
  std::cerr << '\n' << std::flush;
  m_progressShown = false;
}

}  // namespace tidemark::ctl
