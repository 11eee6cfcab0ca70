// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

/// The functions of Valet's API, used with their labels, types and errors; the main test is that this file compiles.
///
/// Some functions are stored in variables of the type that users of the API write. A function with additional
/// default parameters would not match that type.
@Suite(.ownKeychain) struct SignatureTests {
    private typealias Query = [String: AnyHashable]
    private typealias Source = MigratableKeyValuePair<AnyHashable>
    private typealias Copy = MigratableKeyValuePair<String>

    @Test func `functions that create valets have the original's labels`() throws {
        let _: (Identifier, Accessibility) -> Valet = Valet.valet(with:accessibility:)
        let _: (Identifier, CloudAccessibility) -> Valet = Valet.iCloudValet(with:accessibility:)
        let _: (SharedGroupIdentifier, Identifier?, Accessibility) -> Valet =
            Valet.sharedGroupValet(with:identifier:accessibility:)
        let _: (SharedGroupIdentifier, Identifier?, CloudAccessibility) -> Valet =
            Valet.iCloudSharedGroupValet(with:identifier:accessibility:)
        let _: (Identifier, Accessibility) -> Valet = Valet.valet(withExplicitlySet:accessibility:)
        let _: (Identifier, CloudAccessibility) -> Valet = Valet.iCloudValet(withExplicitlySet:accessibility:)
        let _: (SharedGroupIdentifier, Accessibility) -> Valet =
            Valet.sharedGroupValet(withExplicitlySet:accessibility:)
        let _: (SharedGroupIdentifier, CloudAccessibility) -> Valet =
            Valet.iCloudSharedGroupValet(withExplicitlySet:accessibility:)
        let _: (Identifier, SecureEnclaveAccessControl) -> SecureEnclaveValet =
            SecureEnclaveValet.valet(with:accessControl:)
        let _: (SharedGroupIdentifier, Identifier?, SecureEnclaveAccessControl) -> SecureEnclaveValet =
            SecureEnclaveValet.sharedGroupValet(with:identifier:accessControl:)
    }

    @Test func `functions of a valet have the original's labels and errors`() throws {
        let _: (Valet, Valet) -> Bool = (==)
        let _: (Valet) -> Accessibility = \.accessibility
        let _: (Valet) -> Identifier = \.identifier
        let _: (Valet) -> Int = \.hash
        let _: (Valet) -> String = \.description
        let _: (Valet) -> () -> Bool = Valet.canAccessKeychain
        let _: (Valet) -> (Data, String) throws(KeychainError) -> Void = Valet.setObject(_:forKey:)
        let _: (Valet) -> (String) throws(KeychainError) -> Data = Valet.object(forKey:)
        let _: (Valet) -> (String, String) throws(KeychainError) -> Void = Valet.setString(_:forKey:)
        let _: (Valet) -> (String) throws(KeychainError) -> String = Valet.string(forKey:)
        let _: (Valet) -> (String) throws(KeychainError) -> Bool = Valet.containsObject(forKey:)
        let _: (Valet) -> () throws(KeychainError) -> Set<String> = Valet.allKeys
        let _: (Valet) -> (String) throws(KeychainError) -> Void = Valet.removeObject(forKey:)
        let _: (Valet) -> () throws(KeychainError) -> Void = Valet.removeAllObjects
        let _: (Valet) -> (Query, (Source) throws -> Copy?) throws -> Void =
            Valet.migrateObjects(matching:compactMap:)
        let _: (Valet) -> (Query, Bool) throws -> Void = Valet.migrateObjects(matching:removeOnCompletion:)
        let _: (Valet) -> (Valet, (Source) throws -> Copy?) throws -> Void =
            Valet.migrateObjects(from:compactMap:)
        let _: (Valet) -> (Valet, Bool) throws -> Void = Valet.migrateObjects(from:removeOnCompletion:)
        let _: (Valet) -> (Bool) throws -> Void =
            Valet.migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion:)
        let _: (Valet) -> (Bool) throws -> Void =
            Valet.migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(removeOnCompletion:)
        #if os(macOS)
        let _: (Valet) -> () throws -> Void = Valet.migrateObjectsFromPreCatalina
        #endif
    }

    @Test func `functions of an enclave valet have the original's labels and errors`() throws {
        let _: (SecureEnclaveValet, SecureEnclaveValet) -> Bool = (==)
        let _: (SecureEnclaveValet) -> Identifier = \.identifier
        let _: (SecureEnclaveValet) -> SecureEnclaveAccessControl = \.accessControl
        let _: (SecureEnclaveValet) -> Int = \.hash
        let _: (SecureEnclaveValet) -> () -> Bool = SecureEnclaveValet.canAccessKeychain
        let _: (SecureEnclaveValet) -> (Data, String) throws(KeychainError) -> Void =
            SecureEnclaveValet.setObject(_:forKey:)
        let _: (SecureEnclaveValet) -> (String) throws(KeychainError) -> Data =
            SecureEnclaveValet.object(forKey:)
        let _: (SecureEnclaveValet) -> (String, String) throws(KeychainError) -> Data =
            SecureEnclaveValet.object(forKey:withPrompt:)
        let _: (SecureEnclaveValet) -> (String, String) throws(KeychainError) -> Void =
            SecureEnclaveValet.setString(_:forKey:)
        let _: (SecureEnclaveValet) -> (String) throws(KeychainError) -> String =
            SecureEnclaveValet.string(forKey:)
        let _: (SecureEnclaveValet) -> (String, String) throws(KeychainError) -> String =
            SecureEnclaveValet.string(forKey:withPrompt:)
        let _: (SecureEnclaveValet) -> (String) throws(KeychainError) -> Bool =
            SecureEnclaveValet.containsObject(forKey:)
        let _: (SecureEnclaveValet) -> (String) throws(KeychainError) -> Void =
            SecureEnclaveValet.removeObject(forKey:)
        let _: (SecureEnclaveValet) -> () throws(KeychainError) -> Void = SecureEnclaveValet.removeAllObjects
        let _: (SecureEnclaveValet) -> (Query, Bool) throws -> Void =
            SecureEnclaveValet.migrateObjects(matching:removeOnCompletion:)
        let _: (SecureEnclaveValet) -> (Valet, Bool) throws -> Void =
            SecureEnclaveValet.migrateObjects(from:removeOnCompletion:)
        let _: (SecureEnclaveValet) -> (Bool) throws -> Void =
            SecureEnclaveValet.migrateObjectsFromSinglePromptSecureEnclaveValet(removeOnCompletion:)
    }

    @Test func `functions of a single-prompt valet have the original's labels`() throws {
        typealias Once = SinglePromptSecureEnclaveValet
        let _: (Identifier, SecureEnclaveAccessControl) -> Once = Once.valet(with:accessControl:)
        let _: (SharedGroupIdentifier, Identifier?, SecureEnclaveAccessControl) -> Once =
            Once.sharedGroupValet(with:identifier:accessControl:)
        let _: (Once, Once) -> Bool = (==)
        let _: (Once) -> Identifier = \.identifier
        let _: (Once) -> SecureEnclaveAccessControl = \.accessControl
        let _: (Once) -> () -> Bool = Once.canAccessKeychain
        let _: (Once) -> (Data, String) throws -> Void = Once.setObject(_:forKey:)
        let _: (Once) -> (String, String) throws -> Data = Once.object(forKey:withPrompt:)
        let _: (Once) -> (String, String) throws -> Void = Once.setString(_:forKey:)
        let _: (Once) -> (String, String) throws -> String = Once.string(forKey:withPrompt:)
        let _: (Once) -> (String) throws -> Bool = Once.containsObject(forKey:)
        let _: (Once) -> (String) throws -> Set<String> = Once.allKeys(userPrompt:)
        let _: (Once) -> (String) throws -> Void = Once.removeObject(forKey:)
        let _: (Once) -> () throws -> Void = Once.removeAllObjects
        let _: (Once) -> (Query, Bool) throws -> Void = Once.migrateObjects(matching:removeOnCompletion:)
        let _: (Once) -> (Valet, Bool) throws -> Void = Once.migrateObjects(from:removeOnCompletion:)
        let _: (Once) -> () -> Void = Once.requirePromptOnNextAccess
    }

    @Test func `initializers of value types have the original's labels`() {
        let _: (String?) -> Identifier? = Identifier.init(nonEmpty:)
        let _: (String, String?) -> SharedGroupIdentifier? = SharedGroupIdentifier.init(
            appIDPrefix:
            nonEmptyGroup:
        )
        let _: (String, String?) -> SharedGroupIdentifier? = SharedGroupIdentifier.init(
            groupPrefix:
            nonEmptyGroup:
        )
        let _: (String, Data) -> Copy = Copy.init(key:value:)
        let _: (String, String) -> Copy = Copy.init(key:value:)
        let _: (Copy) -> String = \.key
        let _: (Copy) -> Data = \.value
        let _: (Accessibility) -> String = \.secAccessibilityAttribute
        let _: (CloudAccessibility) -> String = \.secAccessibilityAttribute
        let _: (CloudAccessibility) -> Accessibility = \.accessibility
        let _: SecureEnclave.Type = SecureEnclave.self
    }

    @Test func `types conform to the original's protocols`() {
        func values<Value: CaseIterable & CustomStringConvertible & Equatable & Sendable>(_: Value.Type) {}
        func errors<Value: CaseIterable & CustomStringConvertible & Error & Equatable>(_: Value.Type) {}
        func names<Value: CustomStringConvertible & Sendable>(_: Value.Type) {}
        func objects<Value: NSObject & Sendable>(_: Value.Type) {}
        func numbers<Value: RawRepresentable<Int>>(_: Value.Type) {}
        func pairs<Value: Hashable>(_: Value.Type) {}
        values(Accessibility.self)
        values(CloudAccessibility.self)
        errors(KeychainError.self)
        errors(MigrationError.self)
        names(Identifier.self)
        names(SharedGroupIdentifier.self)
        names(SecureEnclaveAccessControl.self)
        numbers(Accessibility.self)
        numbers(CloudAccessibility.self)
        numbers(SecureEnclaveAccessControl.self)
        numbers(KeychainError.self)
        numbers(MigrationError.self)
        objects(Valet.self)
        objects(SecureEnclaveValet.self)
        objects(SinglePromptSecureEnclaveValet.self)
        pairs(Copy.self)
    }

    /// A shared group needs no identifier, and a `switch` over the cases of a caught error is exhaustive.
    @Test func `identifiers are optional, and errors can be caught one by one`() throws {
        let group = try SharedGroupIdentifier.team()
        let valet = Valet.sharedGroupValet(with: group, accessibility: .whenUnlocked)
        _ = Valet.iCloudSharedGroupValet(with: group, accessibility: .whenUnlocked)
        _ = SecureEnclaveValet.sharedGroupValet(with: group, accessControl: .userPresence)
        _ = SinglePromptSecureEnclaveValet.sharedGroupValet(with: group, accessControl: .userPresence)
        func attempt() -> KeychainError? {
            do {
                _ = try valet.string(forKey: "missing")
                return nil
            } catch {
                return switch error {
                case .couldNotAccessKeychain, .userCancelled, .missingEntitlement, .emptyKey, .emptyValue:
                    nil
                case .itemNotFound: error
                }
            }
        }
        #expect(attempt() == .itemNotFound)
    }
}
