// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite(.serialized) struct MessageMemoryTests {
    private static let sizes = [48, 700, 100_000]

    private static func item(_ hidden: Hidden) -> Request {
        let secret = hidden.exposed.withBytes { SecretBuffer(copying: $0) }
        var attributes = Attributes()
        attributes[.account] = .string("canary")
        attributes[.accessible] = .string("ak")
        return .add(NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret))
    }

    private static func encode(_ hidden: Hidden) -> WireWriter {
        var writer = WireWriter()
        writer.value(DaemonCall.perform(item(hidden), CallCredential()))
        return writer
    }

    @Test(arguments: sizes)
    func `encoding a secret leaves no copy in memory`(size: Int) {
        let hidden = Hidden(random: size)
        var writer = Self.encode(hidden)
        #expect(hidden.count == 1)
        writer.erase()
        #expect(hidden.count == 0)
    }

    @Test(arguments: sizes)
    func `making frames leaves no copy in memory`(size: Int) {
        let hidden = Hidden(random: size)
        var writer = Self.encode(hidden)
        var frames = Message(.request, request: 1, body: writer.bytes).frames
        writer.erase()
        frames.wipe()
        #expect(hidden.count == 0)
    }

    @Test(arguments: [
        (size: 48, part: 7), (700, 100), (100_000, 1 << 16), (WireLimit.frame.upperBound, 1 << 16),
    ])
    func `receiving a secret in parts leaves no copy in memory`(size: Int, part: Int) throws {
        let hidden = Hidden(random: size)
        var writer = Self.encode(hidden)
        var frames = Message(.request, request: 1, body: writer.bytes).frames
        writer.erase()
        var (buffer, offset) = (MessageBuffer(limit: WireLimit.message), 0)
        var message: Message?
        while message == nil {
            let count = min(part, buffer.missing, frames.count - offset)
            message = try buffer.add(frames[offset..<offset + count])
            offset += count
        }
        frames.wipe()
        message?.body.wipe()
        #expect(hidden.count == 0)
    }

    @Test(arguments: sizes)
    func `adding and reading an item leaves no copy in the client's memory`(size: Int) throws {
        let hidden = Hidden(random: size)
        try DaemonProcess.with { daemon in
            let client = daemon.client()
            let caller = Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])
            _ = try client.perform(Self.item(hidden), for: caller, with: .none)
            #expect(hidden.count == 0)
            var attributes = Attributes()
            attributes[.account] = .string("canary")
            let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
            let copy = Request.copy(CopyRequest(filter: filter, returning: .data))
            do {
                guard case .items(let found) = try client.perform(copy, for: caller, with: .none) else {
                    Issue.record("not found")
                    return
                }
                #expect(found.first?.secret?.count == size)
            }
            #expect(hidden.count == 0)
        }
    }
}
