// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Security
import Testing

@testable import KeychainFoundationCompatibility
@testable import KeychainSourceCompatibility

/// Runs the sample programs, each in a keychain of its own, and checks their results.
@Suite(.searchedKeychain) struct EffectTests {
    private let name = Canary.make("name")
    private let secret = Canary.make("secret")

    @Test func `passwords as in Apple's documentation are added, found, updated and deleted`() throws {
        let passwords = DocumentedPasswords(server: name)
        #expect(throws: DocumentedError.noPassword) { try passwords.search() }
        let first = Credentials(username: Canary.make("first"), password: secret)
        let second = Credentials(username: Canary.make("second"), password: Canary.make("other"))
        try passwords.add(first)
        #expect(throws: DocumentedError.unhandledError(status: -25299)) { try passwords.add(first) }
        #expect(try passwords.search() == first)
        try passwords.update(second)
        #expect(try passwords.search() == second)
        try passwords.delete()
        #expect(throws: DocumentedError.noPassword) { try passwords.update(first) }
    }

    @Test func `a program that prefixes its keys stores, finds and clears values`() {
        let store = PrefixedStore(prefix: name)
        #expect(store.get("a") == nil)
        #expect(store.lastResultCode == -25300)
        #expect(store.set(secret, forKey: "a"))
        #expect(store.set(Data([0xFF]), forKey: "b", withAccess: .afterFirstUnlockThisDeviceOnly))
        #expect(store.set(true, forKey: "c"))
        #expect(store.get("a") == secret)
        #expect(store.get("b") == nil)
        #expect(store.getBool("c") == true)
        #expect(Set(store.allKeys) == [name + "a", name + "b", name + "c"])
        #expect(store.delete("c"))
        store.accessGroup = "TEAM.shared"
        #expect(store.get("a") == nil)
        #expect(store.set(secret, forKey: "a"))
        #expect(store.get("a") == secret)
        #expect(store.clear())
        #expect(store.allKeys.isEmpty)
        store.accessGroup = nil
        store.synchronizable = true
        #expect(store.set(secret, forKey: "s"))
        #expect(store.get("s") == secret)
    }

    @Test func `programs that import only Foundation, or import Security privately, share an item`() {
        #expect(FoundationAlone(account: name as NSString).add(Data(secret.utf8)) == errSecSuccess)
        let found = PrivateImport().read(name as NSString)
        #expect(found.status == errSecSuccess && found.item as? Data == Data(secret.utf8))
    }

    @Test func `Booleans, numbers and data are bridged in both directions`() throws {
        #expect(Numbers.add(Array(secret.utf8), account: name) == errSecSuccess)
        var result: CFTypeRef?
        #expect(SecItemCopyMatching(Numbers.query(name), &result) == errSecSuccess)
        let attributes = try #require(result as? NSDictionary)
        #expect(!Numbers.isSynchronizable(attributes) && kCFBooleanTrue.isTrue)
        let data = try #require(attributes[kSecValueData] as? Data)
        #expect(Numbers.bytes(of: data as CFData) == Array(secret.utf8))
    }

    @Test func `a program with typed options stores passwords for a service`() throws {
        let store = TypedOptions(service: name).label(Canary.make("label"))
        store["a"] = secret
        #expect(store["a"] == secret)
        store["a"] = "again"
        #expect(store["a"] == "again")
        let attributes = try #require(store.attributes(of: "a"))
        #expect(attributes["pdmn"] as? String == "ck")
        #expect((attributes["v_PersistentRef"] as? Data)?.count == 20)
        store["a"] = nil
        #expect(store["a"] == nil)
        #expect(TypedStatus(status: -25300) == .itemNotFound)
        #expect(
            TypedStatus.itemNotFound.description == (TypedStatus.itemNotFound as NSError).localizedDescription
        )
    }

    @Test func `a program with typed options stores passwords for a server`() throws {
        let url = try #require(URL(string: "https://\(name):8443"))
        let store = TypedOptions(server: url)
        store["a"] = secret
        #expect(store["a"] == secret)
        let attributes = try #require(store.attributes(of: "a"))
        #expect((attributes["ptcl"] as? String).flatMap(TypedProtocol.init) == .https)
        #expect(attributes["port"] as? Int == 8443)
        #expect((attributes["class"] as? String).flatMap(TypedClass.init) == nil)
    }

    @Test func `an invalid access control throws`() {
        let store = TypedOptions(service: name).accessibility("nonsense" as NSString, policy: .userPresence)
        let error = #expect(throws: NSError.self) { try store.set(Data("x".utf8), key: "a") }
        #expect(error?.domain == NSOSStatusErrorDomain)
        #expect(error?.code == -50)
    }

    @Test func `a program with a protocol for stored types adds, reads and removes a value`() throws {
        let account = Account(service: name, account: "a", data: ["secret": secret, "n": 3])
        #expect(throws: RequestFailure.self) { try account.read() }
        try account.create()
        #expect(throws: RequestFailure.self) { try account.create() }
        let data = try account.read()
        #expect(data["secret"] as? String == secret)
        #expect(data["n"] as? Int == 3)
        try account.remove()
        #expect(throws: RequestFailure.self) { try account.remove() }
    }

    @Test func `a program in Objective-C style saves, loads and erases values`() {
        let object = ObjectiveStyle(identifier: name)
        #expect(object.load() == nil)
        #expect(object.save(NSData(data: Data("first".utf8))))
        #expect(object.save(NSData(data: Data(secret.utf8))))
        #expect(object.load() == NSData(data: Data(secret.utf8)))
        #expect(object.loadLiteral() == secret)
        object.erase()
        #expect(object.loadLiteral() == nil)
        let account = Canary.make("account")
        for value in [secret, "second"] {
            #expect(ObjectiveStyle.saveByFormat(Data(value.utf8), account: account) == 0)
            #expect(ObjectiveStyle.loadByCopiedKeys(account: account as NSString) == Data(value.utf8))
        }
    }

    @Test func `a program with static helpers saves, finds and deletes tokens`() {
        #expect(TokenHelper.load(key: name) == nil)
        #expect(TokenHelper.save(key: name, data: Data("first".utf8)) == 0)
        // Before adding, the program deletes the item with a query that contains the new secret; a deletion
        // ignores the secret.
        #expect(TokenHelper.save(key: name, data: Data(secret.utf8)) == 0)
        #expect(TokenHelper.load(key: name) == Data(secret.utf8))
        #expect(TokenHelper.exists(key: name))
        #expect(TokenHelper.all() == [name: secret])
        TokenHelper.deleteAll()
        #expect(!TokenHelper.exists(key: name))
    }

    @Test func `a program with property wrappers stores and clears settings`() {
        let settings = Settings()
        #expect(settings.token == nil)
        settings.token = secret
        settings.refreshToken = name
        #expect(settings.token == secret)
        #expect(Settings().refreshToken == name)
        settings.token = nil
        #expect(settings.token == nil)
    }

    @Test func `a program stores, replaces and reads Codable values`() throws {
        let storage = CodableStorage(service: name)
        #expect(try storage.read([String].self, account: "a") == nil)
        try storage.save([secret], account: "a")
        try storage.save([secret, "two"], account: "a")
        #expect(try storage.read([String].self, account: "a") == [secret, "two"])
    }

    @Test func `a program with an actor stores and finds a secret`() async throws {
        let storage = AsyncStorage()
        try await storage.store(Data(secret.utf8), for: name)
        #expect(try await storage.secret(for: name) == Data(secret.utf8))
        await #expect(throws: AsyncStorage.Failure.self) { try await storage.secret(for: "absent") }
    }
}

/// Sample programs and types that are tested without a keychain, except in two tests that create a temporary one.
@Suite struct EffectsWithoutKeychainTests {
    @Test(
        arguments: [
            (0, nil), (-25300, .itemNotFound), (-25299, .duplicateItem), (-50, .invalidItemFormat),
            (-25308, .locked), (-34018, .unexpectedStatus(-34018)), (-1, .unexpectedStatus(-1)),
        ] as [(Int32, SimpleError?)]
    )
    func `statuses map to errors`(status: Int32, error: SimpleError?) {
        #expect(SimpleError(status) == error)
        #expect((status.asError == nil) == (status == 0))
        #expect(error?.errorDescription?.isEmpty != true)
        #expect(status.asError.map(\.localizedDescription) == (status == 0 ? nil : status.message))
    }

    @Test(arguments: Accessibility.every)
    func `an accessibility is converted to its constant and back`(accessibility: Accessibility) {
        #expect(Accessibility.forAttribute(accessibility.keychainAttrValue) == accessibility)
    }

    @Test(arguments: Protections.flags.keys.sorted())
    func `current access control flags and those of iOS 9 create an access control`(name: String) throws {
        let flags = try #require(Protections.flags[name])
        let value = Accessibility.whenUnlocked.keychainAttrValue
        let control = try Protections.control(flags, value)
        #expect(Objects.kind(of: control) == "access control")
        #expect(try control == Protections.control(flags, value))
        #expect(Protections.failure(flags) == nil)
    }

    @Test func `inconsistent access control flags return errSecParam`() throws {
        let failure = try #require(Protections.failure([.and, .or]))
        #expect(failure == (NSOSStatusErrorDomain, -50))
    }

    @Test(.searchedKeychain) func `a program detects a missing passcode, and can subclass LAContext`() async {
        let check = OwnerCheck()
        #expect(check.obstacle(to: .deviceOwnerAuthentication) == .passcodeNotSet)
        #expect(check.obstacle(to: .deviceOwnerAuthenticationWithBiometrics) == .biometryNotAvailable)
        #expect(
            await withCheckedContinuation { answer in check.check { answer.resume(returning: $0) } }
                == "no passcode"
        )
        #expect(check.read("canary") == errSecItemNotFound)
        check.context = ObedientContext()
        #expect(check.obstacle(to: .deviceOwnerAuthentication) == nil)
        #expect(
            await withCheckedContinuation { answer in check.check { answer.resume(returning: $0) } }
                == "success"
        )
    }

    @Test(.searchedKeychain) func `all styles of reading an error find the same reason`() {
        #expect(BiometricHelper().obstacles() == Array(repeating: .noSensor, count: 6))
        #expect(BiometricFailure(BiometricHelper.sample()) == .cancelled)
        #expect(BiometricHelper.sample().localizedDescription == "sample")
        #expect(BiometricFailure(NSError(domain: "other", code: -2)) == .other)
    }

    @Test func `a program distinguishes objects by their type IDs`() {
        let kinds: [(NSObject, String)] = [
            (NSData(), "data"), (NSMutableData(), "data"), (NSMutableDictionary(), "dictionary"),
            ([1] as NSArray, "array"), ("x" as NSString, "string"), (NSNumber(value: 3), "number"),
            (NSDate(), "other"),
        ]
        for (object, kind) in kinds { #expect(Objects.kind(of: object) == kind) }
        let error = NSError(domain: "d", code: 7, userInfo: [NSLocalizedDescriptionKey: "text"])
        #expect(Objects.text(of: error) == "d 7: text")
    }

    @Test func `random bytes have the requested count and differ from call to call`() {
        #expect(Objects.randomBytes(32)?.count == 32)
        #expect(Objects.randomData(32) != Objects.randomData(32))
        #expect(Objects.nonce() != Objects.nonce())
    }

    @Test func `certificate pinning without a certificate fails with errSecParam`() {
        let answer = Pinning(host: "host.example", anchors: []).evaluate([], at: .now)
        #expect(!answer.isTrusted)
        #expect((answer.error as NSError?)?.code == -50)
    }
}
