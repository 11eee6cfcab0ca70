// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// The private keys that an SSH agent offers, from one or more keychains.
struct AgentKeys {
    struct Key {
        /// The public key in SSH's wire format, by which clients name the key.
        let blob: Data
        let label: String
        fileprivate let applicationLabel: Data
        fileprivate let directory: String
    }

    let arguments: ScannedArguments

    private static let step = "SecKeychainSearchCopyNext"

    /// Lists the keys without prompting.
    func all() throws(Failure) -> [Key] {
        var keys: [Key] = []
        try Keychains.each(arguments.namedKeychains, arguments) { () throws(Failure) in
            let directory = KeychainCalls.directory()
            for key in try Self.keysOfKeychain(in: directory)
            where !keys.contains(where: { $0.blob == key.blob }) {
                keys.append(key)
            }
        }
        return keys
    }

    private static func keysOfKeychain(in directory: String) throws(Failure) -> [Key] {
        let state = ContextState()
        state.interactionNotAllowed = true
        let listing = Listing(.omitted, state)
        var publicKeys: [Data: StoredObject] = [:]
        for item in try StoredObject.all(.key, with: query(.public), in: listing) {
            publicKeys[item.applicationLabel] = item
        }
        var keys: [Key] = []
        func add(_ key: AsymmetricKey?, _ item: StoredObject) {
            guard let blob = try? key?.sshBlob() else { return }
            let label = item.applicationLabel
            keys.append(Key(blob: blob, label: item.label, applicationLabel: label, directory: directory))
        }
        for item in try StoredObject.all(.key, with: query(.private), withData: false, in: listing) {
            let publicKey = publicKeys.removeValue(forKey: item.applicationLabel)?.object?.key
            // Skip a key that must not sign, and a private key that `securityd` keeps: this program cannot make SSH
            // signatures with it.
            guard item.attributes[.canSign] != .number(0),
                item.attributes[.tokenID] != .string(KeyToken.identifier)
            else { continue }
            // The private key is read only if the public key is not in the keychain.
            add(publicKey ?? (try? privateKey(item.applicationLabel, state)), item)
        }
        // A private key that is locked or has an access control is not in the list, because its attributes are
        // encrypted too: offer its public key instead.
        for (label, item) in publicKeys.sorted(by: { $0.value.label < $1.value.label })
        where try isWithheld(label, state) {
            add(item.object?.key, item)
        }
        return keys
    }

    private static func query(_ half: KeyHalf, _ label: Data? = nil) -> Attributes {
        var attributes = Attributes()
        attributes[.keyClass] = .number(half.rawValue)
        attributes[.applicationLabel] = label.map { .data(Array($0)) }
        return attributes
    }

    /// Whether the private key with an application label is locked or has an access control.
    private static func isWithheld(_ label: Data, _ state: ContextState) throws(Failure) -> Bool {
        do throws(Failure) {
            _ = try privateKey(label, state)
            return false
        } catch .status(.itemNotFound, _, _) {
            return false
        } catch .status(.interactionNotAllowed, _, _) {
            return true
        }
    }

    private static func privateKey(
        _ label: Data,
        _ state: ContextState
    ) throws(Failure) -> AsymmetricKey {
        let filter = ItemFilter(itemClass: .key, attributes: query(.private, label), synchronizable: .any)
        let request = CopyRequest(filter: filter, returning: [.attributes, .data])
        let found = try KeychainCalls.perform(.copy(request), state, step: step)
        guard let key = found.first.flatMap({ StoredObject($0).privateKey }) else {
            throw .status(.undecodable, step: step)
        }
        return key
    }

    /// Signs data with the key that a client names.
    ///
    /// The user is asked if the access control of the key requires it.
    func signature(by blob: Data, of data: Data, flags: UInt32) throws(Failure) -> Data {
        guard let key = try all().first(where: { $0.blob == blob }) else {
            throw .status(.itemNotFound, step: Self.step)
        }
        Keychains.use(key.directory)
        let state = ContextState()
        state.reason = "Sign for SSH with the key “\(BlobText.line(key.label))”."
        let privateKey = try Self.privateKey(key.applicationLabel, state)
        do throws(AsymmetricKeyError) {
            return try privateKey.sshSignature(of: data, flags: flags)
        } catch {
            throw .status(error.status, step: "SecKeyCreateSignature")
        }
    }
}
