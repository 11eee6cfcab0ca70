// SPDX-License-Identifier: Apache-2.0

extension CallerLevel: WireValue {
    package func encode(into writer: inout WireWriter) { writer.integer(rawValue) }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let value = Self(rawValue: try reader.integer()) else { throw WireReader.malformed }
        self = value
    }
}

/// The daemon's first message, to which the client answers with its hello.
package struct ServerHello: Hashable, Sendable, WireValue {
    package let versions: ClosedRange<UInt16>
    /// Random bytes that the client must send back.
    package let nonce: Bytes16

    private static let mark = Array("KCD1".utf8)

    package init(nonce: Bytes16, versions: ClosedRange<UInt16> = WireLimit.version...WireLimit.version) {
        self.nonce = nonce
        self.versions = versions
    }

    package func encode(into writer: inout WireWriter) {
        unsafe Self.mark.withUnsafeBytes { unsafe writer.fixed($0) }
        writer.integer(versions.lowerBound)
        writer.integer(versions.upperBound)
        writer.value(nonce)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard try reader.fixed(4) == Self.mark else { throw WireReader.malformed }
        let (lowest, highest) = (try reader.integer(UInt16.self), try reader.integer(UInt16.self))
        guard lowest <= highest else { throw WireReader.malformed }
        self.init(nonce: try reader.value(), versions: lowest...highest)
    }
}

/// The client's first message: protocol version, code signature and claimed identity.
package struct ClientHello: Hashable, Sendable, WireValue {
    package let version: UInt16
    package let nonce: Bytes16
    /// The code signature of the client's executable; empty without one.
    package let signature: [UInt8]
    /// The identity that the client claims; a daemon for all users ignores the claim.
    package let claim: ClaimedIdentity

    private static let mark = Array("KCC1".utf8)

    package init(
        nonce: Bytes16,
        signature: [UInt8],
        claim: ClaimedIdentity,
        version: UInt16 = WireLimit.version
    ) {
        self.version = version
        self.nonce = nonce
        self.signature = signature
        self.claim = claim
    }

    package func encode(into writer: inout WireWriter) {
        unsafe Self.mark.withUnsafeBytes { unsafe writer.fixed($0) }
        writer.integer(version)
        writer.value(nonce)
        writer.sized(signature)
        writer.value(claim)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard try reader.fixed(4) == Self.mark else { throw WireReader.malformed }
        let (version, nonce) = (try reader.integer(UInt16.self), try reader.value(Bytes16.self))
        let signature = try reader.sized(atMost: WireLimit.signature)
        self.init(nonce: nonce, signature: signature, claim: try reader.value(), version: version)
    }
}

/// A program's identifier and access groups, claimed by the client or determined by the daemon.
package struct ClaimedIdentity: Hashable, Sendable, WireValue {
    package let identifier: String
    package let accessGroups: [String]

    package init(identifier: String, accessGroups: [String]) {
        self.identifier = identifier
        self.accessGroups = accessGroups
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(identifier)
        writer.list(accessGroups)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        identifier = try reader.value()
        accessGroups = try reader.list(atMost: WireLimit.accessGroups)
    }
}

/// The daemon's answer to the hello of a client that it serves.
package struct Welcome: Hashable, Sendable, WireValue {
    package let level: CallerLevel
    package let identity: ClaimedIdentity
    /// Random bytes that differ after a restart of the daemon.
    package let instance: Bytes16

    package init(level: CallerLevel, identity: ClaimedIdentity, instance: Bytes16) {
        self.level = level
        self.identity = identity
        self.instance = instance
    }

    package func encode(into writer: inout WireWriter) {
        writer.value(level)
        writer.value(identity)
        writer.value(instance)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(level: try reader.value(), identity: try reader.value(), instance: try reader.value())
    }
}
