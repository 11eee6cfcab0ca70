// SPDX-License-Identifier: Apache-2.0

#if SecretService
import CKeychainLibSystemd
import Glibc

/// A connection to a D-Bus daemon, used by one thread.
@safe final class Bus {
    private let bus: OpaquePointer

    enum Kind {
        case session, system
    }

    enum NameFailure: Error {
        /// Another program owns the name; its process ID is 0 if unknown.
        case held(process: pid_t)
        case refused(CInt)
    }

    static let daemon = "org.freedesktop.DBus"

    /// Connects; `nil` if that fails, for example because there is no such bus.
    init?(_ kind: Kind) {
        var bus: OpaquePointer?
        let code =
            switch kind {
            case .session: unsafe sd_bus_open_user(&bus)
            case .system: unsafe sd_bus_open_system(&bus)
            }
        guard code >= 0, let bus = unsafe bus else { return nil }
        unsafe self.bus = bus
    }

    deinit { _ = unsafe sd_bus_flush_close_unref(bus) }

    var descriptor: CInt { unsafe sd_bus_get_fd(bus) }
    var events: Int16 { Int16(truncatingIfNeeded: max(0, unsafe sd_bus_get_events(bus))) }

    /// Requests a bus name; with `replacing`, takes it from a program that allows that.
    func own(_ name: String, replacing: Bool) throws(NameFailure) {
        // Another instance may take the name with --replace. Refusing that would protect nothing: programs of
        // one user can end each other.
        let allow = UInt64(SD_BUS_NAME_ALLOW_REPLACEMENT)
        let replace = replacing ? UInt64(SD_BUS_NAME_REPLACE_EXISTING) : 0
        let code = unsafe sd_bus_request_name(bus, name, allow | replace)
        if code == -EEXIST { throw .held(process: process(of: name) ?? 0) }
        guard code >= 0 else { throw .refused(-code) }
    }

    /// Returns the process that owns a bus name; `nil` if the bus does not report it.
    func process(of name: String) -> pid_t? {
        var credentials: OpaquePointer?
        let mask = UInt64(SD_BUS_CREDS_PID)
        guard unsafe sd_bus_get_name_creds(bus, name, mask, &credentials) >= 0,
            let credentials = unsafe credentials
        else { return nil }
        defer { _ = unsafe sd_bus_creds_unref(credentials) }
        var process: pid_t = 0
        guard unsafe sd_bus_creds_get_pid(credentials, &process) >= 0, process > 0 else { return nil }
        return process
    }

    /// Returns the unique name of the program that owns a name; `nil` if none does, or if the bus does not answer.
    func owner(of name: String) -> String? {
        let reply = try? call(
            Self.daemon,
            "/org/freedesktop/DBus",
            Self.daemon,
            "GetNameOwner",
            [.string(name)]
        )
        return try? reply?.string()
    }

    /// Returns the next message that sd-bus does not handle itself; `nil` if none is waiting.
    ///
    /// - Throws: `failed` if the connection has ended.
    func next() throws(CallError) -> IncomingMessage? {
        while true {
            var message: OpaquePointer?
            let progress = unsafe sd_bus_process(bus, &message)
            guard progress >= 0 else { throw .failed }
            if let message = unsafe message { return unsafe IncomingMessage(message) }
            if progress == 0 { return nil }
        }
    }

    func match(_ rule: String) throws(CallError) {
        _ = try call(Self.daemon, "/org/freedesktop/DBus", Self.daemon, "AddMatch", [.string(rule)])
    }

    /// Calls a method and waits for the reply, at most five seconds.
    func call(
        _ service: String,
        _ path: String,
        _ interface: String,
        _ method: String,
        _ arguments: [BusValue]
    ) throws(CallError) -> IncomingMessage {
        var made: OpaquePointer?
        guard unsafe sd_bus_message_new_method_call(bus, &made, service, path, interface, method) >= 0,
            let made = unsafe made
        else { throw .failed }
        let message = unsafe OutgoingMessage(made)
        for argument in arguments { try message.append(argument) }
        var reply: OpaquePointer?
        let result = unsafe sd_bus_call(bus, message.pointer, 5_000_000, nil, &reply)
        guard result >= 0, let reply = unsafe reply else {
            // The number that sd-bus gives the error `NotSupported`.
            throw result == -EOPNOTSUPP ? .unsupportedAlgorithm : .failed
        }
        return unsafe IncomingMessage(reply)
    }

    func reply(to call: borrowing IncomingMessage, _ values: [BusValue]) throws(CallError) {
        guard call.expectsReply else { return }
        var made: OpaquePointer?
        guard unsafe sd_bus_message_new_method_return(call.pointer, &made) >= 0, let made = unsafe made else {
            throw .failed
        }
        try send(unsafe OutgoingMessage(made), values)
    }

    func reply(to call: PendingReply, _ values: [BusValue]) throws(CallError) {
        try reply(to: call.message, values)
    }

    func refuse(_ call: borrowing IncomingMessage, _ error: CallError) {
        guard call.expectsReply else { return }
        var made: OpaquePointer?
        // Copy the pointer, because a closure cannot capture the noncopyable message.
        let call = unsafe call.pointer
        unsafe error.name.withCString { name in
            unsafe error.message.withCString { message in
                var content = unsafe sd_bus_error()
                unsafe (content.name, content.message) = (name, message)
                _ = unsafe sd_bus_message_new_method_error(call, &made, &content)
            }
        }
        if let made = unsafe made { try? send(unsafe OutgoingMessage(made), []) }
    }

    func signal(
        _ name: String,
        _ interface: String,
        from path: String,
        to client: String,
        _ values: [BusValue]
    ) throws(CallError) {
        var made: OpaquePointer?
        guard unsafe sd_bus_message_new_signal(bus, &made, path, interface, name) >= 0,
            let made = unsafe made
        else { throw .failed }
        let message = unsafe OutgoingMessage(made)
        guard unsafe sd_bus_message_set_destination(message.pointer, client) >= 0 else { throw .failed }
        try send(message, values)
    }

    private func send(_ message: consuming OutgoingMessage, _ values: [BusValue]) throws(CallError) {
        for value in values { try message.append(value) }
        guard unsafe sd_bus_send(bus, message.pointer, nil) >= 0 else { throw .failed }
    }

    /// Whether sd-bus has received messages that ``next()`` has not returned yet.
    var hasWaiting: Bool {
        var timeout: UInt64 = 0
        return unsafe sd_bus_get_timeout(bus, &timeout) >= 0 && timeout == 0
    }

    func flush() { _ = unsafe sd_bus_flush(bus) }
}

@safe final class PendingReply {
    fileprivate let message: IncomingMessage

    init(_ message: borrowing IncomingMessage) {
        unsafe self.message = IncomingMessage(sd_bus_message_ref(message.pointer))
    }
}
#endif
