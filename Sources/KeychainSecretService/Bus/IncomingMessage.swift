// SPDX-License-Identifier: Apache-2.0

#if SecretService
import CKeychainLibSystemd
import Glibc
import KeychainModel

@safe struct IncomingMessage: ~Copyable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { _ = unsafe sd_bus_message_unref(pointer) }

    var isCall: Bool { unsafe sd_bus_message_is_method_call(pointer, nil, nil) > 0 }
    var isSignal: Bool { unsafe sd_bus_message_is_signal(pointer, nil, nil) > 0 }
    var expectsReply: Bool { unsafe sd_bus_message_get_expect_reply(pointer) > 0 }
    /// The unique bus name of the sender, which the bus itself sets.
    var sender: String { unsafe Self.text(sd_bus_message_get_sender(pointer)) }
    var path: String { unsafe Self.text(sd_bus_message_get_path(pointer)) }
    var interface: String { unsafe Self.text(sd_bus_message_get_interface(pointer)) }
    var member: String { unsafe Self.text(sd_bus_message_get_member(pointer)) }
    var signature: String { unsafe Self.text(sd_bus_message_get_signature(pointer, 1)) }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }

    /// Makes sd-bus overwrite the message's memory when it is released.
    func markSensitive() { _ = unsafe sd_bus_message_sensitive(pointer) }
}

/// Functions that read the next argument; they throw if it has another type.
extension IncomingMessage {
    func string() throws(CallError) -> String { try text(SD_BUS_TYPE_STRING) }

    func objectPath() throws(CallError) -> String { try text(SD_BUS_TYPE_OBJECT_PATH) }

    private func text(_ type: some BinaryInteger) throws(CallError) -> String {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(pointer, CChar(type), &text) > 0, let text = unsafe text else {
            throw .invalidArguments
        }
        return unsafe String(cString: text)
    }

    func boolean() throws(CallError) -> Bool {
        var flag: CInt = 0
        guard unsafe sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_BOOLEAN), &flag) > 0 else {
            throw .invalidArguments
        }
        return flag != 0
    }

    /// Reads a file descriptor, and returns a duplicate of it; -1 if it cannot be duplicated.
    func file() throws(CallError) -> CInt {
        var number: CInt = -1
        guard unsafe sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_UNIX_FD), &number) > 0 else {
            throw .invalidArguments
        }
        return fcntl(number, F_DUPFD_CLOEXEC, 3)
    }

    private func number() throws(CallError) -> UInt32 {
        var number: UInt32 = 0
        guard unsafe sd_bus_message_read_basic(pointer, CChar(SD_BUS_TYPE_UINT32), &number) > 0 else {
            throw .invalidArguments
        }
        return number
    }

    /// Reads the property `User` of a login session: a variant with the user ID and a path.
    func loginUser() throws(CallError) -> UInt32 {
        try variant("(uo)") { () throws(CallError) in
            try within(SD_BUS_TYPE_STRUCT, "uo") { () throws(CallError) in
                let user = try number()
                _ = try objectPath()
                return user
            }
        }
    }

    /// Reads the list of login sessions, and returns their user IDs.
    func loginUsers() throws(CallError) -> [UInt32] {
        var users: [UInt32] = []
        try forEach("(susso)") { () throws(CallError) in
            try within(SD_BUS_TYPE_STRUCT, "susso") { () throws(CallError) in
                _ = try string()
                users.append(try number())
                _ = (try string(), try string(), try objectPath())
            }
        }
        return users
    }

    /// Reads bytes into memory that is overwritten on release.
    func bytes() throws(CallError) -> SecretBuffer {
        var start: UnsafeRawPointer?
        var count = 0
        let code = unsafe sd_bus_message_read_array(pointer, CChar(SD_BUS_TYPE_BYTE), &start, &count)
        guard code >= 0 else { throw .invalidArguments }
        return unsafe SecretBuffer(
            copying: UnsafeRawBufferPointer(start: count > 0 ? start : nil, count: count)
        )
    }

    func paths(atMost limit: Int = Limits.paths) throws(CallError) -> [String] {
        var paths: [String] = []
        try forEach("o") { () throws(CallError) in
            guard paths.count < limit else { throw .limit("a call names too many objects") }
            paths.append(try objectPath())
        }
        return paths
    }

    func dictionary() throws(CallError) -> [String: String] {
        var (entries, size) = ([:] as [String: String], 0)
        try forEach("{ss}") { () throws(CallError) in
            try within(SD_BUS_TYPE_DICT_ENTRY, "ss") { () throws(CallError) in
                let (name, value) = (try string(), try string())
                size += name.utf8.count + value.utf8.count
                entries[name] = value
            }
            guard entries.count <= Limits.attributes, size <= Limits.attributeBytes else {
                throw .limit("an item has too many attributes")
            }
        }
        return entries
    }

    /// Reads a dictionary of properties; skips those other than `Label`, `Attributes` and `Type`.
    func properties() throws(CallError) -> ItemProperties {
        var properties = ItemProperties()
        try forEach("{sv}") { () throws(CallError) in
            try within(SD_BUS_TYPE_DICT_ENTRY, "sv") { () throws(CallError) in
                let name = try string()
                switch name.split(separator: ".").last {
                case "Label": properties.label = try variant("s") { () throws(CallError) in try string() }
                case "Attributes":
                    properties.attributes = try variant("a{ss}") { () throws(CallError) in try dictionary() }
                case "Type": properties.schema = try variant("s") { () throws(CallError) in try string() }
                default:
                    guard unsafe sd_bus_message_skip(pointer, "v") >= 0 else { throw .invalidArguments }
                }
            }
        }
        return properties
    }

    /// Reads a signal `PropertiesChanged`, and returns the new value of a property of an interface; `nil` if the signal
    /// does not contain it.
    func changedBoolean(_ name: String, of interface: String) throws(CallError) -> Bool? {
        guard try string() == interface else { return nil }
        var value: Bool?
        try forEach("{sv}") { () throws(CallError) in
            try within(SD_BUS_TYPE_DICT_ENTRY, "sv") { () throws(CallError) in
                if try string() == name {
                    value = try variant("b") { () throws(CallError) in try boolean() }
                } else {
                    guard unsafe sd_bus_message_skip(pointer, "v") >= 0 else { throw .invalidArguments }
                }
            }
        }
        return value
    }

    /// Reads a secret as a client sends it, with the D-Bus type `(oayays)`.
    func secret() throws(CallError) -> TransferredSecret {
        markSensitive()
        return try within(SD_BUS_TYPE_STRUCT, "oayays") { () throws(CallError) in
            let session = try objectPath()
            let parameters = try bytes().bytes
            let value = try bytes()
            guard value.count <= Limits.secret + 16 else {
                throw .limit("a secret has more than \(Limits.secret) bytes")
            }
            return TransferredSecret(
                session: session,
                parameters: parameters,
                value: value,
                contentType: try string()
            )
        }
    }

    func variant<Result>(
        _ content: String,
        _ body: () throws(CallError) -> Result
    ) throws(CallError) -> Result {
        try within(SD_BUS_TYPE_VARIANT, content, body)
    }

    private func forEach(_ content: String, _ body: () throws(CallError) -> Void) throws(CallError) {
        try within(SD_BUS_TYPE_ARRAY, content) { () throws(CallError) in
            while unsafe sd_bus_message_at_end(pointer, 0) == 0 { try body() }
        }
    }

    private func within<Result>(
        _ type: some BinaryInteger,
        _ content: String,
        _ body: () throws(CallError) -> Result
    ) throws(CallError) -> Result {
        guard unsafe sd_bus_message_enter_container(pointer, CChar(type), content) > 0 else {
            throw .invalidArguments
        }
        let result = try body()
        guard unsafe sd_bus_message_exit_container(pointer) >= 0 else { throw .invalidArguments }
        return result
    }
}

/// The properties that a caller gives to a new item or collection; `nil` for a missing one.
struct ItemProperties {
    var label: String?
    var attributes: [String: String]?
    /// The name of the item's schema, which some clients send as the property `Type`.
    var schema: String?
}
#endif
