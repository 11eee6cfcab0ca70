// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import CKeychainLibSystemd
import Glibc

/// A D-Bus message that was received.
@safe struct BusMessage: ~Copyable {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) { unsafe self.message = message }

    deinit { _ = unsafe sd_bus_message_unref(message) }

    /// The unique bus name of the sender, which the bus itself sets; `nil` if it is absent.
    var sender: String? { unsafe sd_bus_message_get_sender(message).map { unsafe String(cString: $0) } }

    /// The object path, which the sender sets; `nil` if it is absent.
    var path: String? { unsafe sd_bus_message_get_path(message).map { unsafe String(cString: $0) } }

    func isSignal(_ member: String, of interface: String) -> Bool {
        unsafe sd_bus_message_is_signal(message, interface, member) > 0
    }

    func isReply(to cookie: UInt64) -> Bool {
        var own: UInt64 = 0
        return unsafe sd_bus_message_get_reply_cookie(message, &own) >= 0 && own == cookie
    }

    /// The name of the D-Bus error; `nil` if the message is not an error.
    var errorName: String? {
        guard let error = unsafe sd_bus_message_get_error(message), let name = unsafe error.pointee.name
        else { return nil }
        return unsafe String(cString: name)
    }
}

/// Functions that read the next argument; `nil` if it has another type.
extension BusMessage {
    func string() -> String? { basicString(SD_BUS_TYPE_STRING) }

    func objectPath() -> String? { basicString(SD_BUS_TYPE_OBJECT_PATH) }

    private func basicString(_ type: some BinaryInteger) -> String? {
        var string: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, CChar(type), &string) > 0, let string = unsafe string
        else {
            return nil
        }
        return unsafe String(cString: string)
    }

    func boolean() -> Bool? {
        var flag: CInt = 0
        guard unsafe sd_bus_message_read_basic(message, CChar(SD_BUS_TYPE_BOOLEAN), &flag) > 0 else {
            return nil
        }
        return flag != 0
    }

    func variantString() -> String? {
        guard unsafe sd_bus_message_enter_container(message, CChar(SD_BUS_TYPE_VARIANT), "s") > 0 else {
            return nil
        }
        return string()
    }

    func strings() -> [String]? {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        guard unsafe sd_bus_message_read_strv(message, &list) >= 0 else { return nil }
        defer { unsafe free(list) }
        var strings: [String] = []
        var next = unsafe list
        while let entry = unsafe next, let string = unsafe entry.pointee {
            strings.append(unsafe String(cString: string))
            unsafe free(string)
            unsafe next = entry + 1
        }
        return strings
    }
}
#endif
