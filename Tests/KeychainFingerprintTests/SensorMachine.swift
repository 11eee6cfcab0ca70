// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// A private D-Bus with polkitd and with fprintd, which uses libfprint's simulated sensor.
///
/// This object starts and ends all these programs; their files are in a temporary folder.
final class SensorMachine: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    /// The services that the current test uses.
    @TaskLocal static var current: SensorMachine?

    private static let bus = "/usr/bin/dbus-daemon"
    private static let authority = "/usr/lib/polkit-1/polkitd"
    private static let service = "/usr/libexec/fprintd"

    /// Enables tests for root, in builds with the trait Fingerprint, if dbus-daemon, polkitd and fprintd are installed.
    static let isAvailable: ConditionTrait = .enabled(
        "needs root, the trait Fingerprint, and a simulated sensor (apt-get install fprintd dbus polkitd)"
    ) {
        #if Fingerprint
        geteuid() == 0 && [bus, authority, service].allSatisfy(FileManager.default.isExecutableFile)
        #else
        false
        #endif
    }

    let address: String
    let sensor: VirtualSensor
    private let directory: URL
    private let daemons: [ChildProcess]
    private let watchdog: Watchdog

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(component: "f-\(UUID())")
        // The folder is accessible to others, because polkitd drops root privileges before it connects to the
        // bus.
        try FileManager.default.createDirectory(
            at: directory,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        watchdog = try Watchdog(of: directory)
        address = "unix:path=\(directory.path)/bus"
        sensor = VirtualSensor(path: directory.appending(component: "sensor").path)
        let file = directory.appending(component: "bus.conf")
        try Data(Self.configuration(address).utf8).write(to: file)
        let bus = try ChildProcess(
            Self.bus,
            ["--config-file=\(file.path)", "--nofork", "--nopidfile", "--print-address=1"],
            environment: [:],
            at: .noTerminal
        )
        try watchdog.watch(bus)
        // The bus prints its address once it listens.
        _ = try bus.readLine()
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": address]
        let authority = try ChildProcess(
            Self.authority,
            ["--no-debug"],
            environment: environment,
            at: .noTerminal
        )
        try watchdog.watch(authority)
        daemons = [authority, bus]
        try wait(for: "org.freedesktop.PolicyKit1")
    }

    deinit {
        for daemon in daemons { daemon.end() }
        watchdog.stopWatching(daemons)
    }

    private static func configuration(_ address: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <listen>\(address)</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/>
            <allow receive_sender="*"/>
          </policy>
        </busconfig>
        """
    }

    private func wait(for name: String) throws {
        try SensorMachine.wait(for: "\(name) on the bus") {
            try !self.askBus("GetNameOwner", "string:\(name)").isEmpty
        }
    }

    /// Waits until a condition is true, for at most a minute.
    static func wait(for what: String, _ isThere: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try !isThere() {
            guard ContinuousClock.now < deadline else { throw Failure(description: "no \(what)") }
            usleep(10_000)
        }
    }

    func dbusSend(_ arguments: String...) throws {
        let ending = try run("/usr/bin/dbus-send", ["--bus=\(address)"] + arguments)
        guard ending == .exited(0) else { throw Failure(description: "nothing was sent") }
    }

    /// The unique names that this process has on the bus.
    func ownNames() throws -> [String] {
        let names = try askBus("ListNames").compactMap {
            $0.firstMatch(of: /string "(:[0-9.]+)"/).map { String($0.1) }
        }
        return try names.filter { name in
            try askBus("GetConnectionUnixProcessID", "string:\(name)").contains {
                $0.hasSuffix("uint32 \(getpid())")
            }
        }
    }

    /// Waits until the sensor expects a finger.
    ///
    /// The dialog is shown earlier, while the sensor is being started.
    func awaitFinger() throws {
        try SensorMachine.wait(for: "sensor that waits for a finger") {
            let arguments = ["string:\(Self.device)", "string:finger-needed"]
            return try askDevice(["org.freedesktop.DBus.Properties.Get"] + arguments).contains {
                $0.hasSuffix("boolean true")
            }
        }
    }

    /// Returns the finger that the sensor recognizes: the first one that fprintd lists.
    ///
    /// The order depends on the file system of fprintd's folder.
    func recognizedFinger() throws -> String {
        let fingers = try askDevice(["\(Self.device).ListEnrolledFingers", "string:"]).compactMap {
            $0.firstMatch(of: /string "([a-z-]+)"/).map { String($0.1) }
        }
        guard let finger = fingers.first else { throw Failure(description: "no finger is enrolled") }
        return finger
    }

    private static let device = "net.reactivated.Fprint.Device"

    /// Returns the output of a call to fprintd; no lines if the call fails.
    private func askDevice(_ call: [String]) throws -> [String] {
        try ask("net.reactivated.Fprint", "/net/reactivated/Fprint/Device/0", call)
    }

    /// Returns the output of a call to the bus daemon; no lines if the call fails.
    private func askBus(_ method: String, _ arguments: String...) throws -> [String] {
        try ask("org.freedesktop.DBus", "/", ["org.freedesktop.DBus." + method] + arguments)
    }

    private func ask(_ service: String, _ path: String, _ call: [String]) throws -> [String] {
        let bus = ["--bus=\(address)", "--print-reply", "--dest=\(service)", path]
        let child = try start("/usr/bin/dbus-send", bus + call)
        defer { child.end() }
        return try child.readLines()
    }

    private func run(_ program: String, _ arguments: [String]) throws -> ChildProcess.Ending {
        let child = try start(program, arguments)
        defer { child.end() }
        return try child.wait()
    }

    private func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": address]
        return try ChildProcess(program, arguments, environment: environment, at: .noTerminal)
    }

    /// Calls `body` while fprintd runs, with the simulated sensor or without one.
    func withService<Result: Sendable>(
        hasSensor: Bool = true,
        _ body: @Sendable (_ service: ChildProcess) async throws -> Result
    ) async throws -> Result {
        var environment = [
            "DBUS_SYSTEM_BUS_ADDRESS": address, "FP_DRIVERS_ALLOWLIST": "virtual_device",
            "STATE_DIRECTORY": directory.appending(component: "prints").path,
        ]
        if hasSensor { environment["FP_VIRTUAL_DEVICE"] = sensor.path }
        let service = try ChildProcess(Self.service, ["-t"], environment: environment, at: .noTerminal)
        try watchdog.watch(service)
        defer {
            service.end()
            watchdog.stopWatching([service])
            try? FileManager.default.removeItem(at: directory.appending(component: "prints"))
            sensor.remove()
        }
        try wait(for: "net.reactivated.Fprint")
        return try await body(service)
    }

    /// Enrolls a finger with fprintd-enroll.
    func enroll(_ finger: String) throws {
        let child = try ChildProcess(
            "/usr/bin/fprintd-enroll",
            ["-f", finger],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address],
            at: .noTerminal
        )
        defer { child.end() }
        // fprintd-enroll prints this line once the sensor is on; the simulated sensor listens only from its
        // first use.
        while let line = try child.readLine(), !line.hasPrefix("Enrolling") {}
        for command in ["SET_KEEP_ALIVE 1", "SET_ENROLL_STAGES 1", "SCAN \(finger)"] {
            try sensor.tell(command)
        }
        guard try child.wait() == .exited(0) else { throw Failure(description: "\(finger) is not enrolled") }
    }

    /// Starts fprintd-verify, which claims the sensor until it is ended.
    func verifyElsewhere() throws -> ChildProcess {
        let child = try ChildProcess(
            "/usr/bin/fprintd-verify",
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address],
            at: .noTerminal
        )
        // fprintd-verify prints this line once it has started.
        while let line = try child.readLine(), !line.hasPrefix("Verifying") {}
        return child
    }

    func remove(_ finger: String) throws {
        let ending = try run("/usr/bin/fprintd-delete", ["root", "-f", finger])
        guard ending == .exited(0) else { throw Failure(description: "\(finger) is not removed") }
    }

    /// Settings with which the API uses these services, with generous time limits.
    func settings(_ history: FingerprintHistory = FingerprintHistory()) -> FingerprintSettings {
        var settings = FingerprintSettings(bus: .address(address), history: history)
        settings.startLimit = 60_000
        settings.onLimit = 60_000
        settings.offLimit = 20_000
        return settings
    }
}

/// A suite trait that starts the services once for all tests of a suite.
struct SensorMachineTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await SensorMachine.$current.withValue(SensorMachine(), operation: function)
    }
}

extension Trait where Self == SensorMachineTrait {
    static var sensorMachine: Self { Self() }
}
