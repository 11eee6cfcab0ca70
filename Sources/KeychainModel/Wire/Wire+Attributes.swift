// SPDX-License-Identifier: Apache-2.0

/// A type whose values all consist of `count` bytes.
package protocol FixedBytes: WireValue {
    static var count: Int { get }
    init?(_ bytes: [UInt8])
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension FixedBytes {
    package func encode(into writer: inout WireWriter) { unsafe withBytes { unsafe writer.fixed($0) } }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let value = Self(try reader.fixed(Self.count)) else { throw WireReader.malformed }
        self = value
    }
}

extension Bytes16: FixedBytes {}
extension Bytes32: FixedBytes {}

extension SecretBuffer: WireValue {
    package func encode(into writer: inout WireWriter) { unsafe withUnsafeBytes { unsafe writer.sized($0) } }

    package init(from reader: inout WireReader) throws(StatusError) {
        var bytes = try reader.sized()
        self.init(moving: &bytes)
    }
}

extension String: WireValue {
    package func encode(into writer: inout WireWriter) { writer.string(self) }

    package init(from reader: inout WireReader) throws(StatusError) {
        self = try reader.string(atMost: WireLimit.string)
    }
}

extension Attributes: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.integer(UInt16(truncatingIfNeeded: entries.count))
        for entry in entries {
            writer.integer(entry.attribute.rawValue)
            writer.integer(entry.value.typeCode)
            unsafe entry.value.withCanonicalBytes { unsafe writer.sized($0) }
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init()
        var previous: UInt8 = 0
        for _ in 0..<(try reader.integer(UInt16.self)) {
            let number = try reader.integer(UInt8.self)
            guard number > previous, let attribute = Attribute(rawValue: number) else {
                throw WireReader.malformed
            }
            previous = number
            self[attribute] = try AttributeValue(from: &reader)
        }
    }
}

extension AttributeValue {
    /// Decodes the type and the canonical bytes; throws for bytes that are not canonical.
    init(from reader: inout WireReader) throws(StatusError) {
        let type = try reader.integer(UInt8.self)
        let bytes = try reader.sized()
        guard let value = unsafe bytes.withUnsafeBytes({ unsafe Self(typeCode: type, canonicalBytes: $0) }),
            unsafe value.withCanonicalBytes({ unsafe $0.elementsEqual(bytes) })
        else { throw WireReader.malformed }
        self = value
    }
}

extension ItemClass: WireValue {
    package func encode(into writer: inout WireWriter) { writer.integer(rawValue) }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let value = Self(rawValue: try reader.integer()) else { throw WireReader.malformed }
        self = value
    }
}

extension AccessControl: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.integer(protection.rawValue)
        writer.flag(isExplicit)
        writer.integer(flags)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let protection = ProtectionClass(rawValue: try reader.integer()) else {
            throw WireReader.malformed
        }
        let (isExplicit, flags) = (try reader.flag(), try reader.integer(UInt64.self))
        guard isExplicit || flags == 0 else { throw WireReader.malformed }
        self = isExplicit ? Self(protection: protection, flags: flags) : Self(protection: protection)
    }
}

extension PersistentReference: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(itemClass)
        writer.value(item)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(itemClass: try reader.value(), item: try reader.value())
    }
}

extension ReturnKeys: WireValue {
    package func encode(into writer: inout WireWriter) { writer.integer(rawValue) }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(rawValue: try reader.integer())
        guard rawValue < 1 << 4 else { throw WireReader.malformed }
    }
}

extension MatchLimit: WireValue {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .one: writer.integer(0 as UInt8)
        case .atMost(let count):
            writer.integer(1 as UInt8)
            writer.integer(Int64(count))
        case .all: writer.integer(2 as UInt8)
        case .unambiguous: writer.integer(3 as UInt8)
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        switch try reader.integer(UInt8.self) {
        case 0: self = .one
        case 1: self = .atMost(Int(clamping: try reader.integer(Int64.self)))
        case 2: self = .all
        case 3: self = .unambiguous
        default: throw WireReader.malformed
        }
    }
}
