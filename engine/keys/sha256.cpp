#include "engine/keys/sha256.h"

#include <QCryptographicHash>

namespace tidemark {

/// A result that was asked for leaves the stream as it is: QCryptographicHash finishes a copy.
struct Sha256::State {
  QCryptographicHash hash{QCryptographicHash::Sha256};
};

Sha256::Sha256() : m_state(std::make_unique<State>()) {}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  m_state->hash.addData(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
}

std::string Sha256::hex() const {
  return m_state->hash.result().toHex().toStdString();
}

}  // namespace tidemark
