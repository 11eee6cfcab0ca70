// SPDX-License-Identifier: Apache-2.0

#if SecretService
import Glibc
import KeychainClient
import KeychainModel

/// The secrets of sandboxed applications: a random key for each application ID.
///
/// `xdg-desktop-portal` determines the application ID and calls this interface for the application.
struct Portal {
    let service: SecretService

    /// The bus name of this interface, which the file `keychain.portal` contains.
    static let name = "org.freedesktop.impl.portal.desktop.keychain"
    /// The interface of the object that each call names, on which `xdg-desktop-portal` closes the call's dialog.
    static let request = "org.freedesktop.impl.portal.Request"
    /// The bus name of the only program that may call this interface.
    private static let caller = "org.freedesktop.portal.Desktop"
    private static let itemService = "secret-service-portal"
    private static let keySize = 64
    private static let version: UInt32 = 1

    private enum ResponseCode {
        static let success: UInt32 = 0
        static let cancelled: UInt32 = 1
        static let failure: UInt32 = 2
    }

    /// Answers a call; returns `nil` if the answer follows after a prompt.
    func answer(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue]? {
        try checkCaller(of: message)
        switch (message.interface, message.member, message.signature) {
        case (Interface.portal.name, "RetrieveSecret", "osha{sv}"): return try retrieve(message)
        case (PropertyCalls.interface, "Get", "ss"):
            guard try message.string() == Interface.portal.name, try message.string() == "version" else {
                throw .unknownProperty
            }
            return [.variant(.code(Self.version))]
        case (PropertyCalls.interface, "GetAll", "s"):
            return [.properties([NamedValue("version", .code(Self.version))])]
        default: throw .unknownMethod
        }
    }

    private func checkCaller(of message: borrowing IncomingMessage) throws(CallError) {
        guard service.bus.owner(of: Self.caller) == message.sender else { throw .unidentified }
    }

    /// Answers `Close`, which cancels a waiting `RetrieveSecret` call and closes its passcode dialog.
    ///
    /// `Close` is a method of the object whose path the waiting call contains.
    func close(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        try checkCaller(of: message)
        guard message.member == "Close" else { throw .unknownMethod }
        let (path, caller) = (message.path, message.sender)
        guard service.cancelRequests(where: { $0.path == path && $0.caller == caller }) else {
            throw .noSuchObject
        }
        return []
    }

    private func retrieve(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue]? {
        let path = try message.objectPath()
        let application = try message.string()
        let file = OpenFile(try message.file())
        // Refuse programs outside a sandbox: they have no application ID, so they would all get the same key.
        guard Self.isApplication(application) else {
            return Self.response(ResponseCode.failure)
        }
        try service.directory.refresh()
        guard service.directory.isLocked else { return try write(application, file) }
        let reply = PendingReply(message)
        let request = PortalRequest(path: path, caller: message.sender, application: application) {
            [self] ending in
            try? service.bus.reply(to: reply, values(after: ending, application, file))
        }
        return service.askForPasscode(for: request) ? nil : Self.response(ResponseCode.failure)
    }

    private func values(
        after ending: PortalRequest.Ending,
        _ application: String,
        _ file: OpenFile
    ) -> [BusValue] {
        switch ending {
        case .refused: return Self.response(ResponseCode.cancelled)
        case .cancelled: return Self.response(ResponseCode.failure)
        case .unlocked:
            do throws(CallError) {
                try service.directory.refresh()
                return try write(application, file)
            } catch {
                return Self.response(ResponseCode.failure)
            }
        }
    }

    /// Returns whether a string can be an application ID.
    private static func isApplication(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private func write(_ application: String, _ file: OpenFile) throws(CallError) -> [BusValue] {
        let key: SecretBuffer
        do throws(StatusError) {
            key = try Self.key(of: application)
        } catch {
            throw CallError(error)
        }
        let isWritten = file.write(key)
        return Self.response(isWritten ? ResponseCode.success : ResponseCode.failure)
    }

    private static func response(_ code: UInt32) -> [BusValue] { [.code(code), .properties([])] }

    /// Returns the key of an application; the first call creates the key.
    private static func key(of application: String) throws(StatusError) -> SecretBuffer {
        var identity = Attributes()
        identity[.service] = .string(itemService)
        identity[.account] = .string(application)
        let filter = ItemFilter(itemClass: .genericPassword, attributes: identity)
        let search = Request.copy(CopyRequest(filter: filter, returning: .data))
        do throws(StatusError) {
            if case .items(let items) = try SystemKeychain.perform(search), let key = items.first?.secret {
                return key
            }
        } catch {
            guard error.status == .itemNotFound else { throw error }
        }
        let key = unsafe SecretBuffer(count: keySize) { bytes in
            var generator = SystemRandomNumberGenerator()
            for index in bytes.indices {
                unsafe bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
        }
        var attributes = identity
        attributes[.label] = .string("Key of the application \(application)")
        attributes[.accessible] = .string(ProtectionClass.whenUnlocked.name)
        let item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: key)
        _ = try SystemKeychain.perform(.add(item))
        return key
    }
}

/// A call of the portal that waits for the passcode.
struct PortalRequest {
    enum Ending {
        case unlocked
        /// The user has not entered the passcode.
        case refused
        /// The portal has closed the request or left the bus.
        case cancelled
    }

    /// The path of the object on which the portal can close the request.
    let path: String
    /// The unique bus name of the portal.
    let caller: String
    let application: String
    /// Answers the call; `nil` after it was answered, so that the application's file is closed.
    var complete: ((Ending) -> Void)?
    let cancellation = Cancellation()
}

/// The file descriptor that the portal passes to receive an application's key; closed on release.
private final class OpenFile {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Writes the secret if the file accepts it without waiting; returns whether the whole secret was written.
    func write(_ secret: SecretBuffer) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&request, 1, 0) == 1, request.revents & Int16(POLLOUT) != 0 else { return false }
        return unsafe secret.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count
        }
    }
}
#endif
