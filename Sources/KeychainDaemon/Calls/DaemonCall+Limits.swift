// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The properties of a call that decide which limits apply to it.
extension DaemonCall {
    var derivesKey: Bool {
        switch self {
        // The calls that change which teams the user trusts verify the passcode.
        case .changePasscode, .trustTeam, .removeTeam, .adoption: true
        case .secret(let call, _): call != .keepApplicationPassword
        case .prompt(.answer): true
        default: false
        }
    }

    var readsWholeStore: Bool {
        switch self {
        case .plain(.verify), .plain(.repair), .plain(.previewRepair): true
        default: false
        }
    }

    var isOfAgent: Bool { if case .prompt(let call) = self { call.isOfAgent } else { false } }

    private var requests: [Request] {
        switch self {
        case .perform(let request, _): [request]
        case .performTogether(let changes, _, _): changes
        default: []
        }
    }

    /// Whether the call can enlarge the store: it adds items, replaces their contents or stores a team.
    var storesItems: Bool {
        switch self {
        case .migrate(_, let verifies): !verifies
        case .trustTeam: true
        default: requests.contains(where: \.storesItems)
        }
    }

    /// Whether the call only deletes items, or locks the keychain.
    var mustNotFailOnFullDisk: Bool {
        switch self {
        case .plain(.lock): true
        case .perform, .performTogether: requests.allSatisfy(\.isDeletion)
        default: false
        }
    }

    var newAccessControls: [AccessControl] {
        if case .migrate(let items, _) = self { return items.compactMap(\.accessControl) }
        return requests.flatMap(\.newAccessControls)
    }

    /// Whether the call reads or affects all items of the user, not only those of the caller's groups.
    var concernsStore: Bool {
        switch self {
        case .setLockSettings, .plain(.lock), .prompt(.begin): true
        // The client that asks for a passcode prompt was checked at `begin`. The other calls also come from
        // `keychain-agent`, which shows the prompt and has no access group.
        case .prompt: false
        default: derivesKey || readsWholeStore
        }
    }
}

extension Request {
    fileprivate var isDeletion: Bool {
        switch self {
        case .delete, .deleteEach, .deleteIdentities: true
        default: false
        }
    }

    fileprivate var storesItems: Bool {
        switch self {
        case .add, .addIdentity, .update, .updateEach, .set, .makeTokenKey: true
        case .copy, .copyIdentities, .delete, .deleteEach, .deleteIdentities, .useTokenKey, .status: false
        }
    }
}
