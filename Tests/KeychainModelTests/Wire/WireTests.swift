// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

@Suite struct WireTests {
    private static func encode(_ value: some WireValue) -> [UInt8] {
        var writer = WireWriter()
        writer.value(value)
        return writer.bytes
    }

    private static func decode<Value: WireValue>(_ bytes: [UInt8]) throws -> Value {
        try WireReader.decode(bytes) { reader throws(StatusError) in try reader.value(Value.self) }
    }

    /// Encodes a value, decodes it, and encodes the result again; both encodings must be equal.
    private static func expectRoundTrip<Value: WireValue>(_ value: Value) throws {
        let bytes = encode(value)
        #expect(try encode(decode(bytes) as Value) == bytes)
    }

    @Test(arguments: WireSamples.calls.indices)
    func `a call is the same after encoding and decoding`(index: Int) throws {
        try Self.expectRoundTrip(WireSamples.calls[index])
    }

    @Test(arguments: WireSamples.replies.indices)
    func `a reply is the same after encoding and decoding`(index: Int) throws {
        try Self.expectRoundTrip(WireSamples.replies[index])
    }

    @Test func `a decoded request has the values of the encoded one`() throws {
        let request = CopyRequest(filter: WireSamples.filters[1], limit: .atMost(2), returning: [.data])
        #expect(try Self.decode(Self.encode(request)) == request)
        let error = StatusError(.notAvailable, .systemCall, attribute: .account, file: .database, code: -5)
        #expect(try Self.decode(Self.encode(error)) == error)
        #expect(try Self.decode(Self.encode(WireSamples.status)) == WireSamples.status)
        let item: NewItem = try Self.decode(Self.encode(WireSamples.items[2]))
        #expect(item.secret == WireSamples.items[2].secret)
        #expect(item.attributes == WireSamples.attributes)
    }

    @Test(arguments: WireSamples.replies.indices)
    func `a truncated or extended reply is refused`(index: Int) throws {
        let bytes = Self.encode(WireSamples.replies[index])
        for count in 0..<bytes.count {
            #expect(throws: StatusError.self) { try Self.decode(Array(bytes.prefix(count))) as DaemonReply }
        }
        #expect(throws: StatusError.self) { try Self.decode(bytes + [0]) as DaemonReply }
    }

    @Test func `attributes out of order, repeated, unknown or not canonical are refused`() {
        let account: [UInt8] = [20, 1, 1, 0, 0, 0, 0x61]
        let label: [UInt8] = [9, 1, 0, 0, 0, 0]
        let malformed: [[UInt8]] = [
            [2, 0] + account + label, [2, 0] + account + account, [1, 0, 255] + account.dropFirst(),
            // Not canonical or unknown: a number in 8 bytes that fits into 4, a string that is not UTF-8, and a type
            // that does not exist.
            [1, 0, 26, 3, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], [1, 0, 20, 1, 1, 0, 0, 0, 0xff],
            [1, 0, 20, 9, 0, 0, 0, 0],
        ]
        for bytes in malformed {
            #expect(throws: StatusError(.undecodable, .malformedMessage)) {
                try Self.decode(bytes) as Attributes
            }
        }
        #expect(throws: Never.self) { try Self.decode([2, 0] + label + account) as Attributes }
    }

    @Test func `a list that claims more entries than bytes is refused before memory is reserved`() {
        #expect(throws: StatusError(.undecodable, .malformedMessage)) {
            try WireReader.decode([0xff, 0xff, 0xff, 0xff, 1]) { reader throws(StatusError) in
                try reader.list(of: UInt32.self)
            }
        }
    }

    @Test func `the messages of the handshake are the same after encoding and decoding`() throws {
        let identity = ClaimedIdentity(identifier: "app", accessGroups: ["TEAM.app", ""])
        try Self.expectRoundTrip(ServerHello(nonce: WireSamples.item))
        try Self.expectRoundTrip(ClientHello(nonce: WireSamples.item, signature: [1, 2], claim: identity))
        for level in CallerLevel.allCases {
            let welcome = Welcome(level: level, identity: identity, instance: WireSamples.item)
            #expect(try Self.decode(Self.encode(welcome)) == welcome)
        }
        #expect(throws: StatusError.self) { try Self.decode(Array("KCC1".utf8)) as ServerHello }
    }
}

@Suite struct MessageBufferTests {
    private static func receive(
        _ bytes: [UInt8],
        limit: Int = WireLimit.message,
        step: Int = .max
    ) throws -> [Message] {
        var (buffer, rest, messages) = (MessageBuffer(limit: limit), bytes[...], [] as [Message])
        while !rest.isEmpty {
            let part = rest.prefix(min(buffer.missing, step))
            rest = rest.dropFirst(part.count)
            if let message = try buffer.add(part) { messages.append(message) }
        }
        #expect(buffer.heldBytes == 0)
        return messages
    }

    @Test(arguments: [0, 1, 100, (1 << 20) - 12, (1 << 20) - 11, 3 << 20])
    func `a message of any size arrives whole`(count: Int) throws {
        let message = Message(.request, request: 7, body: (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let received = try Self.receive(message.frames)
        #expect(received.map(\.body) == [message.body])
        #expect(received.first?.request == 7 && received.first?.kind == .request)
    }

    @Test func `messages that arrive byte by byte are separated`() throws {
        let messages = [Message(.serverHello, body: [1, 2]), Message(.response, request: .max, body: [])]
        let received = try Self.receive(messages.flatMap(\.frames), step: 1)
        #expect(received.map(\.body) == messages.map(\.body))
        #expect(received.map(\.kind) == [.serverHello, .response])
    }

    /// Frames that are refused, at the latest when their header is complete.
    static let malformed: [(String, [UInt8])] = [
        ("a length below the header", [11, 0, 0, 0] + [UInt8](repeating: 0, count: 12)),
        ("a length above the limit", [1, 0, 16, 0] + [UInt8](repeating: 0, count: 12)),
        ("an unknown kind", [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 0]),
        ("an unknown flag", [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 2, 0, 0]),
        ("a reserved field", [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 1, 0]),
        ("a short frame that says that more follow", [12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 0]),
    ]

    @Test(arguments: malformed)
    func `a malformed frame is refused`(name: String, bytes: [UInt8]) {
        #expect(throws: StatusError(.undecodable, .malformedMessage)) { try Self.receive(bytes) }
    }

    @Test func `a message above the limit is refused at its first header`() {
        let frames = Message(.clientHello, body: [UInt8](repeating: 0, count: WireLimit.handshake + 1)).frames
        #expect(throws: StatusError(.undecodable, .malformedMessage)) {
            try Self.receive(Array(frames.prefix(16)), limit: WireLimit.handshake)
        }
    }

    @Test func `frames of two messages do not mix`() {
        let full = Message(.request, request: 1, body: [UInt8](repeating: 0, count: 1 << 20)).frames
        let other = Message(.request, request: 2, body: []).frames
        #expect(throws: StatusError(.undecodable, .malformedMessage)) {
            try Self.receive(Array(full.prefix((1 << 20) + 4)) + other)
        }
    }
}
