// SPDX-License-Identifier: Apache-2.0

/// The type of a message, which each of its frames contains.
package enum FrameKind: UInt8, CaseIterable, Sendable {
    case serverHello = 1
    case clientHello = 2
    case welcome = 3
    case refused = 4
    case request = 5
    case response = 6
    case goodbye = 10
}

package enum WireLimit {
    /// The allowed sizes of a frame after its length field, in bytes.
    package static let frame = 12...1 << 20
    /// The maximum size of a message's body in bytes; a message consists of one or several frames.
    package static let message = 17 << 20
    /// The maximum size of a message's body during the handshake, in bytes.
    package static let handshake = 64 << 10
    package static let version: UInt16 = 1
    package static let nonce = 16
    package static let passcode = 1 << 16
    package static let accessGroups = 1 << 10
    /// The maximum number of entries in all lists of a call together.
    package static let entries = 1 << 16
    package static let string = 1 << 16
    package static let signature = 16_384
}

/// A message, sent in one or several frames.
///
/// All frames of a message have the same request number, and all but the last have the flag `moreFollows`.
package struct Message: Sendable {
    package let kind: FrameKind
    /// The number that the client gave the request; 0 outside of requests.
    package let request: UInt64
    package var body: [UInt8]

    package init(_ kind: FrameKind, request: UInt64 = 0, body: [UInt8]) {
        self.kind = kind
        self.request = request
        self.body = body
    }

    /// The size of a frame's header, including the length field, in bytes.
    package static let headerSize = 16
    /// The flag of every frame but the last of a message.
    static let moreFollows: UInt8 = 1

    /// The bytes of the message's frames, which may contain secrets.
    package var frames: [UInt8] {
        let largest = WireLimit.frame.upperBound - (Self.headerSize - 4)
        var writer = WireWriter(capacity: body.count + Self.headerSize * (body.count / largest + 1))
        var start = 0
        repeat {
            let count = min(largest, body.count - start)
            let isLast = start + count == body.count
            writer.integer(UInt32(Self.headerSize - 4 + count))
            writer.integer(request)
            writer.integer(kind.rawValue)
            writer.integer(isLast ? 0 : Self.moreFollows)
            writer.integer(0 as UInt16)
            unsafe body.withUnsafeBytes {
                unsafe writer.fixed(UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            start += count
        } while start < body.count
        return writer.bytes
    }
}

/// Assembles messages from the bytes of a stream.
package struct MessageBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var message: Message?
    /// The maximum size of the body of an accepted message, in bytes.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }

    /// The number of bytes held for the incomplete message.
    package var heldBytes: Int { bytes.count + (message?.body.count ?? 0) }

    /// The number of bytes that the current frame, or at first its header, still needs; never 0.
    package var missing: Int {
        guard let length = frameLength else { return Message.headerSize - bytes.count }
        return max(length - bytes.count, 1)
    }

    private var frameLength: Int? {
        guard bytes.count >= 4 else { return nil }
        return 4 + Int(bytes[0]) + Int(bytes[1]) << 8 + Int(bytes[2]) << 16 + Int(bytes[3]) << 24
    }

    /// Adds received bytes, at most ``missing``.
    ///
    /// - Returns: The message, if the bytes complete it.
    /// - Throws: `malformedMessage` for an invalid header, a message above the limit, or more bytes than ``missing``.
    package mutating func add(_ received: ArraySlice<UInt8>) throws(StatusError) -> Message? {
        guard received.count <= missing else { throw WireReader.malformed }
        bytes.growErasing(by: received.count)
        bytes += received
        guard let length = frameLength else { return nil }
        let announced = (message?.body.count ?? 0) + length - Message.headerSize
        guard WireLimit.frame.contains(length - 4), announced <= limit else { throw WireReader.malformed }
        bytes.growErasing(by: length - bytes.count)
        guard bytes.count == length else { return nil }
        return try takeFrame()
    }

    /// Overwrites the bytes of the incomplete message.
    package mutating func erase() {
        bytes.wipe()
        message?.body.wipe()
        bytes = []
        message = nil
    }

    /// Returns the fields of the frame's header after its length.
    ///
    /// The reader shares the array `bytes`, and so must be released before the array is erased: otherwise
    /// only a copy would be erased.
    private func header() throws(StatusError) -> (number: UInt64, kind: FrameKind, flags: UInt8) {
        var reader = WireReader(bytes, from: 4)
        let number = try reader.integer(UInt64.self)
        guard let kind = FrameKind(rawValue: try reader.integer()) else { throw WireReader.malformed }
        let flags = try reader.integer(UInt8.self)
        guard flags & ~Message.moreFollows == 0, try reader.integer(UInt16.self) == 0 else {
            throw WireReader.malformed
        }
        return (number, kind, flags)
    }

    private mutating func takeFrame() throws(StatusError) -> Message? {
        let (number, kind, flags) = try header()
        var whole = message ?? Message(kind, request: number, body: [])
        guard whole.kind == kind, whole.request == number else { throw WireReader.malformed }
        message = nil
        whole.body.growErasing(by: bytes.count - Message.headerSize)
        whole.body += bytes[Message.headerSize...]
        bytes.wipe()
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
        guard flags == 0 else {
            // All frames but the last must be full, so that a message has only one encoding.
            guard whole.body.count % (WireLimit.frame.upperBound - 12) == 0, !whole.body.isEmpty else {
                throw WireReader.malformed
            }
            message = whole
            return nil
        }
        return whole
    }
}
