// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The passcode-related state of a store: a message of 128 bytes, encrypted with the header key.
package struct LockPage: Sendable {
    /// The lock epoch: a random number that is replaced by each lock and unlock.
    ///
    /// A change of the passcode, of the lock settings or of the class keys replaces it as well.
    ///
    /// Unlocked keys in key caches are valid for one epoch, so a lock reaches every other process.
    package private(set) var epoch: Bytes16
    package var settings: LockSettings
    /// The number of guesses since the last correct one; a guess counts before it is verified.
    ///
    /// `failedAt` is the time of the last guess, in milliseconds since the machine started; `failedIn`
    /// identifies the boot during which the guess was made.
    package private(set) var failures: UInt32 = 0
    private var failedAt: UInt64 = 0
    private var failedIn: Bytes16 = .zero
    /// The wrapped ``AccessControlKey``, which the passcode's key unwraps.
    private var accessControl: [UInt8]

    private static let encoding: UInt8 = 1
    private static let contentCount = 128

    /// Creates the lock page for the first passcode of a store.
    package init(under key: PasscodeKey) {
        epoch = .random()
        settings = LockSettings()
        accessControl = Self.wrap(.random(), under: key)
    }

    /// Replaces the lock epoch with a random number of the other parity.
    package mutating func startEpoch() {
        let parity = EpochParity(epoch)
        repeat { epoch = .random() } while EpochParity(epoch) == parity
    }
}

extension LockPage {
    /// The delay in seconds after the first, second, … wrong guess; the last delay repeats.
    ///
    /// After the first three wrong guesses there is no delay. After the tenth and every later one, the delay is
    /// an hour.
    static let delays: [UInt64] = [0, 0, 0, 5, 15, 60, 300, 900, 1_800, 3_600]

    /// Returns the milliseconds until the next guess is allowed.
    ///
    /// After a restart of the machine, only the time since the restart counts. The clocks that are used cannot
    /// be set, and the result never exceeds the delay in `delays`.
    package func wait(by clock: LockClock) -> UInt64 {
        guard failures > 0 else { return 0 }
        let delay = Self.delays[min(Int(failures), Self.delays.count) - 1] * 1_000
        let now = clock.sinceStart()
        let passed = failedIn == clock.start() && now >= failedAt ? now - failedAt : now
        return passed < delay ? delay - passed : 0
    }

    /// Counts a guess before it is verified; refuses it during a delay.
    ///
    /// - Throws: `authenticationFailed` with `tooManyGuesses`, and the seconds to wait as the error's code.
    package mutating func charge(by clock: LockClock) throws(StatusError) {
        let wait = wait(by: clock)
        guard wait == 0 else {
            let seconds = Int32(clamping: (wait + 999) / 1_000)
            throw StatusError(.authenticationFailed, .tooManyGuesses, code: seconds)
        }
        failures = failures == .max ? .max : failures + 1
        failedAt = clock.sinceStart()
        failedIn = clock.start()
    }

    package mutating func resetFailures() { failures = 0 }
}

extension LockPage {
    /// The digest of the wrapped access control key, which changes with the passcode.
    var accessControlDigest: Bytes32 { Bytes32(digestOf: accessControl) }

    package func accessControlKey(
        under key: PasscodeKey,
        with keys: StoreKeys
    ) throws(StatusError) -> AccessControlKey {
        let unwrapped = try Sealing.unwrap(
            accessControl[...],
            under: key.key,
            associatedData: Self.accessControlData,
            orThrow: .keybagDamaged
        )
        return AccessControlKey(store: keys.store, key: unwrapped)
    }

    package mutating func rewrap(_ accessControlKey: AccessControlKey, under key: PasscodeKey) {
        accessControl = Self.wrap(accessControlKey.key, under: key)
    }

    private static let accessControlData = Array("access control key".utf8)

    private static func wrap(_ accessControl: SecretKey, under key: PasscodeKey) -> [UInt8] {
        Sealing.wrap(accessControl, under: key.key, associatedData: accessControlData)
    }
}

/// The content of the page: `encoding 1 | flags 1 | zeros 2 | interval 4 | epoch 16 | failures 4 | zeros 4 | failedAt 8
/// | failedIn 16 | accessControl 72`.
extension LockPage {
    static let associatedData = Array("lock page".utf8)

    package func sealed(with keys: StoreKeys) -> [UInt8] {
        var content = ByteWriter(capacity: Self.contentCount)
        content.append(Self.encoding)
        content.append(UInt8(settings.locksOnSleep ? 1 : 0))
        content.append(zeros: 2)
        content.append(settings.interval ?? UInt32(0))
        content.append(epoch)
        content.append(failures)
        content.append(zeros: 4)
        content.append(failedAt)
        content.append(failedIn)
        content.append(accessControl)
        return Sealing.seal(content.bytes, under: keys.header, associatedData: Self.associatedData)
    }

    /// Decrypts the lock page after comparing its digest with the one in the header.
    ///
    /// - Throws: `undecodable` with `keybagDamaged`.
    package init(
        opening page: [UInt8],
        digest: Bytes32,
        with keys: StoreKeys
    ) throws(StatusError) {
        guard Bytes32(digestOf: page) == digest else { throw StatusError(.undecodable, .keybagDamaged) }
        let content = try Sealing.open(
            page,
            under: keys.header,
            associatedData: Self.associatedData,
            orThrow: .keybagDamaged
        )
        guard let parsed = unsafe content.withUnsafeBytes({ unsafe Self.parse($0) }) else {
            throw StatusError(.undecodable, .keybagDamaged)
        }
        self = parsed
    }

    private static func parse(_ content: UnsafeRawBufferPointer) -> Self? {
        var reader = unsafe ByteReader(content)
        guard reader.number() == encoding, let flags: UInt8 = reader.number(),
            let _: UInt16 = reader.number(),
            let interval: UInt32 = reader.number(), let epoch = reader.bytes16(),
            let failures: UInt32 = reader.number(), let _: UInt32 = reader.number(),
            let failedAt: UInt64 = reader.number(), let failedIn = reader.bytes16(),
            let accessControl = reader.bytes(Sealing.wrappedKeyCount)
        else { return nil }
        let settings = LockSettings(interval: interval == 0 ? nil : interval, locksOnSleep: flags & 1 != 0)
        return Self(
            epoch: epoch,
            settings: settings,
            failures: failures,
            failedAt: failedAt,
            failedIn: failedIn,
            accessControl: accessControl
        )
    }

    private init(
        epoch: Bytes16,
        settings: LockSettings,
        failures: UInt32,
        failedAt: UInt64,
        failedIn: Bytes16,
        accessControl: [UInt8]
    ) {
        self.epoch = epoch
        self.settings = settings
        self.failures = failures
        self.failedAt = failedAt
        self.failedIn = failedIn
        self.accessControl = accessControl
    }
}
