// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Says which proof an item did not accept: the status is the same for all.
enum WrongProof {
    static let password = "the application password is missing or wrong; --application-password supplies it"
    private static let passcode = "the passcode was wrong, or it is too early for another"
    private static let either =
        "\(passcode); an item that demands an application password too gets it by --application-password"

    /// Finds an item; if it did not accept a proof, the failure has what the item itself tells about that.
    static func finding(
        _ query: ItemDictionary,
        _ arguments: ScannedArguments
    ) throws(Failure) -> AnyObject? {
        do throws(Failure) {
            return try KeychainCalls.find(query)
        } catch .status(errSecAuthFailed, let step) {
            let ofPerson = arguments.has("application-password") ? passcode : either
            let detail = demandsPerson(query) ? ofPerson : password
            throw .store(errSecAuthFailed, step: step, detail: detail)
        }
    }

    /// Whether a search that asks nobody, and has a wrong application password, still lacks the person.
    private static func demandsPerson(_ query: ItemDictionary) -> Bool {
        let context = LAContext()
        context.interactionNotAllowed = true
        context.setCredential(Data([0]), type: .applicationPassword)
        var query = query
        query[kSecUseAuthenticationContext] = context
        do throws(Failure) {
            _ = try KeychainCalls.find(query)
            return false
        } catch {
            return error.result == errSecInteractionNotAllowed
        }
    }
}
