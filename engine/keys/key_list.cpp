#include "engine/keys/key_list.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "engine/core/copy_text.h"
#include "engine/core/error.h"
#include "engine/keys/sha256.h"

namespace tidemark {

namespace {

constexpr std::size_t kBuffer = 256 * 1024;

[[noreturn]] void throwDisk(const std::string& doing, const std::filesystem::path& file, int code) {
  const bool full = code == ENOSPC || code == EDQUOT;
  ErrorDetail detail;
  detail.hint = full ? "Free room on that disk, then go on: what was committed so far stays."
                     : "See that the folder exists and may be written to, then go on.";
  detail.technical = std::strerror(code);
  detail.systemCode = std::to_string(code);
  detail.retryCanHelp = full;
  throw Error("keys.disk",
              "cannot " + doing + " the key list " + file.string() + ": " +
                  (full ? std::string("the disk is full") : std::string(std::strerror(code))),
              detail);
}

[[noreturn]] void throwDiffers(const std::filesystem::path& file, const std::string& reason) {
  ErrorDetail detail;
  detail.hint = "A list that is not complete would delete live rows. Load this segment anew.";
  throw Error("keys.list_differs",
              "the key list " + file.string() + " is not the one that the journal describes: " + reason, detail);
}

/// An open file descriptor, closed with its owner.
class File {
 public:
  File() = default;
  File(const std::filesystem::path& path, int flags) : m_descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() { close(); }
  File(File&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
  File& operator=(File&& other) noexcept {
    close();
    m_descriptor = std::exchange(other.m_descriptor, -1);
    return *this;
  }
  bool open() const { return m_descriptor >= 0; }
  int get() const { return m_descriptor; }
  void close() {
    if (m_descriptor >= 0) ::close(std::exchange(m_descriptor, -1));
  }

 private:
  int m_descriptor = -1;
};

ssize_t readSome(const File& file, char* into, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(file.get(), into, size);
    if (got >= 0 || errno != EINTR) return got;
  }
}

void syncFolder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const File handle(folder, O_RDONLY | O_DIRECTORY);
  if (!handle.open() || ::fsync(handle.get()) != 0) throwDisk("sync the folder of", file, errno);
}

std::filesystem::path partOf(std::filesystem::path file) {
  file += ".part";
  return file;
}

}  // namespace

struct KeyListWriter::State {
  std::filesystem::path file;
  File handle;
  std::string buffer;
  Sha256 hash;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  Key last;

  void flush() {
    std::size_t written = 0;
    while (written < buffer.size()) {
      const ssize_t put = ::write(handle.get(), buffer.data() + written, buffer.size() - written);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throwDisk("write", file, errno);
      written += static_cast<std::size_t>(put);
    }
    buffer.clear();
  }

  void sync() {
    flush();
    if (::fsync(handle.get()) != 0) throwDisk("sync", file, errno);
  }

  /// Hashes the first `length` bytes of the file again; what a crash left behind may lie after them.
  void readPrefix(std::uint64_t length) {
    std::string block(kBuffer, '\0');
    while (length > 0) {
      const ssize_t got = readSome(handle, block.data(), std::min<std::uint64_t>(block.size(), length));
      if (got < 0) throwDisk("read", file, errno);
      if (got == 0) throwDiffers(file, "it is shorter than its last checkpoint");
      hash.add(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
      length -= static_cast<std::uint64_t>(got);
    }
  }
};

KeyListWriter::KeyListWriter(std::filesystem::path file) : m_state(std::make_unique<State>()) {
  m_state->file = std::move(file);
  m_state->handle = File(partOf(m_state->file), O_WRONLY | O_CREAT | O_TRUNC);
  if (!m_state->handle.open()) throwDisk("create", m_state->file, errno);
}

KeyListWriter::KeyListWriter(std::unique_ptr<State> state) : m_state(std::move(state)) {}

KeyListWriter::~KeyListWriter() = default;

std::unique_ptr<KeyListWriter> KeyListWriter::reopen(std::filesystem::path file, const KeyListCheckpoint& checkpoint) {
  auto state = std::make_unique<State>();
  state->file = std::move(file);
  const std::filesystem::path part = partOf(state->file);
  std::error_code ignored;
  // The crash may have come between the last rename and the journal entry that tells of it.
  if (!std::filesystem::exists(part, ignored) && std::filesystem::exists(state->file, ignored)) {
    if (::rename(state->file.c_str(), part.c_str()) != 0) throwDisk("go on with", state->file, errno);
  }
  state->handle = File(part, O_RDWR);
  if (!state->handle.open()) throwDisk("open", state->file, errno);
  state->readPrefix(checkpoint.bytes);
  if (state->hash.hex() != checkpoint.summary.digest) {
    throwDiffers(state->file, "its digest differs at the last checkpoint");
  }
  if (::ftruncate(state->handle.get(), static_cast<off_t>(checkpoint.bytes)) != 0) {
    throwDisk("cut", state->file, errno);
  }
  state->count = checkpoint.summary.count;
  state->bytes = checkpoint.bytes;
  state->last = checkpoint.last;
  return std::unique_ptr<KeyListWriter>(new KeyListWriter(std::move(state)));
}

void KeyListWriter::add(const Key& key) {
  const std::size_t start = m_state->buffer.size();
  appendCopyKey(m_state->buffer, key);
  m_state->buffer.push_back('\n');
  const std::string_view line = std::string_view(m_state->buffer).substr(start);
  m_state->hash.add(line);
  m_state->bytes += line.size();
  m_state->last = key;
  ++m_state->count;
  if (m_state->buffer.size() >= kBuffer) m_state->flush();
}

KeyListCheckpoint KeyListWriter::checkpoint() {
  m_state->sync();
  return {{m_state->count, m_state->hash.hex()}, m_state->bytes, m_state->last};
}

KeyListSummary KeyListWriter::close() {
  m_state->sync();
  m_state->handle.close();
  if (::rename(partOf(m_state->file).c_str(), m_state->file.c_str()) != 0) throwDisk("rename", m_state->file, errno);
  syncFolder(m_state->file);
  return {m_state->count, m_state->hash.hex()};
}

namespace {

class SpoolReader final : public KeyListReader {
 public:
  SpoolReader(std::filesystem::path path, KeyListSummary expected)
      : m_path(std::move(path)), m_expected(std::move(expected)), m_file(m_path, O_RDONLY) {
    if (!m_file.open()) {
      if (errno == ENOENT) throwDiffers(m_path, "the file is missing");
      throwDisk("open", m_path, errno);
    }
  }

  bool next(Key& key) override {
    std::string_view line;
    if (!nextLine(line)) {
      finish();
      return false;
    }
    if (++m_count > m_expected.count) throwDiffers(m_path, "it holds more keys than were written");
    readCopyKey(line, key);
    return true;
  }

 private:
  bool nextLine(std::string_view& line) {
    std::size_t end;
    while ((end = m_buffer.find('\n', m_at)) == std::string::npos) {
      if (!fill()) return false;
    }
    line = std::string_view(m_buffer).substr(m_at, end - m_at);
    m_at = end + 1;
    return true;
  }

  bool fill() {
    m_buffer.erase(0, m_at);
    m_at = 0;
    const std::size_t kept = m_buffer.size();
    m_buffer.resize(kept + kBuffer);
    const ssize_t got = readSome(m_file, m_buffer.data() + kept, kBuffer);
    m_buffer.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) throwDisk("read", m_path, errno);
    m_hash.add(std::string_view(m_buffer).substr(kept));
    return got > 0;
  }

  void finish() const {
    if (m_buffer.size() != m_at) throwDiffers(m_path, "its last line is cut off");
    if (m_count != m_expected.count) {
      throwDiffers(m_path,
                   "it holds " + std::to_string(m_count) + " keys instead of " + std::to_string(m_expected.count));
    }
    if (m_hash.hex() != m_expected.digest) throwDiffers(m_path, "its digest differs");
  }

  std::filesystem::path m_path;
  KeyListSummary m_expected;
  File m_file;
  std::string m_buffer;
  std::size_t m_at = 0;
  Sha256 m_hash;
  std::uint64_t m_count = 0;
};

}  // namespace

std::unique_ptr<KeyListReader> openKeyList(const std::filesystem::path& file, const KeyListSummary& expected) {
  return std::make_unique<SpoolReader>(file, expected);
}

}  // namespace tidemark
