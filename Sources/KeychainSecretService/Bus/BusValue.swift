// SPDX-License-Identifier: Apache-2.0

#if SecretService
import CKeychainLibSystemd
import KeychainModel

/// A secret in a message to or from a client, with the D-Bus type `(oayays)`.
struct TransferredSecret {
    let session: String
    /// The initialization vector; empty in a plain session.
    let parameters: [UInt8]
    let value: SecretBuffer
    let contentType: String

    static let signature = "(oayays)"
}

struct ItemSecret {
    let path: String
    let secret: TransferredSecret
}

struct NamedValue {
    let name: String
    let value: BusValue

    init(_ name: String, _ value: BusValue) {
        self.name = name
        self.value = value
    }
}

indirect enum BusValue {
    case string(String)
    case path(String)
    case boolean(Bool)
    case number(UInt64)
    case code(UInt32)
    case bytes([UInt8])
    case strings([String])
    case paths([String])
    case dictionary([String: String])
    case properties([NamedValue])
    case secret(TransferredSecret)
    case secrets([ItemSecret])
    case variant(BusValue)

    var signature: String {
        switch self {
        case .string: "s"
        case .path: "o"
        case .boolean: "b"
        case .number: "t"
        case .code: "u"
        case .bytes: "ay"
        case .strings: "as"
        case .paths: "ao"
        case .dictionary: "a{ss}"
        case .properties: "a{sv}"
        case .secret: TransferredSecret.signature
        case .secrets: "a{o\(TransferredSecret.signature)}"
        case .variant: "v"
        }
    }

    /// The null object, which the Secret Service specification represents by the path `/`.
    static var noObject: Self { .path("/") }
}

@safe struct OutgoingMessage: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { _ = unsafe sd_bus_message_unref(pointer) }

    func append(_ value: BusValue) throws(CallError) {
        switch value {
        case .string(let text): try append(text, SD_BUS_TYPE_STRING)
        case .path(let path): try append(path, SD_BUS_TYPE_OBJECT_PATH)
        case .boolean(let flag): try append(CInt(flag ? 1 : 0), SD_BUS_TYPE_BOOLEAN)
        case .number(let number): try append(number, SD_BUS_TYPE_UINT64)
        case .code(let code): try append(code, SD_BUS_TYPE_UINT32)
        case .bytes(let bytes):
            try check(unsafe sd_bus_message_append_array(pointer, Self.byte, bytes, bytes.count))
        case .strings(let texts):
            try array("s", texts) { text throws(CallError) in try append(.string(text)) }
        case .paths(let paths):
            try array("o", paths) { path throws(CallError) in try append(.path(path)) }
        case .dictionary(let entries):
            try array("{ss}", entries.sorted { $0.key < $1.key }) { entry throws(CallError) in
                try container(SD_BUS_TYPE_DICT_ENTRY, "ss") { () throws(CallError) in
                    try append(.string(entry.key))
                    try append(.string(entry.value))
                }
            }
        case .properties(let properties):
            try array("{sv}", properties) { property throws(CallError) in
                try container(SD_BUS_TYPE_DICT_ENTRY, "sv") { () throws(CallError) in
                    try append(.string(property.name))
                    try append(.variant(property.value))
                }
            }
        case .secret(let secret): try append(secret)
        case .secrets(let secrets): try append(secrets)
        case .variant(let value):
            try container(SD_BUS_TYPE_VARIANT, value.signature) { () throws(CallError) in try append(value) }
        }
    }

    private func append(_ secret: TransferredSecret) throws(CallError) {
        // sd-bus overwrites the memory of a sensitive message.
        try check(unsafe sd_bus_message_sensitive(pointer))
        let content = String(TransferredSecret.signature.dropFirst().dropLast())
        try container(SD_BUS_TYPE_STRUCT, content) { () throws(CallError) in
            try append(.path(secret.session))
            try append(.bytes(secret.parameters))
            let code = unsafe secret.value.withUnsafeBytes {
                unsafe sd_bus_message_append_array(pointer, Self.byte, $0.baseAddress, $0.count)
            }
            try check(code)
            try append(.string(secret.contentType))
        }
    }

    private func append(_ secrets: [ItemSecret]) throws(CallError) {
        try array("{o\(TransferredSecret.signature)}", secrets) { entry throws(CallError) in
            try container(SD_BUS_TYPE_DICT_ENTRY, "o" + TransferredSecret.signature) { () throws(CallError) in
                try append(.path(entry.path))
                try append(entry.secret)
            }
        }
    }

    private static let byte = CChar(SD_BUS_TYPE_BYTE)

    private func append(_ text: String, _ type: some BinaryInteger) throws(CallError) {
        try check(unsafe sd_bus_message_append_basic(pointer, CChar(type), text))
    }

    private func append(
        _ number: some BitwiseCopyable & BinaryInteger,
        _ type: some BinaryInteger
    ) throws(CallError) {
        var number = number
        try check(unsafe sd_bus_message_append_basic(pointer, CChar(type), &number))
    }

    private func array<Element>(
        _ content: String,
        _ elements: [Element],
        _ body: (Element) throws(CallError) -> Void
    ) throws(CallError) {
        try container(SD_BUS_TYPE_ARRAY, content) { () throws(CallError) in
            for element in elements { try body(element) }
        }
    }

    private func container(
        _ type: some BinaryInteger,
        _ content: String,
        _ body: () throws(CallError) -> Void
    ) throws(CallError) {
        try check(unsafe sd_bus_message_open_container(pointer, CChar(type), content))
        try body()
        try check(unsafe sd_bus_message_close_container(pointer))
    }

    private func check(_ code: CInt) throws(CallError) { guard code >= 0 else { throw .failed } }
}
#endif
