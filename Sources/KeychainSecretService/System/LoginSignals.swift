// SPDX-License-Identifier: Apache-2.0

#if SecretService
import Glibc

/// Locks the keychain on signals of logind: when the screen is locked, before sleep, and at the last logout.
final class LoginSignals {
    private let bus: Bus
    /// The descriptor of logind's inhibitor, which delays sleep until the keychain is locked; -1 without one.
    private var inhibitor: CInt = -1

    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"

    /// Subscribes to the signals; `nil` if there is no system bus, or if it does not answer.
    init?() {
        guard let bus = Bus(.system) else { return nil }
        self.bus = bus
        let members = [
            (Self.session, "Lock"), (Self.manager, "PrepareForSleep"), (Self.manager, "SessionRemoved"),
            (PropertyCalls.interface, "PropertiesChanged"),
        ]
        for (interface, member) in members {
            let rule = "type='signal',sender='\(Self.service)',interface='\(interface)',member='\(member)'"
            let condition = interface == PropertyCalls.interface ? ",arg0='\(Self.session)'" : ""
            guard (try? bus.match(rule + condition)) != nil else { return nil }
        }
        inhibit()
    }

    deinit { release() }

    var descriptor: CInt { bus.descriptor }
    var events: Int16 { bus.events }
    var isAvailable: Bool { bus.owner(of: Self.service) != nil }

    /// Handles the waiting signals, and calls the closure to lock the keychain; returns false if the bus has ended.
    func handle(lock: () -> Void) -> Bool {
        do throws(CallError) {
            while let message = try bus.next() {
                // Ignore signals that other programs than logind send.
                guard message.isSignal, message.sender == bus.owner(of: Self.service) else { continue }
                handle(message, lock)
            }
            return true
        } catch {
            return false
        }
    }

    private func handle(_ signal: borrowing IncomingMessage, _ lock: () -> Void) {
        switch signal.member {
        case "Lock": if isOwnSession(signal.path) { lock() }
        case "PropertiesChanged":
            // A screen locker that logind has not asked to lock, such as GNOME's, only sets this property.
            let isScreenLocked = try? signal.changedBoolean("LockedHint", of: Self.session)
            if isScreenLocked == true, isOwnSession(signal.path) { lock() }
        case "SessionRemoved": if !hasSession() { lock() }
        case "PrepareForSleep":
            if (try? signal.boolean()) == true {
                lock()
                release()
            } else {
                inhibit()
            }
        default: break
        }
    }

    private func isOwnSession(_ path: String) -> Bool {
        let arguments = [BusValue.string(Self.session), .string("User")]
        let reply = try? bus.call(Self.service, path, PropertyCalls.interface, "Get", arguments)
        return (try? reply?.loginUser()) == geteuid()
    }

    /// Whether this user has a session; true if logind does not report it.
    private func hasSession() -> Bool {
        guard let reply = try? bus.call(Self.service, Self.path, Self.manager, "ListSessions", []),
            let users = try? reply.loginUsers()
        else { return true }
        return users.contains(geteuid())
    }

    private func inhibit() {
        guard inhibitor < 0, isAvailable else { return }
        let arguments = ["sleep", "Keychain", "Locks the keychain before sleep", "delay"].map(BusValue.string)
        guard let reply = try? bus.call(Self.service, Self.path, Self.manager, "Inhibit", arguments) else {
            return
        }
        inhibitor = (try? reply.file()) ?? -1
    }

    private func release() {
        if inhibitor >= 0 { _ = close(inhibitor) }
        inhibitor = -1
    }
}
#endif
