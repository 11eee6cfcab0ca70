// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
import Glibc
import Pinentry

/// The user's fingerprint sensor, as fprintd offers it on the system's bus.
///
/// Source: the D-Bus interfaces `net.reactivated.Fprint` of fprintd.
struct FingerprintSensor: ~Copyable {
    let bus: SystemBus
    let device: BusObject
    /// Who can be recognized.
    let enrolled: EnrolledFingers
    private static let manager = BusObject(
        service: "net.reactivated.Fprint",
        path: "/net/reactivated/Fprint/Manager",
        interface: "net.reactivated.Fprint.Manager"
    )
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
            let reply = try bus.call("GetDefaultDevice", of: manager, within: patience)
            // The name that nobody else can have: what others send under the service's is not listened to.
            guard let service = reply.sender, let path = reply.objectPath() else { throw .lost }
            let device = BusObject(service: service, path: path, interface: deviceInterface)
            let enrolled = try enrolled(device, bus, within: patience)
            return Self(bus: bus, device: device, enrolled: enrolled)
        } catch {
            throw FingerprintFailure(error)
        }
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
        } catch .refused("\(manager.service).Error.NoEnrolledPrints") {
        }
        return EnrolledFingers(sensor: sensor, user: geteuid(), fingers: fingers)
    }
}
#endif
