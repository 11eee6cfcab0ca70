// SPDX-License-Identifier: Apache-2.0

extension StatusError: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.integer(status.rawValue)
        writer.string(reason?.rawValue ?? "")
        writer.integer(attribute?.rawValue ?? 0)
        writer.string(file?.rawValue ?? "")
        writer.flag(code != nil)
        if let code { writer.integer(code) }
    }

    /// Decodes an error; omits a reason, attribute or file that only a newer version knows.
    package init(from reader: inout WireReader) throws(StatusError) {
        let status = Status(rawValue: try reader.integer())
        let reason = Reason(rawValue: try reader.string(atMost: 64))
        let attribute = Attribute(rawValue: try reader.integer())
        let file = StoreFile(rawValue: try reader.string(atMost: 64))
        let code: Int32? = try reader.flag() ? try reader.integer() : nil
        self.init(status, reason, attribute: attribute, file: file, code: code)
    }
}

extension Response: WireValue {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .done: writer.integer(0 as UInt8)
        case .items(let items):
            writer.integer(1 as UInt8)
            writer.list(items)
        case .status(let status): writer.value(status, code: 2)
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        switch try reader.integer(UInt8.self) {
        case 0: self = .done
        case 1: self = .items(try reader.list())
        case 2: self = .status(try reader.value())
        default: throw WireReader.malformed
        }
    }
}

extension FoundItem: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(reference)
        writer.value(attributes)
        writer.value(accessControl)
        writer.optional(secret)
        writer.optional(certificate)
        writer.optional(privateKey)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            reference: try reader.value(),
            attributes: try reader.value(),
            accessControl: try reader.value(),
            secret: try reader.optional(),
            certificate: try reader.optional(),
            privateKey: try reader.optional()
        )
    }
}

extension StoreStatus: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.integer(UInt16(clamping: formatMajor))
        writer.integer(UInt16(clamping: formatMinor))
        writer.value(store)
        for number in [generation, itemCount, tombstoneCount] { writer.integer(number) }
        writer.flag(isReadOnly)
        writer.flag(passcodeIsSet)
        writer.string(keyCache.rawValue)
        writer.string(lockState.rawValue)
        writer.value(lockSettings)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            formatMajor: Int(try reader.integer(UInt16.self)),
            formatMinor: Int(try reader.integer(UInt16.self)),
            store: try reader.value(),
            generation: try reader.integer(),
            itemCount: try reader.integer(),
            tombstoneCount: try reader.integer(),
            isReadOnly: try reader.flag(),
            passcodeIsSet: try reader.flag(),
            keyCache: try reader.name(),
            lockState: try reader.name(),
            lockSettings: try reader.value()
        )
    }
}

extension WireReader {
    /// Reads the name of an enumeration's case.
    mutating func name<Value: RawRepresentable<String>>() throws(StatusError) -> Value {
        guard let value = Value(rawValue: try string(atMost: 64)) else { throw Self.malformed }
        return value
    }
}

extension LockSettings: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.flag(interval != nil)
        if let interval { writer.integer(interval) }
        writer.flag(locksOnSleep)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(interval: try reader.flag() ? try reader.integer() : nil)
        locksOnSleep = try reader.flag()
    }
}

extension ItemVersion: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(reference)
        writer.optional(accessGroup)
        writer.integer(version)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            reference: try reader.value(),
            accessGroup: try reader.optional(),
            version: try reader.integer()
        )
    }
}
