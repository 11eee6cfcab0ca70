// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// Sample calls of every type, and sample replies of every type.
enum WireSamples {
    static let item = Bytes16(Array(1...16)) ?? .zero
    static let reference = PersistentReference(itemClass: .key, item: item)

    static let attributes: Attributes = {
        var attributes = Attributes()
        attributes[.account] = .string("canary é \0")
        attributes[.service] = .string("")
        attributes[.generic] = .data(Array(0...255))
        attributes[.port] = .number(443)
        attributes[.type] = .number(Int64(Int32.max) + 1)
        attributes[.creator] = .number(-1)
        attributes[.creationDate] = .date(-0.0)
        return attributes
    }()

    static let control = AccessControl(protection: .whenUnlocked, flags: ConstraintBit.userPresence)

    static let filters = [
        ItemFilter(itemClass: .genericPassword),
        ItemFilter(
            itemClass: .internetPassword,
            attributes: attributes,
            synchronizable: .exactly(true),
            reference: reference,
            hostOrSubdomain: "example.org",
            tombstones: true
        ),
        ItemFilter(itemClass: .key, synchronizable: .exactly(false)),
        ItemFilter(itemClass: .certificate, synchronizable: .any),
    ]

    static let items = [
        NewItem(itemClass: .genericPassword, attributes: Attributes(), secret: nil),
        NewItem(
            itemClass: .certificate,
            attributes: attributes,
            secret: SecretBuffer(),
            accessControl: control,
            returning: [.data, .attributes]
        ),
        NewItem(
            itemClass: .key,
            attributes: attributes,
            secret: SecretBuffer([UInt8](repeating: 7, count: 3 << 20)),
            accessControl: AccessControl(protection: .always)
        ),
    ]

    static let requests: [Request] = {
        let limits: [MatchLimit] = [.one, .unambiguous, .atMost(.max), .all]
        let copies = zip(filters, limits).map { filter, limit in
            var request = CopyRequest(filter: filter, limit: limit, returning: .persistentReference)
            request.skipsConstrained = limit == .all
            return request
        }
        let updates = filters.map {
            UpdateRequest(
                filter: $0,
                attributes: attributes,
                secret: SecretBuffer([1]),
                accessControl: control
            )
        }
        var limited = DeleteRequest(filter: filters[1], leavesTombstones: false)
        limited.limit = .one
        let identities = IdentityFilter(certificate: filters[3], key: filters[2])
        let each: [Request] = items.map { .add($0) } + copies.map { .copy($0) } + updates.map { .update($0) }
        var sharing = items[0]
        sharing.secret = updates[0].secret
        return each + [
            .delete(limited), .set(SetRequest(update: updates[0], item: items[0])),
            .set(SetRequest(update: updates[0], item: sharing)),
            .addIdentity(NewIdentity(certificate: items[0], key: items[1], returning: .reference)),
            .copyIdentities(CopyIdentitiesRequest(filter: identities, limit: .all, returning: .data)),
            .updateEach(updates), .updateEach([]), .deleteEach([limited]),
            .deleteIdentities(DeleteIdentitiesRequest(filter: identities)), .status, .makeTokenKey(items[0]),
            .useTokenKey(UseTokenKeyRequest(key: reference, operation: .sign, input: [1, 2, 3])),
        ]
    }()

    static let calls: [DaemonCall] = {
        var credential = CallCredential()
        credential.authentication = 3
        credential.applicationPassword = .max
        credential.fingersAreExamined = true
        credential.enrolledFingers = Bytes32(digestBytes: 9)
        let secret = SentSecret(copying: "canary passcode")
        let secrets = DaemonCall.SecretCall.allCases.map { DaemonCall.secret($0, secret) }
        let plain = DaemonCall.PlainCall.allCases.map { DaemonCall.plain($0) }
        return requests.map { .perform($0, credential) } + secrets + plain + [
            .performTogether(requests.filter(\.isChange), CallCredential(), skipsDuplicates: true),
            .changePasscode(from: secret, to: secret), .discard(7),
            .setLockSettings(LockSettings(interval: 60, locksOnSleep: true)),
            .setLockSettings(LockSettings()), .trustTeam("public-key = 0", secret),
            .removeTeam("TEAM", secret), .prompt(.begin(.authenticate, reason: "canary\nreason")),
            .prompt(.begin(.unlock, reason: nil)), .prompt(.end(item)), .prompt(.describe(item)),
            .prompt(.answer(item, secret)),
            .adoption(AdoptionCall(.move(from: "unsigned.canary", to: "TEAM.app"), ofUser: nil, secret)),
            .adoption(AdoptionCall(.list, ofUser: .max, secret)),
            .adoption(AdoptionCall(.moveTeam(from: "OLD", to: "NEW"), ofUser: 1, secret)),
            .migrate([], verifies: true), .migrate([newItem], verifies: false),
        ]
    }()

    static let status = StoreStatus(
        formatMajor: 1,
        formatMinor: 2,
        store: item,
        generation: 3,
        itemCount: 4,
        tombstoneCount: 5,
        isReadOnly: true,
        passcodeIsSet: false,
        keyCache: .kernelKeyring,
        lockState: .beforeFirstUnlock,
        lockSettings: LockSettings(interval: 6)
    )

    private static let newItem = NewItem(
        itemClass: .genericPassword,
        attributes: attributes,
        secret: SecretBuffer("canary".utf8),
        accessControl: control
    )

    private static let busy: DaemonStatus = {
        var status = DaemonStatus()
        status.defects = [TrustDefect(.file, "canary.team", "canary é"), TrustDefect(.group, "canary", "")]
        status.metrics = CallKind.allCases.map { kind in
            var metrics = CallMetrics(kind)
            metrics.count(nanoseconds: UInt64(kind.rawValue) << 20, failed: kind == .lock)
            return metrics
        }
        return status
    }()

    static let replies: [DaemonReply] = {
        let bare = FoundItem(
            reference: reference,
            attributes: Attributes(),
            accessControl: control,
            secret: nil
        )
        let full = FoundItem(
            reference: reference,
            attributes: attributes,
            accessControl: AccessControl(protection: .always),
            secret: SecretBuffer("canary".utf8),
            certificate: SecretBuffer([0])
        )
        let prompt = PromptText(purpose: .unlock, program: "canary é", reason: nil, pinentry: "/bin/true")
        let reasoned = PromptText(purpose: .authenticate, program: "", reason: "canary\nreason", pinentry: "")
        var verification = StoreVerification()
        (verification.intact, verification.locked, verification.tombstones) = (3, 2, 1)
        verification.damages = [
            .init(row: 7, itemClass: .key, group: "TEAM.app", problem: .digests),
            .init(row: .max, itemClass: nil, group: nil, problem: .record),
        ]
        verification.problems = StoreVerification.Problem.allCases
        var rotation = RotationStatus()
        (rotation.isRotating, rotation.completed, rotation.total) = (true, 1, 2)
        rotation.summary.damaged = 3
        rotation.failure = StatusError(.diskFull, .storeFull)
        let repaired = RepairSummary(
            verification: verification,
            salvaged: 4,
            copy: "/canary é",
            endedSynchronization: true
        )
        let version = ItemVersion(reference: reference, accessGroup: nil, version: 1)
        let named = ItemVersion(reference: reference, accessGroup: "TEAM.app", version: .max)
        var adoption = AdoptionReply()
        (adoption.moved, adoption.kept, adoption.unread) = (.max, 1, 2)
        adoption.groups = [GroupCount(group: "unsigned.canary", items: 2)]
        return [
            .failure(StatusError(.itemNotFound)), .response(.done), .response(.items([bare, full])),
            .failure(StatusError(.notAvailable, .systemCall, attribute: .account, file: .database, code: -5)),
            .response(.status(status)), .number(.max), .versions([version, named]), .skipped([]),
            .skipped([0, .max]), .daemon(DaemonStatus()), .daemon(busy), .teams([]),
            .teams(["name = Example"]),
            .undone(3, StatusError(.duplicateItem)), .promptText(prompt), .promptText(reasoned),
            .verification(StoreVerification()), .verification(verification),
            .adoption(AdoptionReply()), .adoption(adoption),
            .rotation(RotationStatus()), .rotation(rotation), .repair(repaired),
            .prompt(PromptTicket(prompt: item, agent: "/usr/libexec/keychain-agent", seconds: .max)),
        ]
    }()
}

extension Bytes32 {
    fileprivate init?(digestBytes byte: UInt8) { self.init([UInt8](repeating: byte, count: 32)) }
}

extension SentSecret {
    fileprivate convenience init(copying text: String) {
        var bytes = Array(text.utf8)
        self.init(SecretBytes(moving: &bytes))
    }
}
