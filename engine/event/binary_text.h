#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemark {

/// Bytes of a base64 text in the ordinary alphabet, or with `urlSafe` in the one with - and _. Padded to fours, as
/// the connector writes it. Empty when it is no base64.
std::optional<std::string> decodeBase64(std::string_view text, bool urlSafe = false);
/// Bytes of pairs of hexadecimal digits; empty when it is none.
std::optional<std::string> decodeHex(std::string_view text);
/// "\x" and lower-case hexadecimal digits: canonical text of bytea.
std::string byteaText(std::string_view bytes);

}  // namespace tidemark
