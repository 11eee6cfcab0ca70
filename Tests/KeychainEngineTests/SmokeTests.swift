// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainEngine
import KeychainModel
import Testing

@Test func `an item that was added is found, changed and deleted`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let keychain = try Keychain(at: StoreLocation(directory: directory))
    let caller = Caller(applicationIdentifier: "app", accessGroups: ["app", "shared"])
    var a = Attributes()
    a[.account] = .text("alice")
    a[.service] = .text("mail")
    let clock = ContinuousClock()
    let add = Request.add(NewItem(itemClass: .genericPassword, attributes: a, secret: Data("secret".utf8)))
    _ = try keychain.perform(add, for: caller)
    #expect(throws: KeychainError.self) { try keychain.perform(add, for: caller) }
    let copy = Request.copy(
        CopyRequest(
            filter: ItemFilter(itemClass: .genericPassword, attributes: a),
            returning: [.data, .attributes]
        )
    )
    guard case .items(let items) = try keychain.perform(copy, for: caller) else { return }
    #expect(items.count == 1)
    #expect(items[0].secret == Data("secret".utf8))
    let n = 2000
    let t = try clock.measure { for _ in 0..<n { _ = try keychain.perform(copy, for: caller) } }
    print("copy", t / n)
    let t2 = try clock.measure {
        for i in 0..<n {
            a[.account] = .text("alice\(i)")
            let add = Request.add(
                NewItem(itemClass: .genericPassword, attributes: a, secret: Data("secret".utf8))
            )
            _ = try keychain.perform(add, for: caller)
        }
    }
    print("add", t2 / n)
    let all = Request.copy(
        CopyRequest(
            filter: ItemFilter(itemClass: .genericPassword),
            limit: .all,
            returning: [.data, .attributes]
        )
    )
    let t3 = try clock.measure { _ = try keychain.perform(all, for: caller) }
    print("all", t3)
    let t4 = try clock.measure { _ = try keychain.perform(all, for: caller) }
    print("all", t4)
    _ = try keychain.perform(
        .update(
            UpdateRequest(filter: ItemFilter(itemClass: .genericPassword, attributes: a), secret: Data())
        ),
        for: caller
    )
    _ = try keychain.perform(
        .delete(DeleteRequest(filter: ItemFilter(itemClass: .genericPassword, attributes: a))),
        for: caller
    )
    print(try keychain.perform(.status, for: caller))
    let again = try Keychain(at: StoreLocation(directory: directory))
    print(try again.perform(.status, for: caller))
    var s = stat()
    stat(directory + "/keychain.db", &s)
    print("bytes", s.st_size)
}
