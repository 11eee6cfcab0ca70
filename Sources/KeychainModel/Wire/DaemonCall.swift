// SPDX-License-Identifier: Apache-2.0

/// A call of a client to the daemon: a request about items, or about the keychain's passcode and lock.
package enum DaemonCall: Sendable, WireValue {
    case perform(Request, CallCredential)
    /// Changes in one transaction. With `skipsDuplicates`, additions of existing items are skipped, and the reply
    /// lists them; otherwise they are errors.
    case performTogether([Request], CallCredential, skipsDuplicates: Bool)
    case changePasscode(from: SentSecret, to: SentSecret)
    /// A call with one passcode or password.
    case secret(SecretCall, SentSecret)
    case setLockSettings(LockSettings)
    /// Discards an access control key or application password that the daemon keeps under this number.
    case discard(UInt64)
    case plain(PlainCall)
    /// Adds the items of another store, in one transaction; the reply lists those that exist with other contents.
    ///
    /// With `verifies`, nothing is added, and the reply also lists the missing items.
    case migrate([NewItem], verifies: Bool)
    /// Trusts programs that a team of developers has signed; needs the passcode.
    ///
    /// The string is the text of the team's file, which contains its public key. The user's store keeps it.
    case trustTeam(String, SentSecret)
    /// Stops trusting the team of developers with this identifier; needs the passcode.
    case removeTeam(String, SentSecret)
    /// A call about a prompt for the passcode, which the daemon's agent shows.
    case prompt(PromptCall)
    /// Lists the access groups of unsigned programs, or moves items from a former access group into the current one.
    case adoption(AdoptionCall)

    package enum SecretCall: UInt8, CaseIterable, Sendable {
        case setPasscode = 16
        case removePasscode = 17
        case countItemsNeedingPasscode = 18
        /// Verifies the passcode; the daemon keeps the access control key for this connection under the
        /// replied number.
        ///
        /// The access control key opens items that require authentication of the user.
        case authenticate = 19
        case unlock = 20
        /// Keeps an application password for this connection under the replied number.
        case keepApplicationPassword = 21
        /// Allows this connection to migrate items.
        ///
        /// The passcode must be that of the daemon's store. If the store has no passcode, the call sets the given one,
        /// unless it is empty. A store that has items, but neither a passcode nor an unfinished migration, is refused.
        case beginMigration = 22
        /// Makes new class keys, unless a rotation has begun, and starts to encrypt the rows in the background.
        ///
        /// An empty passcode stands for no passcode. While the keychain is unlocked, an empty passcode also suffices to
        /// continue a rotation.
        case beginKeyRotation = 23
    }

    /// A call without parameters.
    package enum PlainCall: UInt8, CaseIterable, Sendable {
        case lock = 32
        case versions = 33
        case itemCount = 34
        case daemonStatus = 35
        /// Ends the migration of an embedded store, and this connection's permission to migrate.
        case endMigration = 36
        case userTeams = 37
        /// Checks every row of the user's store; the reply names no access group except those of the caller.
        case verify = 38
        case keyRotation = 39
        /// Replaces the user's damaged store with a new one that has its valid rows; keeps the damaged store.
        case repair = 40
        /// Checks what ``repair`` would do, and changes nothing.
        case previewRepair = 41
    }
}

/// A passcode or password in a call, in locked memory.
///
/// This is a class because Swift 6.3 does not compile an enumeration with a noncopyable payload.
package final class SentSecret: Sendable, WireValue {
    package let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    package init(copying bytes: borrowing SecretBytes) { self.bytes = SecretBytes(copying: bytes) }

    package func encode(into writer: inout WireWriter) {
        unsafe bytes.withBytes { unsafe writer.sized($0) }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        bytes = try reader.secret(atMost: WireLimit.passcode)
    }
}

/// The credential of a call.
///
/// It contains the numbers under which the daemon keeps the client's access control key and application password,
/// and the result of the fingerprint sensor.
package struct CallCredential: Hashable, Sendable, WireValue {
    /// The number of an access control key, which opens items that require authentication of the user; 0 for none.
    package var authentication: UInt64 = 0
    /// The number of an application password that the daemon keeps; 0 for none.
    package var applicationPassword: UInt64 = 0
    package var fingersAreExamined = false
    package var enrolledFingers: Bytes32?
    package var recognizedFinger: Bytes32?

    package init() {}

    package func encode(into writer: inout WireWriter) {
        writer.integer(authentication)
        writer.integer(applicationPassword)
        writer.flag(fingersAreExamined)
        writer.optional(enrolledFingers)
        writer.optional(recognizedFinger)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        authentication = try reader.integer()
        applicationPassword = try reader.integer()
        fingersAreExamined = try reader.flag()
        enrolledFingers = try reader.optional()
        recognizedFinger = try reader.optional()
    }
}

/// The header of a call: its deadline, and the identifier of the change that it makes.
package struct CallHeader: Hashable, Sendable, WireValue {
    /// The deadline in milliseconds of `CLOCK_MONOTONIC`; the daemon does not start the call later.
    package let deadline: UInt64
    /// The identifier of a change, equal in all repetitions of the call; zero if ``DaemonCall/isChange`` is false.
    package let change: Bytes16
    /// Whether the client has sent the change before, so that the daemon may have applied it.
    package var isRepetition: Bool

    package init(deadline: UInt64, change: Bytes16, isRepetition: Bool = false) {
        self.deadline = deadline
        self.change = change
        self.isRepetition = isRepetition
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(deadline)
        writer.value(change)
        writer.flag(isRepetition)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            deadline: try reader.integer(),
            change: try reader.value(),
            isRepetition: try reader.flag()
        )
    }
}

extension DaemonCall {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .perform(let request, let credential):
            writer.integer(1 as UInt8)
            writer.value(credential)
            writer.value(request)
        case .performTogether(let requests, let credential, let skipsDuplicates):
            writer.integer(2 as UInt8)
            writer.value(credential)
            writer.flag(skipsDuplicates)
            writer.list(requests)
        case .changePasscode(let old, let new):
            writer.integer(3 as UInt8)
            writer.value(old)
            writer.value(new)
        case .setLockSettings(let settings): writer.value(settings, code: 4)
        case .discard(let number):
            writer.integer(5 as UInt8)
            writer.integer(number)
        case .secret(let call, let secret): writer.value(secret, code: call.rawValue)
        case .plain(let call): writer.integer(call.rawValue)
        case .migrate(let items, let verifies):
            writer.integer(64 as UInt8)
            writer.flag(verifies)
            writer.list(items)
        case .trustTeam(let text, let passcode), .removeTeam(let text, let passcode):
            if case .trustTeam = self { writer.integer(65 as UInt8) } else { writer.integer(66 as UInt8) }
            writer.string(text)
            writer.value(passcode)
        case .prompt(let call): writer.value(call, code: 67)
        case .adoption(let call): writer.value(call, code: 68)
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        switch try reader.integer(UInt8.self) {
        case 1:
            let credential: CallCredential = try reader.value()
            self = .perform(try reader.value(), credential)
        case 2:
            let credential: CallCredential = try reader.value()
            let skipsDuplicates = try reader.flag()
            let requests: [Request] = try reader.list()
            guard requests.allSatisfy(\.isChange) else { throw WireReader.malformed }
            self = .performTogether(requests, credential, skipsDuplicates: skipsDuplicates)
        case 3:
            let old: SentSecret = try reader.value()
            self = .changePasscode(from: old, to: try reader.value())
        case 4: self = .setLockSettings(try reader.value())
        case 5: self = .discard(try reader.integer())
        case 64:
            let verifies = try reader.flag()
            self = .migrate(try reader.list(), verifies: verifies)
        case 65:
            let file: String = try reader.value()
            self = .trustTeam(file, try reader.value())
        case 66:
            let team: String = try reader.value()
            self = .removeTeam(team, try reader.value())
        case 67: self = .prompt(try reader.value())
        case 68: self = .adoption(try reader.value())
        case let code:
            if let call = SecretCall(rawValue: code) {
                self = .secret(call, try reader.value())
            } else if let call = PlainCall(rawValue: code) {
                self = .plain(call)
            } else {
                throw WireReader.malformed
            }
        }
    }

    /// Whether the call makes a change that must not be applied twice.
    package var isChange: Bool {
        switch self {
        case .perform(let request, _): request.isChange
        case .performTogether: true
        case .changePasscode: true
        case .setLockSettings: true
        case .secret(let call, _): [.setPasscode, .removePasscode, .beginKeyRotation].contains(call)
        case .plain(let call): call == .lock || call == .repair
        case .migrate(_, let verifies): !verifies
        case .trustTeam, .removeTeam: true
        case .adoption(let call): call.operation.isChange
        case .discard, .prompt: false
        }
    }
}
