// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
/// What the sensor says while it looks at fingers.
private enum SensorEvent {
    case status(String, isLast: Bool)
    /// The service has ended.
    case gone
}

/// Looking at fingers, between switching the sensor on and off.
extension FingerprintSensor {
    /// The fingers that one prompt takes.
    private static let attempts = 3

    /// Looks at fingers until one is the user's.
    ///
    /// - Throws: `notRecognized` or `lockedOut` after too many.
    func recognize(for verification: FingerprintVerification) throws(FingerprintFailure) {
        guard !enrolled.fingers.isEmpty else { throw .notEnrolled }
        do throws(BusFailure) {
            let patience = patience(verification.settings.onLimit, verification)
            try watch(within: patience)
            _ = try bus.call("Claim", of: device, [""], within: patience)
        } catch {
            throw FingerprintFailure(error)
        }
        defer { end("Release", verification) }
        for _ in 0..<Self.attempts {
            guard !verification.history.isLockedOut else { throw .lockedOut }
            if try look(for: verification) { return verification.history.addMatch() }
            verification.history.addMiss()
            verification.complain(.notRecognized)
        }
        throw verification.history.isLockedOut ? .lockedOut : .notRecognized
    }

    private func patience(_ limit: Int, _ verification: FingerprintVerification) -> BusPatience {
        BusPatience(milliseconds: limit) { verification.isAbandoned }
    }

    /// Has the bus send what the device says, and tell when the service ends.
    private func watch(within patience: BusPatience) throws(BusFailure) {
        let rules = [
            "sender='\(device.service)',path='\(device.path)',interface='\(device.interface)'",
            "sender='\(SystemBus.daemon.service)',member='NameOwnerChanged',arg0='\(device.service)'",
        ]
        for rule in rules {
            _ = try bus.call("AddMatch", of: SystemBus.daemon, ["type='signal'," + rule], within: patience)
        }
    }

    /// Ends something whether or not the user still waits; it ends with the connection at the latest.
    private func end(_ method: String, _ verification: FingerprintVerification) {
        let patience = BusPatience(milliseconds: verification.settings.offLimit) { false }
        _ = try? bus.call(method, of: device, within: patience)
    }

    /// Whether the next finger is the user's.
    private func look(for verification: FingerprintVerification) throws(FingerprintFailure) -> Bool {
        // A finger that was there all the time may be known before the call is answered.
        var events: [SensorEvent] = []
        do throws(BusFailure) {
            let start = patience(verification.settings.onLimit, verification)
            _ = try bus.call("VerifyStart", of: device, ["any"], within: start) { message in
                if let event = event(of: message) { events.append(event) }
            }
        } catch {
            throw FingerprintFailure(error)
        }
        defer { end("VerifyStop", verification) }
        do throws(BusFailure) {
            let patience = BusPatience(until: verification.deadline) { verification.isAbandoned }
            while true {
                guard let event = try events.isEmpty ? next(within: patience) : events.removeFirst()
                else { continue }
                if let isRight = try verdict(on: event, verification) { return isRight }
            }
        } catch .timedOut {
            // The sensor is there, and nobody came.
            throw .timedOut
        } catch {
            throw FingerprintFailure(error)
        }
    }

    private func next(within patience: BusPatience) throws(BusFailure) -> SensorEvent? {
        event(of: try bus.receive(within: patience))
    }

    /// What a message says; whoever can guess our name can send us anything, and only the bus knows who did.
    private func event(of message: borrowing BusMessage) -> SensorEvent? {
        if message.sender == device.service, message.path == device.path,
            message.isSignal("VerifyStatus", of: device.interface),
            let status = message.text(), let isLast = message.flag()
        {
            return .status(status, isLast: isLast)
        }
        if message.sender == SystemBus.daemon.service,
            message.isSignal("NameOwnerChanged", of: SystemBus.daemon.interface),
            message.text() == device.service
        {
            return .gone
        }
        return nil
    }

    /// `nil` while the sensor goes on looking.
    private func verdict(
        on event: SensorEvent,
        _ verification: FingerprintVerification
    ) throws(BusFailure) -> Bool? {
        switch event {
        case .gone: throw .lost
        case .status("verify-match", _): return true
        case .status("verify-no-match", _): return false
        case .status(_, isLast: true): throw .lost
        case .status(_, isLast: false):
            verification.complain(.unreadable)
            return nil
        }
    }
}

extension FingerprintFailure {
    /// What a failure of the bus means to somebody who waits for a finger.
    init(_ failure: BusFailure) {
        self =
            switch failure {
            case .cancelled: .cancelled
            case .refused("net.reactivated.Fprint.Error.AlreadyInUse"): .busy
            case .refused("net.reactivated.Fprint.Error.NoEnrolledPrints"): .notEnrolled
            case .refused, .lost, .timedOut: .unavailable
            }
    }
}
#endif
