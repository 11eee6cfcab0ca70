// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@testable import KeychainUserPresence

/// Missing, busy and failing sensors and services.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain) struct SensorTests {
        private static let passcode = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)

        @Test func `a policy can be evaluated if there is a sensor`() async throws {
            try await Flow.run { _ in
                let context = LAContext()
                #expect(context.biometryType == .none)
                #expect(context.evaluatedPolicyDomainState == nil)
                #expect(Flow.check(Flow.biometrics, context) == nil)
                #expect(context.biometryType == .touchID)
                #expect(context.evaluatedPolicyDomainState?.count == 32)
                #expect(Flow.check(Flow.owner, context) == nil)
            }
        }

        @Test func `the passcode is requested if there is no sensor`() async throws {
            try await Flow.run(answers: [Self.passcode], hasSensor: false, enrolled: []) { flow in
                let context = LAContext()
                #expect(Flow.check(Flow.biometrics, context) == .biometryNotAvailable)
                #expect(context.biometryType == .none)
                #expect(await Flow.evaluate(Flow.biometrics) == .biometryNotAvailable)
                #expect(flow.pinentry.commands.isEmpty)
                #expect(await Flow.evaluate(Flow.owner) == nil)
                #expect(flow.pinentry.prompts == 1)
            }
        }

        @Test func `the passcode is requested if no finger is enrolled`() async throws {
            try await Flow.run(answers: [Self.passcode], enrolled: []) { flow in
                let context = LAContext()
                #expect(Flow.check(Flow.biometrics, context) == .biometryNotEnrolled)
                #expect(context.biometryType == .touchID)
                #expect(context.evaluatedPolicyDomainState == nil)
                #expect(await Flow.evaluate(Flow.biometrics) == .biometryNotEnrolled)
                #expect(flow.pinentry.commands.isEmpty)
                #expect(await Flow.evaluate(Flow.owner) == nil)
                #expect(flow.pinentry.prompts == 1)
            }
        }

        @Test func `biometry needs no passcode, and device owner authentication needs one`() async throws {
            try await Flow.run { flow in
                _ = try SearchedKeychain.removePasscode()
                #expect(Flow.check(Flow.biometrics) == nil)
                #expect(Flow.check(Flow.owner) == .passcodeNotSet)
                #expect(await Flow.evaluate(Flow.owner) == .passcodeNotSet)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(Flow.biometrics) == nil)
            }
        }

        @Test func `the dialog closes when the service ends during verification`() async throws {
            try await Flow.run { flow in
                let result = Flow.begin(Flow.biometrics)
                try flow.reads("Touch the fingerprint sensor.")
                try flow.machine.awaitFinger()
                flow.service.kill()
                #expect(await result.code == .biometryNotAvailable)
            }
        }

        #if Fingerprint
        @Test func `calling a service that has ended fails immediately`() throws {
            let machine = try #require(SensorMachine.current)
            let timeout = BusTimeout(milliseconds: 60_000) { false }
            let bus = try SystemBus.connect(to: machine.address, within: timeout)
            let gone = BusObject(service: ":1.4242", path: "/", interface: "net.reactivated.Fprint.Device")
            var failure: BusFailure?
            do throws(BusFailure) {
                _ = try bus.call("Release", of: gone, within: timeout)
            } catch {
                failure = error
            }
            #expect(failure == .errorReply("org.freedesktop.DBus.Error.ServiceUnknown"))
        }
        #endif

        @Test func `the dialog closes when the sensor is removed during verification`() async throws {
            try await Flow.run { flow in
                let result = Flow.begin(Flow.biometrics)
                try flow.reads("Touch the fingerprint sensor.")
                try flow.machine.awaitFinger()
                try flow.machine.sensor.tell("UNPLUG")
                #expect(await result.code == .biometryNotAvailable)
            }
        }

        @Test func `a sensor claimed by another program fails without waiting`() async throws {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let other = try flow.machine.verifyElsewhere()
                defer { other.end() }
                #expect(await Flow.evaluate(Flow.biometrics) == .systemCancel)
                #expect(await Flow.evaluate(Flow.owner) == nil)
                #expect(flow.pinentry.prompts == 1)
            }
        }

        @Test func `signals from other programs are ignored`() async throws {
            try await Flow.run { flow in
                let result = Flow.begin(Flow.biometrics)
                try flow.reads("Touch the fingerprint sensor.")
                try flow.machine.awaitFinger()
                let names = try flow.machine.ownNames()
                #expect(names.count == 1)
                for name in names {
                    try flow.machine.dbusSend(
                        "--type=signal",
                        "--dest=\(name)",
                        "/net/reactivated/Fprint/Device/0",
                        "net.reactivated.Fprint.Device.VerifyStatus",
                        "string:verify-match",
                        "boolean:true"
                    )
                }
                try flow.touches("wrong")
                try flow.reads("The finger was not recognized.")
                try flow.touches(Flow.finger)
                #expect(await result.code == nil)
            }
        }

        @Test func `the domain state changes with the enrolled fingers`() async throws {
            try await Flow.run { flow in
                func state() -> Data? {
                    let context = LAContext()
                    _ = Flow.check(Flow.biometrics, context)
                    return context.evaluatedPolicyDomainState
                }
                let one = try #require(state())
                #expect(state() == one)
                try flow.machine.enroll("left-thumb")
                let two = try #require(state())
                #expect(two != one)
                try flow.machine.remove("left-thumb")
                #expect(state() == one)
                try flow.machine.remove(Flow.finger)
                #expect(state() == nil)
            }
        }

        @Test func `the bus address is read from the environment`() async throws {
            try await Flow.run { flow in
                let tool = try ChildProcess(
                    TestTool.executable,
                    environment: ["DBUS_SYSTEM_BUS_ADDRESS": flow.machine.address]
                )
                defer { tool.end() }
                #expect(try tool.ask("fingers") == Flow.finger)
            }
        }
    }
}

/// Tests that need neither a D-Bus daemon nor a fingerprint sensor.
@Suite(.searchedKeychain) struct BusTests {
    @Test(arguments: [
        "unix:path=/nonexistent/bus", "", "nonsense", "tcp:host=127.0.0.1,port=1",
        "unix:path=/nonexistent/bus;tcp:host=127.0.0.1,port=1", "nonce-tcp:host=127.0.0.1,port=1",
    ])
    func `there is no sensor without a bus`(address: String) async throws {
        let settings = FingerprintSettings(bus: .address(address))
        let place = try ScriptedPinentry()
        await FingerprintSettings.$override.withValue(settings) {
            await place.answering {
                #expect(Flow.check(Flow.biometrics) == .biometryNotAvailable)
                #expect(await Flow.evaluate(Flow.biometrics) == .biometryNotAvailable)
            }
        }
        #expect(place.commands.isEmpty)
    }

    @Test func `connecting to an unresponsive bus times out`() throws {
        try TestTool.withDirectory { directory in
            let path = directory.appending(component: "bus").path
            let silence = try VirtualSensor.listen(at: path)
            defer { close(silence) }
            var settings = FingerprintSettings(bus: .address("unix:path=\(path)"))
            settings.startLimit = 100
            FingerprintSettings.$override.withValue(settings) {
                #expect(Flow.check(Flow.biometrics) == .biometryNotAvailable)
            }
        }
    }

    @Test func `a bus address cannot start a program`() async throws {
        try TestTool.withDirectory { directory in
            let trace = directory.appending(component: "trace").path
            let settings = FingerprintSettings(bus: .address("unixexec:path=/usr/bin/touch,argv1=\(trace)"))
            FingerprintSettings.$override.withValue(settings) {
                #expect(Flow.check(Flow.biometrics) == .biometryNotAvailable)
            }
            // Waits for another program, so that a program that the library started because of the address
            // would have had time to run.
            let child = try ChildProcess("/usr/bin/true", environment: [:])
            _ = try child.wait()
            #expect(!FileManager.default.fileExists(atPath: trace))
        }
    }

    @Test func `the bus is not used if the user cannot be prompted`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(component: "bus-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(component: "bus").path
        let bus = try VirtualSensor.listen(at: path)
        defer { close(bus) }
        let settings = FingerprintSettings(bus: .address("unix:path=\(path)"))
        let place = try ScriptedPinentry()
        await FingerprintSettings.$override.withValue(settings) {
            await place.answering {
                let context = LAContext()
                context.interactionNotAllowed = true
                #expect(await Flow.evaluate(Flow.biometrics, context) == .notInteractive)
            }
            await PinentrySettings.$override.withValue(PinentrySettings(program: nil)) {
                #expect(await Flow.evaluate(Flow.biometrics) == .notInteractive)
            }
        }
        var connections = pollfd(fd: bus, events: Int16(POLLIN), revents: 0)
        #expect(poll(&connections, 1, 0) == 0)
    }

    @Test func `a test that simulates the user has no sensor`() {
        #expect(Flow.check(Flow.biometrics) == .biometryNotAvailable)
    }
}
