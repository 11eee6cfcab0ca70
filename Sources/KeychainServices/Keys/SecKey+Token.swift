// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// The item of a private key that securityd keeps, and the context that authenticates its uses.
struct TokenItem: Sendable {
    let item: PersistentReference
    /// The state of the `LAContext`; `nil` if each use authenticates the user separately.
    let context: ContextState?
}

/// Operations with private keys; securityd performs them for the keys that it keeps.
extension SecKey {
    func signature(of input: Data, by algorithm: KeyAlgorithm) throws -> Data {
        guard key.isInToken else { return try key.signature(of: input, by: algorithm) }
        let digest = try key.digestToSign(input, by: algorithm)
        return try key.signature(ofToken: use(.sign, digest), by: algorithm)
    }

    func secret(
        with other: SecKey,
        by algorithm: KeyAlgorithm,
        _ parameters: ExchangeParameters
    ) throws -> Data {
        guard key.isInToken else {
            return try key.secret(
                with: other.key,
                by: algorithm,
                size: parameters.requestedSize,
                sharedInformation: parameters.sharedInformation
            )
        }
        let point = try key.pointToAgree(with: other.key, by: algorithm)
        return try AsymmetricKey.secret(
            from: use(.agree, point),
            by: algorithm,
            size: parameters.requestedSize,
            sharedInformation: parameters.sharedInformation
        )
    }

    /// Lets securityd use the key; authenticates the user if the key's access control requires it.
    private func use(_ operation: UseTokenKeyRequest.Operation, _ input: Data) throws -> Data {
        guard let tokenItem else { throw KeyCallError(errSecItemNotFound) }
        var options = AuthenticationOptions()
        options.state = tokenItem.context
        var call = ItemAuthentication(options)
        let request = UseTokenKeyRequest(key: tokenItem.item, operation: operation, input: Array(input))
        guard case .items(let items) = try call.perform(.useTokenKey(request)),
            let result = items.first?.secret
        else { throw KeyCallError(errSecInternal) }
        return result.data
    }
}
