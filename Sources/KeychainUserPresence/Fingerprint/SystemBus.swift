// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import CKeychainLibSystemd
import CKeychainLinux
import Glibc

enum BusFailure: Error, Hashable {
    /// The service replied with an error of this name.
    case errorReply(String)
    /// There is no bus, the connection ended, or a malformed message was received.
    case disconnected
    case timedOut
    case cancelled
}

struct BusTimeout {
    let deadline: Deadline
    /// Whether the caller cancelled the call; polled several times a second while waiting.
    let isCancelled: @Sendable () -> Bool

    init(milliseconds: Int, isCancelled: @escaping @Sendable () -> Bool) {
        deadline = Deadline(milliseconds: milliseconds) { .now }
        self.isCancelled = isCancelled
    }

    init(until deadline: Deadline, isCancelled: @escaping @Sendable () -> Bool) {
        self.deadline = deadline
        self.isCancelled = isCancelled
    }

    func check() throws(BusFailure) {
        if isCancelled() { throw .cancelled }
        if deadline.millisecondsLeft == 0 { throw .timedOut }
    }
}

/// The destination of a D-Bus call.
struct BusObject {
    let service: String
    let path: String
    let interface: String
}

/// A D-Bus connection whose calls all have a time limit.
@safe struct SystemBus: ~Copyable {
    private let bus: OpaquePointer

    /// The bus daemon, which sends signals about the bus itself.
    static let daemon = BusObject(
        service: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus"
    )

    /// Connects to the bus at the address, or to the system bus if it is `nil`.
    static func connect(to address: String?, within timeout: BusTimeout) throws(BusFailure) -> Self {
        let bus = unsafe Self(try open(address))
        // Wait here, because sd-bus itself would wait without a time limit.
        while unsafe sd_bus_is_ready(bus.bus) <= 0 { _ = try bus.step(within: timeout) }
        return bus
    }

    private init(_ bus: OpaquePointer) { unsafe self.bus = bus }

    deinit { _ = unsafe sd_bus_close_unref(bus) }

    private static func open(_ address: String?) throws(BusFailure) -> OpaquePointer {
        var bus: OpaquePointer?
        guard let address = address ?? addressOfEnvironment else {
            guard unsafe sd_bus_open_system(&bus) >= 0, let bus = unsafe bus else { throw .disconnected }
            return unsafe bus
        }
        guard isLocal(address) else { throw .disconnected }
        guard unsafe sd_bus_new(&bus) >= 0, let bus = unsafe bus else { throw .disconnected }
        guard unsafe sd_bus_set_address(bus, address) >= 0, unsafe sd_bus_set_bus_client(bus, 1) >= 0,
            unsafe sd_bus_start(bus) >= 0
        else {
            _ = unsafe sd_bus_close_unref(bus)
            throw .disconnected
        }
        return unsafe bus
    }

    /// The address of the system bus, if the environment overrides it.
    private static var addressOfEnvironment: String? {
        guard clinux_is_secure_execution() == 0, let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
            return nil
        }
        return unsafe String(cString: address)
    }

    /// Whether all addresses are Unix sockets.
    ///
    /// For other addresses, sd-bus resolves host names or runs programs, without a time limit.
    private static func isLocal(_ address: String) -> Bool {
        address.split(separator: ";", omittingEmptySubsequences: false).allSatisfy { $0.hasPrefix("unix:") }
    }

    /// Calls a method with strings and an optional number, and waits for the reply.
    ///
    /// If the service exits before it replies, the bus daemon replies with an error. Messages other than the
    /// reply that arrive meanwhile are passed to `others`.
    func call(
        _ method: String,
        of object: BusObject,
        _ arguments: [String] = [],
        number: UInt32? = nil,
        within timeout: BusTimeout,
        others: (borrowing BusMessage) -> Void = { _ in }
    ) throws(BusFailure) -> BusMessage {
        let cookie = try send(method, to: object, arguments, number)
        while true {
            let message = try receive(within: timeout)
            guard message.isReply(to: cookie), Self.isAnswer(message, of: object.service) else {
                others(message)
                continue
            }
            if let error = message.errorName { throw .errorReply(error) }
            return message
        }
    }

    /// Whether a reply comes from the service, or is an error from the bus daemon.
    ///
    /// Any program that guesses the call's serial number could send a reply.
    private static func isAnswer(_ message: borrowing BusMessage, of service: String) -> Bool {
        let sender = message.sender
        return sender == service || sender == daemon.service && message.errorName != nil
    }

    private func send(
        _ method: String,
        to object: BusObject,
        _ arguments: [String],
        _ number: UInt32?
    ) throws(BusFailure) -> UInt64 {
        var call: OpaquePointer?
        let made = unsafe sd_bus_message_new_method_call(
            bus,
            &call,
            object.service,
            object.path,
            object.interface,
            method
        )
        guard made >= 0, let call = unsafe call else { throw .disconnected }
        defer { _ = unsafe sd_bus_message_unref(call) }
        for argument in arguments {
            let type = CChar(SD_BUS_TYPE_STRING)
            guard unsafe sd_bus_message_append_basic(call, type, argument) >= 0 else { throw .disconnected }
        }
        if var number {
            let type = CChar(SD_BUS_TYPE_UINT32)
            guard unsafe sd_bus_message_append_basic(call, type, &number) >= 0 else { throw .disconnected }
        }
        var cookie: UInt64 = 0
        guard unsafe sd_bus_send(bus, call, &cookie) >= 0 else { throw .disconnected }
        return cookie
    }

    func receive(within timeout: BusTimeout) throws(BusFailure) -> BusMessage {
        while true {
            if let message = try step(within: timeout) { return message }
        }
    }

    /// Processes pending messages, or waits briefly for input; returns a message if one was received.
    private func step(within timeout: BusTimeout) throws(BusFailure) -> BusMessage? {
        // Check first: a peer that never stops sending must not prevent the timeout.
        try timeout.check()
        var message: OpaquePointer?
        let progress = unsafe sd_bus_process(bus, &message)
        guard progress >= 0 else { throw .disconnected }
        if let message = unsafe message { return unsafe BusMessage(message) }
        if progress == 0 { try wait(at: min(timeout.deadline.millisecondsLeft, 100)) }
        return nil
    }

    private func wait(at most: CInt) throws(BusFailure) {
        let events = unsafe sd_bus_get_events(bus)
        guard events >= 0 else { throw .disconnected }
        var file = pollfd(fd: unsafe sd_bus_get_fd(bus), events: Int16(events), revents: 0)
        let count = unsafe poll(&file, 1, most)
        guard count >= 0 || errno == EINTR else { throw .disconnected }
    }
}
#endif
