// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// Assembles messages from frames whose bytes arrive in parts of any size.
func fuzzFrames(_ data: Data) {
    var (buffer, rest) = (MessageBuffer(limit: WireLimit.message), Array(data)[...])
    while let first = rest.first {
        let part = rest.prefix(min(buffer.missing, Int(first) + 1))
        rest = rest.dropFirst(part.count)
        guard let received = try? buffer.add(part) as Message? else { return }
        precondition(received.body.count <= WireLimit.message && buffer.heldBytes == 0)
        var again = MessageBuffer(limit: WireLimit.message)
        var frames = received.frames[...]
        var result: Message?
        while !frames.isEmpty {
            let next = frames.prefix(again.missing)
            frames = frames.dropFirst(next.count)
            result = try? again.add(next)
        }
        precondition(result?.body == received.body && result?.request == received.request)
    }
}

func fuzzMessage(_ data: Data) {
    let bytes = Array(data.dropFirst())
    switch data.first {
    case 0: checkMessage(DaemonCall.self, bytes)
    case 1: checkMessage(DaemonReply.self, bytes)
    case 2: checkMessage(ServerHello.self, bytes)
    case 3: checkMessage(ClientHello.self, bytes)
    case 4: checkMessage(Welcome.self, bytes)
    case 5: checkMessage(CallHeader.self, bytes)
    default: return
    }
}

private func checkMessage<Value: WireValue>(_: Value.Type, _ bytes: [UInt8]) {
    let decoded = try? WireReader.decode(bytes) { reader throws(StatusError) in try reader.value(Value.self) }
    guard let decoded else { return }
    var writer = WireWriter()
    writer.value(decoded)
    // An error reply may differ, because decoding omits a reason, attribute or file that this version does not know.
    if let reply = decoded as? DaemonReply, case .failure = reply { return }
    precondition(writer.bytes == bytes)
}
