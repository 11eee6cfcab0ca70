// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

@Suite struct AuthenticationErrorTests {
    private static let codes = ((-14)...(-1)).compactMap { LAError.Code(rawValue: $0) } + [.notInteractive]

    private static let foreign = [
        NSError(domain: "other", code: -2), NSError(domain: NSOSStatusErrorDomain, code: -128),
    ]

    @Test(arguments: Self.codes)
    func `an NSError of LAErrorDomain casts to LAError`(code: LAError.Code) throws {
        let object = NSError(domain: LAErrorDomain, code: code.rawValue, userInfo: ["k": "v"])
        let existential: any Error = object
        let optional: NSError? = object
        #expect((object as? LAError)?.code == code)
        #expect((existential as? LAError)?.code == code)
        #expect((optional as? LAError)?.userInfo["k"] as? String == "v")
        #expect((object as Any) is LAError)
        do { throw existential } catch let error as LAError { #expect(error.errorCode == code.rawValue) }
    }

    @Test(arguments: foreign) func `an NSError of another domain does not cast to LAError`(
        object: NSError
    ) {
        let existential: any Error = object
        #expect(object as? LAError == nil)
        #expect(existential as? LAError == nil)
        #expect(LAError(_nsError: object).code == .authenticationFailed)
    }

    @Test func `an LAError casts to NSError and back`() {
        let error = LAError(.userCancel, userInfo: ["k": "v"])
        let object = error as NSError
        #expect((object.domain, object.code) == (LAErrorDomain, -2))
        #expect(object.userInfo["k"] as? String == "v")
        #expect(object.localizedDescription == error.localizedDescription)
        #expect(object as? LAError == error)
        #expect((error as any Error) as? LAError == error)
        #expect(LAError(_nsError: error._nsError) == error)
        #expect(error != LAError(.userCancel))
        #expect(LAError(.userCancel) == LAError(.userCancel))
        #expect(Set([LAError(.userCancel), LAError(.userCancel), LAError(.appCancel)]).count == 2)
    }

    @Test func `errors can be elements of a set`() {
        let errors = Self.codes.map { LAError($0) }
        #expect(NSSet(array: errors + errors).count == errors.count)
        #expect(NSDictionary(dictionary: [LAError(.userCancel): 1])[LAError(.userCancel)] as? Int == 1)
    }

    @Test func `an unknown error code becomes authenticationFailed`() throws {
        let error = try #require(NSError(domain: LAErrorDomain, code: -999) as? LAError)
        #expect(error.code == .authenticationFailed)
    }

    @Test func `a custom description is preserved`() {
        #expect(
            LAError(.userCancel, userInfo: [NSLocalizedDescriptionKey: "own"]).localizedDescription == "own"
        )
        for code in Self.codes { #expect(!LAError(code).localizedDescription.isEmpty) }
    }

    @Test(arguments: [
        (LAError.touchIDNotAvailable, LAError.Code.biometryNotAvailable),
        (LAError.touchIDNotEnrolled, .biometryNotEnrolled), (LAError.touchIDLockout, .biometryLockout),
        (LAError.watchNotAvailable, .companionNotAvailable), (.touchIDNotAvailable, .biometryNotAvailable),
        (.touchIDNotEnrolled, .biometryNotEnrolled), (.touchIDLockout, .biometryLockout),
        (.watchNotAvailable, .companionNotAvailable),
    ])
    func `deprecated aliases have the same code`(earlier: LAError.Code, name: LAError.Code) {
        #expect(earlier == name)
    }

    @Test func `the C constants have the values of the Swift cases`() {
        let errors: [(Int32, LAError.Code)] = [
            (kLAErrorAuthenticationFailed, .authenticationFailed), (kLAErrorUserCancel, .userCancel),
            (kLAErrorUserFallback, .userFallback), (kLAErrorSystemCancel, .systemCancel),
            (kLAErrorPasscodeNotSet, .passcodeNotSet), (kLAErrorBiometryNotAvailable, .biometryNotAvailable),
            (kLAErrorBiometryNotEnrolled, .biometryNotEnrolled), (kLAErrorBiometryLockout, .biometryLockout),
            (kLAErrorAppCancel, .appCancel), (kLAErrorInvalidContext, .invalidContext),
            (kLAErrorCompanionNotAvailable, .companionNotAvailable),
            (kLAErrorBiometryNotPaired, .biometryNotPaired),
            (kLAErrorBiometryDisconnected, .biometryDisconnected),
            (kLAErrorInvalidDimensions, .invalidDimensions), (kLAErrorNotInteractive, .notInteractive),
            (kLAErrorTouchIDNotAvailable, .biometryNotAvailable),
            (kLAErrorTouchIDNotEnrolled, .biometryNotEnrolled), (kLAErrorTouchIDLockout, .biometryLockout),
            (kLAErrorWatchNotAvailable, .companionNotAvailable),
        ]
        for (number, code) in errors { #expect(Int(number) == code.rawValue) }
        #expect(Set(errors.map(\.1)) == Set(Self.codes))
        let policies: [(Int32, LAPolicy)] = [
            (kLAPolicyDeviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometrics),
            (kLAPolicyDeviceOwnerAuthentication, .deviceOwnerAuthentication),
            (kLAPolicyDeviceOwnerAuthenticationWithCompanion, .deviceOwnerAuthenticationWithCompanion),
            (
                kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion,
                .deviceOwnerAuthenticationWithBiometricsOrCompanion
            ),
            (kLAPolicyDeviceOwnerAuthenticationWithWatch, .deviceOwnerAuthenticationWithWatch),
            (
                kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch,
                .deviceOwnerAuthenticationWithBiometricsOrWatch
            ),
        ]
        for (number, policy) in policies { #expect(Int(number) == policy.rawValue) }
    }
}
