// SPDX-License-Identifier: Apache-2.0

#if Fingerprint
/// A signal received while the sensor is verifying.
private enum SensorEvent {
    case status(String, isLast: Bool)
    /// The fprintd service has ended.
    case serviceEnded
}

/// Claims the sensor for this process, so that no other program can use it, and verifies fingers.
extension FingerprintSensor {
    /// The number of unrecognized fingers that ends a prompt.
    private static let attempts = 3

    /// Verifies fingers until one is recognized.
    ///
    /// - Throws: `notEnrolled` if there is no finger to recognize; `notRecognized` or `lockedOut` after too many
    ///   attempts; another failure if the sensor cannot be used, times out, or is no longer needed.
    func recognize(for verification: FingerprintVerification) throws(FingerprintFailure) {
        guard !enrolled.fingers.isEmpty else { throw .notEnrolled }
        do throws(BusFailure) {
            let timeout = timeout(verification.settings.onLimit, verification)
            try watch(within: timeout)
            _ = try bus.call("Claim", of: device, [""], within: timeout)
        } catch {
            throw FingerprintFailure(error)
        }
        defer { end("Release", verification) }
        for _ in 0..<Self.attempts {
            guard !verification.history.isLockedOut else { throw .lockedOut }
            if try verifyFinger(for: verification) { return verification.history.addMatch() }
            verification.history.addMiss()
            verification.addHint(.notRecognized)
        }
        throw verification.history.isLockedOut ? .lockedOut : .notRecognized
    }

    private func timeout(_ limit: Int, _ verification: FingerprintVerification) -> BusTimeout {
        BusTimeout(milliseconds: limit) { verification.isAbandoned }
    }

    /// Subscribes to the signals of the sensor, and to the signal that the fprintd service has ended.
    private func watch(within timeout: BusTimeout) throws(BusFailure) {
        let rules = [
            "sender='\(device.service)',path='\(device.path)',interface='\(device.interface)'",
            "sender='\(SystemBus.daemon.service)',member='NameOwnerChanged',arg0='\(device.service)'",
        ]
        for rule in rules {
            _ = try bus.call("AddMatch", of: SystemBus.daemon, ["type='signal'," + rule], within: timeout)
        }
    }

    /// Calls a method that stops or releases the sensor, even if the prompt was abandoned.
    ///
    /// If the call fails, fprintd stops and releases the sensor when the connection closes.
    private func end(_ method: String, _ verification: FingerprintVerification) {
        let timeout = BusTimeout(milliseconds: verification.settings.offLimit) { false }
        _ = try? bus.call(method, of: device, within: timeout)
    }

    /// Waits for the next finger; returns whether it was recognized.
    private func verifyFinger(for verification: FingerprintVerification) throws(FingerprintFailure) -> Bool {
        // Keep the signals that arrive during the call: if a finger already rests on the sensor, the result can precede
        // the reply to `VerifyStart`.
        var events: [SensorEvent] = []
        do throws(BusFailure) {
            let start = timeout(verification.settings.onLimit, verification)
            _ = try bus.call("VerifyStart", of: device, ["any"], within: start) { message in
                if let event = event(of: message) { events.append(event) }
            }
        } catch {
            throw FingerprintFailure(error)
        }
        defer { end("VerifyStop", verification) }
        do throws(BusFailure) {
            let timeout = BusTimeout(until: verification.deadline) { verification.isAbandoned }
            while true {
                guard let event = try events.isEmpty ? next(within: timeout) : events.removeFirst()
                else { continue }
                if let isMatch = try isMatch(in: event, verification) { return isMatch }
            }
        } catch .timedOut {
            // The sensor was started, so a timeout means that no finger touched it.
            throw .timedOut
        } catch {
            throw FingerprintFailure(error)
        }
    }

    private func next(within timeout: BusTimeout) throws(BusFailure) -> SensorEvent? {
        event(of: try bus.receive(within: timeout))
    }

    /// Decodes a signal of the sensor; `nil` for other messages.
    ///
    /// Any program can send a signal to this process, so the sender is checked.
    private func event(of message: borrowing BusMessage) -> SensorEvent? {
        if message.sender == device.service, message.path == device.path,
            message.isSignal("VerifyStatus", of: device.interface),
            let status = message.string(), let isLast = message.boolean()
        {
            return .status(status, isLast: isLast)
        }
        if message.sender == SystemBus.daemon.service,
            message.isSignal("NameOwnerChanged", of: SystemBus.daemon.interface),
            message.string() == device.service
        {
            return .serviceEnded
        }
        return nil
    }

    /// Whether the finger matched; `nil` if the sensor is still verifying.
    private func isMatch(
        in event: SensorEvent,
        _ verification: FingerprintVerification
    ) throws(BusFailure) -> Bool? {
        switch event {
        case .serviceEnded: throw .disconnected
        case .status("verify-match", _): return true
        case .status("verify-no-match", _): return false
        case .status(_, isLast: true): throw .disconnected
        case .status(_, isLast: false):
            verification.addHint(.unreadable)
            return nil
        }
    }
}

extension FingerprintFailure {
    init(_ failure: BusFailure) {
        self =
            switch failure {
            case .cancelled: .cancelled
            case .errorReply("net.reactivated.Fprint.Error.AlreadyInUse"): .busy
            case .errorReply("net.reactivated.Fprint.Error.NoEnrolledPrints"): .notEnrolled
            case .errorReply, .disconnected, .timedOut: .unavailable
            }
    }
}
#endif
