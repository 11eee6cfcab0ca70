// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import CKeychainLibSystemd
import Glibc

/// Why a call over the bus has no result.
enum BusFailure: Error, Hashable {
    /// The other side answered with the error of that name.
    case refused(String)
    /// There is no bus, it ended, or what came makes no sense.
    case lost
    case timedOut
    case cancelled
}

/// How long a call may take.
struct BusPatience {
    let deadline: Deadline
    /// Asked several times a second while waiting.
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

/// Where a call goes.
struct BusObject {
    let service: String
    let path: String
    let interface: String
}

/// A connection to the bus, on which nothing waits longer than it is told.
@safe struct SystemBus: ~Copyable {
    private let bus: OpaquePointer

    /// The bus itself, as a sender of signals.
    static let daemon = BusObject(
        service: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus"
    )

    /// Connects; `nil` is the address of the system's bus.
    static func connect(to address: String?, within patience: BusPatience) throws(BusFailure) -> Self {
        let bus = unsafe Self(try open(address))
        // The library would wait for the bus as long as it likes.
        while unsafe sd_bus_is_ready(bus.bus) <= 0 { _ = try bus.step(within: patience) }
        return bus
    }

    private init(_ bus: OpaquePointer) { unsafe self.bus = bus }

    deinit { _ = unsafe sd_bus_close_unref(bus) }

    private static func open(_ address: String?) throws(BusFailure) -> OpaquePointer {
        var bus: OpaquePointer?
        guard let address = address ?? addressOfEnvironment else {
            guard unsafe sd_bus_open_system(&bus) >= 0, let bus = unsafe bus else { throw .lost }
            return unsafe bus
        }
        guard isLocal(address) else { throw .lost }
        guard unsafe sd_bus_new(&bus) >= 0, let bus = unsafe bus else { throw .lost }
        guard unsafe sd_bus_set_address(bus, address) >= 0, unsafe sd_bus_set_bus_client(bus, 1) >= 0,
            unsafe sd_bus_start(bus) >= 0
        else {
            _ = unsafe sd_bus_close_unref(bus)
            throw .lost
        }
        return unsafe bus
    }

    /// Where the system's bus is, if it is not in its place.
    private static var addressOfEnvironment: String? {
        guard let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else { return nil }
        return unsafe String(cString: address)
    }

    /// Whether an address is a socket of this machine, wherever of several it leads: the library looks up names of
    /// machines, and runs programs, for as long as it takes.
    private static func isLocal(_ address: String) -> Bool {
        address.split(separator: ";", omittingEmptySubsequences: false).allSatisfy { $0.hasPrefix("unix:") }
    }

    /// Calls a method that takes texts, and a number after them, and waits for the service's answer.
    ///
    /// If the service has ended or ends before it answers, the bus answers with an error instead. Every other message
    /// that comes meanwhile goes to `others`.
    func call(
        _ method: String,
        of object: BusObject,
        _ arguments: [String] = [],
        number: UInt32? = nil,
        within patience: BusPatience,
        others: (borrowing BusMessage) -> Void = { _ in }
    ) throws(BusFailure) -> BusMessage {
        let cookie = try send(method, to: object, arguments, number)
        while true {
            let message = try receive(within: patience)
            guard message.isReply(to: cookie), Self.isAnswer(message, of: object.service) else {
                others(message)
                continue
            }
            if let error = message.errorName { throw .refused(error) }
            return message
        }
    }

    /// Any program that guesses the cookie can send a reply, so the sender counts, which the bus itself writes.
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
        guard made >= 0, let call = unsafe call else { throw .lost }
        defer { _ = unsafe sd_bus_message_unref(call) }
        for argument in arguments {
            let type = CChar(SD_BUS_TYPE_STRING)
            guard unsafe sd_bus_message_append_basic(call, type, argument) >= 0 else { throw .lost }
        }
        if var number {
            let type = CChar(SD_BUS_TYPE_UINT32)
            guard unsafe sd_bus_message_append_basic(call, type, &number) >= 0 else { throw .lost }
        }
        var cookie: UInt64 = 0
        guard unsafe sd_bus_send(bus, call, &cookie) >= 0 else { throw .lost }
        return cookie
    }

    /// The next message, before patience ends.
    func receive(within patience: BusPatience) throws(BusFailure) -> BusMessage {
        while true {
            if let message = try step(within: patience) { return message }
        }
    }

    /// Reads and writes what can be, or else waits a moment for it.
    private func step(within patience: BusPatience) throws(BusFailure) -> BusMessage? {
        // Before the work, lest a peer who never stops sending never lets the deadline come.
        try patience.check()
        var message: OpaquePointer?
        let progress = unsafe sd_bus_process(bus, &message)
        guard progress >= 0 else { throw .lost }
        if let message = unsafe message { return unsafe BusMessage(message) }
        if progress == 0 { try wait(at: min(patience.deadline.millisecondsLeft, 100)) }
        return nil
    }

    private func wait(at most: CInt) throws(BusFailure) {
        let events = unsafe sd_bus_get_events(bus)
        guard events >= 0 else { throw .lost }
        var file = pollfd(fd: unsafe sd_bus_get_fd(bus), events: Int16(events), revents: 0)
        let count = unsafe poll(&file, 1, most)
        guard count >= 0 || errno == EINTR else { throw .lost }
    }
}
#endif
