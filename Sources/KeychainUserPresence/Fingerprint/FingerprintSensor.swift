// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import Glibc

/// The user's fingerprint sensor, as fprintd offers it on the system's bus.
///
/// Source: the D-Bus interfaces `net.reactivated.Fprint` of fprintd.
struct FingerprintSensor: ~Copyable {
    let bus: SystemBus
    let device: BusObject
    /// Who can be recognized.
    let enrolled: EnrolledFingers
    private static let service = "net.reactivated.Fprint"
    private static let deviceInterface = "net.reactivated.Fprint.Device"

    /// Finds the sensor and the fingers of this user.
    static func find(
        _ settings: FingerprintSettings,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(FingerprintFailure) -> Self {
        guard settings.bus != .none else { throw .unavailable }
        let patience = BusPatience(milliseconds: settings.startLimit, isCancelled: isCancelled)
        do throws(BusFailure) {
            let bus = try SystemBus.connect(to: settings.bus.address, within: patience)
            // The name that nobody else can have: only who has it is listened to.
            let service = try owner(bus, within: patience)
            let manager = BusObject(
                service: service,
                path: "/net/reactivated/Fprint/Manager",
                interface: "\(Self.service).Manager"
            )
            let reply = try bus.call("GetDefaultDevice", of: manager, within: patience)
            guard let path = reply.objectPath() else { throw .lost }
            let device = BusObject(service: service, path: path, interface: deviceInterface)
            let enrolled = try enrolled(device, bus, within: patience)
            return Self(bus: bus, device: device, enrolled: enrolled)
        } catch {
            throw FingerprintFailure(error)
        }
    }

    /// The service's own name on the bus, which starts it if it has to.
    private static func owner(
        _ bus: borrowing SystemBus,
        within patience: BusPatience
    ) throws(BusFailure) -> String {
        for isStarted in [false, true] {
            do throws(BusFailure) {
                let reply = try bus.call("GetNameOwner", of: SystemBus.daemon, [service], within: patience)
                guard let owner = reply.text() else { throw .lost }
                return owner
            } catch .refused("org.freedesktop.DBus.Error.NameHasNoOwner") {
                guard !isStarted else { throw .lost }
                let method = "StartServiceByName"
                _ = try bus.call(method, of: SystemBus.daemon, [service], number: 0, within: patience)
            }
        }
        throw .lost
    }

    private static func enrolled(
        _ device: BusObject,
        _ bus: borrowing SystemBus,
        within patience: BusPatience
    ) throws(BusFailure) -> EnrolledFingers {
        let properties = BusObject(
            service: device.service,
            path: device.path,
            interface: "org.freedesktop.DBus.Properties"
        )
        let name = try bus.call("Get", of: properties, [deviceInterface, "name"], within: patience)
        guard let sensor = name.variantText() else { throw .lost }
        var fingers: [String] = []
        do throws(BusFailure) {
            // The empty name is the user who calls.
            let list = try bus.call("ListEnrolledFingers", of: device, [""], within: patience)
            guard let texts = list.texts() else { throw .lost }
            fingers = texts.sorted()
        } catch .refused("\(service).Error.NoEnrolledPrints") {
        }
        return EnrolledFingers(sensor: sensor, user: geteuid(), fingers: fingers)
    }
}
#endif
