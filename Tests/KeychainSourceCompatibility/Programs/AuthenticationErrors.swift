// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalAuthentication

// This sample program is a helper for biometry that reads errors in all the styles used over the years.

enum BiometricFailure: String {
    case cancelled, fallback, noPasscode, noSensor, notEnrolled, lockedOut, disconnected, other

    /// Converts an error by comparing its code with the C constants.
    init(number error: LAError) {
        switch Int32(error.errorCode) {
        case kLAErrorUserCancel, kLAErrorAppCancel, kLAErrorSystemCancel: self = .cancelled
        case kLAErrorUserFallback: self = .fallback
        case kLAErrorPasscodeNotSet: self = .noPasscode
        case kLAErrorBiometryNotAvailable: self = .noSensor
        case kLAErrorBiometryNotEnrolled: self = .notEnrolled
        case kLAErrorBiometryLockout: self = .lockedOut
        case kLAErrorBiometryDisconnected: self = .disconnected
        default: self = .other
        }
    }

    /// Reads the error code as a raw value, with the deprecated Touch ID names.
    init(earlier error: NSError) {
        switch error.code {
        case LAError.userCancel.rawValue, LAError.appCancel.rawValue: self = .cancelled
        case LAError.userFallback.rawValue: self = .fallback
        case LAError.passcodeNotSet.rawValue: self = .noPasscode
        case LAError.touchIDNotAvailable.rawValue: self = .noSensor
        case LAError.touchIDNotEnrolled.rawValue: self = .notEnrolled
        case LAError.touchIDLockout.rawValue: self = .lockedOut
        default: self = .other
        }
    }

    /// Converts an error by matching the cases of `LAError`.
    init(_ error: Error) {
        guard let error = error as? LAError else {
            self = .other
            return
        }
        switch error {
        case LAError.userCancel, LAError.systemCancel, LAError.appCancel: self = .cancelled
        case LAError.biometryNotEnrolled: self = .notEnrolled
        default: self = .init(number: error)
        }
    }
}

struct BiometricHelper {
    var policy = LAPolicy.deviceOwnerAuthenticationWithBiometricsOrWatch

    /// Returns why the user cannot be asked, once for each style of reading the error; empty if a prompt is possible.
    func obstacles() -> [BiometricFailure] {
        let context = LAContext()
        var error: NSError?
        guard !context.canEvaluatePolicy(policy, error: &error), let error = error else { return [] }
        var failures = [BiometricFailure(error), BiometricFailure(earlier: error)]
        if let error = error as? LAError { failures.append(BiometricFailure(number: error)) }
        failures.append(BiometricFailure(number: LAError(_nsError: error as NSError)))
        switch LAError(_nsError: error) {
        case LAError.touchIDNotAvailable: failures.append(.noSensor)
        default: failures.append(.other)
        }
        do { throw error } catch let error as LAError where error.code == .biometryNotAvailable {
            failures.append(.noSensor)
        } catch {
            failures.append(.other)
        }
        return failures
    }

    static func sample() -> Error { LAError(.userCancel, userInfo: [NSLocalizedDescriptionKey: "sample"]) }
}
