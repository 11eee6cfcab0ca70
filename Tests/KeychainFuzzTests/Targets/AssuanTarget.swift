// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import KeychainUserPresence

/// Parses the input as the output of a pinentry program, and encodes it as the argument of a pinentry command.
func fuzzAssuan(_ data: Data) {
    readReplies(data)
    sendText(String(decoding: data, as: UTF8.self))
}

private func readReplies(_ data: Data) {
    var bytes = Array(data)
    bytes.withUnsafeMutableBytes { buffer in
        var start = 0
        while start <= buffer.count {
            let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) ?? buffer.count
            readReply(in: buffer, at: start..<end)
            start = end + 1
        }
    }
}

private func readReply(in buffer: UnsafeMutableRawBufferPointer, at line: Range<Int>) {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[line])
    guard case .data(let range) = AssuanReply(bytes, at: line.lowerBound) else { return }
    precondition(line.lowerBound < range.lowerBound && range.upperBound == line.upperBound)
    let text = UnsafeMutableRawBufferPointer(rebasing: buffer[range])
    if let count = Assuan.unescape(text) { precondition(count <= text.count) }
}

/// Encodes a command with this argument.
///
/// The command must be a single line, and decode to a prefix of the argument.
private func sendText(_ text: String) {
    guard !text.isEmpty else { return }
    var line = Assuan.line("SETDESC", text)
    precondition(line.count <= Assuan.maximumLineLength + 1)
    precondition(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1)
    let isBeginning = line.withUnsafeMutableBytes { bytes in
        let argument = UnsafeMutableRawBufferPointer(rebasing: bytes[8..<bytes.count - 1])
        return Assuan.unescape(argument).map { text.utf8.starts(with: argument[..<$0]) }
    }
    precondition(isBeginning == true)
    precondition(Assuan.ascii(text).utf8.allSatisfy { $0 < 0x80 })
}
