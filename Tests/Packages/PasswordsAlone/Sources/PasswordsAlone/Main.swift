// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainControl
import KeychainItems
import KeychainServices
import Lockbox
import Valet

/// A program built without the trait `Objects`.
///
/// Passwords, wrappers and locking must work; the errors of calls that need the trait must name it.
@main struct Main {
    static func main() throws {
        try passwords()
        try items()
        try wrappers()
        refusals()
        print("passwords work, keys and certificates are refused")
    }

    private static func expect(_ condition: Bool, _ what: String, line: Int = #line) {
        guard !condition else { return }
        print("\(what) failed in line \(line)")
        exit(1)
    }

    private static func passwords() throws {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account",
        ]
        let added = item.merging([kSecValueData: Data("secret".utf8)]) { $1 }
        expect(SecItemAdd(added as CFDictionary, nil) == errSecSuccess, "SecItemAdd")
        let query = item.merging([kSecReturnData: true]) { $1 }
        var found: CFTypeRef?
        expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, "SecItemCopyMatching")
        expect(found as? Data == Data("secret".utf8), "the value")
        try KeychainControl.setPasscode(Passcode("passcode of the test"))
        try KeychainControl.lock()
        expect(
            SecItemCopyMatching(query as CFDictionary, &found) == errSecInteractionNotAllowed,
            "the lock"
        )
        try KeychainControl.unlock(with: Passcode("passcode of the test"))
        expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, "the unlock")
        _ = try KeychainControl.removePasscode(Passcode("passcode of the test"))
    }

    private static func items() throws {
        let vault = Vault(service: "vault")
        try vault.set("secret", for: "key")
        expect(try vault.get("key") == "secret", "Vault")
        expect(try vault.remove("key"), "Vault.remove")
        do {
            _ = try Certificate(der: [0x30, 0])
            expect(false, "Certificate")
        } catch {
            expect(error.reason == .unsupported, "the reason of Certificate")
        }
        do {
            let key = Key(content: GenericPassword(service: "service", account: "account").content)
            _ = try key.pkcs8(SecretBytes("secret"))
            expect(false, "Key.pkcs8")
        } catch {
            expect(error.reason == .unsupported, "the reason of Key.pkcs8")
        }
    }

    private static func wrappers() throws {
        guard let identifier = Identifier(nonEmpty: "valet") else { return expect(false, "Identifier") }
        let valet = Valet.valet(with: identifier, accessibility: .whenUnlocked)
        try valet.setString("secret", forKey: "key")
        expect(try valet.string(forKey: "key") == "secret", "Valet")
        expect(FXKeychain.default().setObject("secret", forKey: "key"), "FXKeychain.setObject")
        expect(FXKeychain.default().object(forKey: "key") as? String == "secret", "FXKeychain.object")
        expect(Lockbox.archiveObject("secret" as NSString, forKey: "lockbox key"), "Lockbox.archiveObject")
        let unarchived = Lockbox.unarchiveObject(forKey: "lockbox key") as? String
        expect(unarchived == "secret", "Lockbox.unarchiveObject")
    }

    /// Checks that calls that need the trait return `errSecUnimplemented`, and that their errors name the trait.
    private static func refusals() {
        let key: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2_048]
        let calls: [(name: String, status: () -> OSStatus)] = [
            ("SecItemAdd", { SecItemAdd([kSecClass: kSecClassKey] as CFDictionary, nil) }),
            (
                "SecItemCopyMatching",
                { SecItemCopyMatching([kSecClass: kSecClassCertificate] as CFDictionary, nil) }
            ),
            ("SecItemDelete", { SecItemDelete([kSecClass: kSecClassIdentity] as CFDictionary) }),
            ("SecKeyGeneratePair", { SecKeyGeneratePair(key as CFDictionary, nil, nil) }),
            (
                "SecKeyCreateRandomKey",
                { status(of: "SecKeyCreateRandomKey") { SecKeyCreateRandomKey(key as CFDictionary, $0) } }
            ),
            (
                "SecKeyCreateWithData",
                {
                    status(of: "SecKeyCreateWithData") {
                        SecKeyCreateWithData(Data() as CFData, key as CFDictionary, $0)
                    }
                }
            ),
            (
                "SecCertificateCreateWithData",
                { SecCertificateCreateWithData(nil, Data() as CFData) == nil ? lastStatus : errSecSuccess }
            ),
            ("SecItemImport", { SecItemImport(Data() as CFData, nil, nil, nil, [], nil, nil, nil) }),
            (
                "SecPKCS12Import",
                {
                    var items: CFArray?
                    return SecPKCS12Import(Data() as CFData, [:] as CFDictionary, &items)
                }
            ),
        ]
        for call in calls {
            // A successful call does not clear the last failure, so another failure is caused first.
            _ = SecItemCopyMatching([:] as CFDictionary, nil)
            expect(call.status() == errSecUnimplemented, call.name)
            expect(
                KeychainControl.lastFailure?.description.contains("package trait Objects") == true,
                "the reason of \(call.name)"
            )
        }
    }

    private static var lastStatus: OSStatus { KeychainControl.lastFailure?.status ?? errSecSuccess }

    private static func status(
        of name: String,
        _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> SecKey?
    ) -> OSStatus {
        var error: Unmanaged<CFError>?
        expect(call(&error) == nil, name)
        return error.map { OSStatus($0.takeRetainedValue().code) } ?? errSecSuccess
    }
}
