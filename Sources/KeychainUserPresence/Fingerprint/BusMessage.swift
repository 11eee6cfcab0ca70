// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import CKeychainLibSystemd
import Glibc

/// A message that came over the bus.
@safe struct BusMessage: ~Copyable {
    private let message: OpaquePointer

    init(_ message: OpaquePointer) { unsafe self.message = message }

    deinit { _ = unsafe sd_bus_message_unref(message) }

    /// The name by which the bus knows who sent it; the bus itself writes it.
    var sender: String? { unsafe sd_bus_message_get_sender(message).map { unsafe String(cString: $0) } }

    /// What it is about, as its sender says.
    var path: String? { unsafe sd_bus_message_get_path(message).map { unsafe String(cString: $0) } }

    func isSignal(_ member: String, of interface: String) -> Bool {
        unsafe sd_bus_message_is_signal(message, interface, member) > 0
    }

    func isReply(to cookie: UInt64) -> Bool {
        var own: UInt64 = 0
        return unsafe sd_bus_message_get_reply_cookie(message, &own) >= 0 && own == cookie
    }

    /// The name of the error that it is.
    var errorName: String? {
        guard let error = unsafe sd_bus_message_get_error(message), let name = unsafe error.pointee.name
        else { return nil }
        return unsafe String(cString: name)
    }
}

/// Its values, one after the other; `nil` where the next is of another type.
extension BusMessage {
    func text() -> String? { basicText(SD_BUS_TYPE_STRING) }

    func objectPath() -> String? { basicText(SD_BUS_TYPE_OBJECT_PATH) }

    private func basicText(_ type: some BinaryInteger) -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, CChar(type), &text) > 0, let text = unsafe text else {
            return nil
        }
        return unsafe String(cString: text)
    }

    func flag() -> Bool? {
        var flag: CInt = 0
        guard unsafe sd_bus_message_read_basic(message, CChar(SD_BUS_TYPE_BOOLEAN), &flag) > 0 else {
            return nil
        }
        return flag != 0
    }

    /// The text in a value of any type.
    func variantText() -> String? {
        guard unsafe sd_bus_message_enter_container(message, CChar(SD_BUS_TYPE_VARIANT), "s") > 0 else {
            return nil
        }
        return text()
    }

    func texts() -> [String]? {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        guard unsafe sd_bus_message_read_strv(message, &list) >= 0 else { return nil }
        defer { unsafe free(list) }
        var texts: [String] = []
        var next = unsafe list
        while let entry = unsafe next, let text = unsafe entry.pointee {
            texts.append(unsafe String(cString: text))
            unsafe free(text)
            unsafe next = entry + 1
        }
        return texts
    }
}
#endif
