// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import KeychainModel

/// The parts of a record: `suite 1 | class key's number 4 | wrapped key | box`.
///
/// The wrapped key has 60 bytes. Where the suite's high bit is set, it is wrapped once or twice more inside, and in the
/// record of the attributes the sealed access control stands before it.
struct Record {
    /// The sealed access control; empty where there is none.
    var access: ArraySlice<UInt8> = []
    let wrappedKey: ArraySlice<UInt8>
    let box: ArraySlice<UInt8>
    private let suite: UInt8
    private let classKey: UInt32

    private static let prefixCount = 5
    private static let accessCount = ItemAccess.byteCount + Sealing.overhead

    /// Whether a record says that it is under access control; whoever opens it finds out whether that is true.
    static func isConstrained(_ bytes: [UInt8]) -> Bool { bytes.first == Suite.one.constrained }

    /// The sealed access control of the attributes' record; `nil` where there is none.
    static func sealedAccess(
        of bytes: [UInt8],
        classKey: UInt32
    ) throws(StatusError) -> ArraySlice<UInt8>? {
        guard isConstrained(bytes) else { return nil }
        guard bytes.count >= prefixCount + accessCount, try number(bytes, Suite.one.constrained) == classKey
        else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return bytes[prefixCount..<prefixCount + accessCount]
    }

    /// Takes a record apart; it must be of this suite and name this class key.
    init(
        _ bytes: [UInt8],
        classKey: UInt32,
        _ access: ItemAccess?,
        hasAccess: Bool
    ) throws(StatusError) {
        suite = access == nil ? Suite.one.rawValue : Suite.one.constrained
        let start = Self.prefixCount + (access != nil && hasAccess ? Self.accessCount : 0)
        let end = start + AccessOpener.wrappedCount(access) + Sealing.overhead
        guard bytes.count >= end + Sealing.overhead, try Self.number(bytes, suite) == classKey else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        wrappedKey = bytes[start..<end]
        box = bytes[end...]
        self.classKey = classKey
    }

    private static func number(_ bytes: [UInt8], _ suite: UInt8) throws(StatusError) -> UInt32 {
        let number = unsafe bytes.withUnsafeBytes { buffer -> UInt32? in
            var reader = unsafe ByteReader(buffer)
            return reader.number() == suite ? reader.number() : nil
        }
        guard let number else { throw StatusError(.undecodable, .recordDamaged) }
        return number
    }

    /// Seals bytes under a key drawn for them alone.
    init(
        sealing plain: [UInt8],
        classKey: (number: UInt32, key: SymmetricKey),
        _ opener: AccessOpener?,
        wrapContext: [UInt8],
        boxContext: [UInt8]
    ) throws(StatusError) {
        let key = try Sealing.randomKey()
        if let opener {
            let inner = try opener.wrap(key, context: ItemContext.inner(boxContext))
            wrappedKey = try ArraySlice(Sealing.seal(inner, under: classKey.key, context: wrapContext))
        } else {
            wrappedKey = try ArraySlice(Sealing.wrap(key, under: classKey.key, context: wrapContext))
        }
        box = try ArraySlice(Sealing.seal(plain, under: key, context: boxContext))
        suite = opener == nil ? Suite.one.rawValue : Suite.one.constrained
        self.classKey = classKey.number
    }

    /// Opens the message: the class key's wrap first, then what an authentication opens.
    func open(
        under wrappingKey: SymmetricKey,
        _ opener: AccessOpener?,
        wrapContext: [UInt8],
        boxContext: [UInt8]
    ) throws(StatusError) -> Data {
        let key: SymmetricKey
        if let opener {
            let inner = try Sealing.open(
                wrappedKey,
                under: wrappingKey,
                context: wrapContext,
                orThrow: .recordDamaged
            )
            key = try opener.unwrap(inner, context: ItemContext.inner(boxContext))
        } else {
            key = try Sealing.unwrap(
                wrappedKey,
                under: wrappingKey,
                context: wrapContext,
                orThrow: .recordDamaged
            )
        }
        return try Sealing.open(box, under: key, context: boxContext, orThrow: .recordDamaged)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.prefixCount + access.count + wrappedKey.count + box.count)
        writer.append(suite)
        writer.append(classKey)
        writer.append(access)
        writer.append(wrappedKey)
        writer.append(box)
        return writer.bytes
    }
}
