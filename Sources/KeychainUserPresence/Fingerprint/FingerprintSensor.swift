// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import Glibc

/// The fingerprint sensor, reached through fprintd on the system bus.
///
/// Source: the D-Bus interfaces `net.reactivated.Fprint` of fprintd.
struct FingerprintSensor: ~Copyable {
    let bus: SystemBus
    let device: BusObject
    /// The user and the enrolled fingers.
    let enrolled: EnrolledFingers
    private static let service = "net.reactivated.Fprint"
    private static let deviceInterface = "net.reactivated.Fprint.Device"

    /// Finds the default sensor and the enrolled fingers of this user.
    static func find(
        _ settings: FingerprintSettings,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(FingerprintFailure) -> Self {
        guard settings.bus != .none else { throw .unavailable }
        let timeout = BusTimeout(milliseconds: settings.startLimit, isCancelled: isCancelled)
        do throws(BusFailure) {
            let bus = try SystemBus.connect(to: settings.bus.address, within: timeout)
            // Signals are accepted only from this unique bus name, which no other program can have.
            let service = try owner(bus, within: timeout)
            let manager = BusObject(
                service: service,
                path: "/net/reactivated/Fprint/Manager",
                interface: "\(Self.service).Manager"
            )
            let reply = try bus.call("GetDefaultDevice", of: manager, within: timeout)
            guard let path = reply.objectPath() else { throw .disconnected }
            let device = BusObject(service: service, path: path, interface: deviceInterface)
            let enrolled = try enrolled(device, bus, within: timeout)
            return Self(bus: bus, device: device, enrolled: enrolled)
        } catch {
            throw FingerprintFailure(error)
        }
    }

    /// Starts fprintd if necessary, and returns its unique bus name.
    private static func owner(
        _ bus: borrowing SystemBus,
        within timeout: BusTimeout
    ) throws(BusFailure) -> String {
        for isStarted in [false, true] {
            do throws(BusFailure) {
                let reply = try bus.call("GetNameOwner", of: SystemBus.daemon, [service], within: timeout)
                guard let owner = reply.string() else { throw .disconnected }
                return owner
            } catch .errorReply("org.freedesktop.DBus.Error.NameHasNoOwner") {
                guard !isStarted else { throw .disconnected }
                let method = "StartServiceByName"
                _ = try bus.call(method, of: SystemBus.daemon, [service], number: 0, within: timeout)
            }
        }
        throw .disconnected
    }

    private static func enrolled(
        _ device: BusObject,
        _ bus: borrowing SystemBus,
        within timeout: BusTimeout
    ) throws(BusFailure) -> EnrolledFingers {
        let properties = BusObject(
            service: device.service,
            path: device.path,
            interface: "org.freedesktop.DBus.Properties"
        )
        let name = try bus.call("Get", of: properties, [deviceInterface, "name"], within: timeout)
        guard let sensor = name.variantString() else { throw .disconnected }
        var fingers: [String] = []
        do throws(BusFailure) {
            // An empty user name selects the calling user.
            let list = try bus.call("ListEnrolledFingers", of: device, [""], within: timeout)
            guard let strings = list.strings() else { throw .disconnected }
            fingers = strings.sorted()
        } catch .errorReply("\(service).Error.NoEnrolledPrints") {
        }
        return EnrolledFingers(sensor: sensor, user: geteuid(), fingers: fingers)
    }
}
#endif
