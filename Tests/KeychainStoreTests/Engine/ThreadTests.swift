// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@Suite(.searchedKeychain) struct ThreadTests {
    private static let threads = 8

    /// Runs a closure on several threads concurrently and returns the errors it threw.
    private func concurrently(_ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
        let errors = Mutex<[String]>([])
        onThreads(Self.threads) { number in
            do { try body(number) } catch { errors.withLock { $0.append("\(error)") } }
        }
        return errors.withLock { $0 }
    }

    @Test(arguments: [false, true])
    func `threads work concurrently on one connection or several`(ownConnections: Bool) throws {
        let shared = try Calls()
        let connections = try (0..<Self.threads).map { _ in ownConnections ? try shared.reopened() : shared }
        let errors = concurrently { thread in
            let calls = connections[thread]
            for number in 0..<25 {
                let account: Attributes = [
                    .account: .string("canary \(thread) \(number)"), .service: "canary",
                ]
                try calls.add(account)
                try calls.update(.generic(account), secret: SecretBuffer("canary \(number)".utf8))
                let found = try calls.find(.generic(account)).map(\.secret)
                guard found == [SecretBuffer("canary \(number)".utf8)] else {
                    throw StatusError(.undecodable)
                }
                if number % 5 == 0 { try calls.delete(.generic(account)) }
            }
        }
        #expect(errors == [])
        #expect(try shared.reopened().accounts(.generic()).count == Self.threads * 20)
        #expect(try shared.status().generation == connections[0].reopened().status().generation)
    }

    @Test(arguments: [false, true])
    func `exactly one of several threads that add the same item succeeds`(ownConnections: Bool) throws {
        let shared = try Calls()
        let connections = try (0..<Self.threads).map { _ in ownConnections ? try shared.reopened() : shared }
        let won = Mutex<[Int]>([])
        let errors = concurrently { thread in
            for number in 0..<25 {
                do throws(StatusError) {
                    try connections[thread].add([.account: .string("canary \(number)")])
                    won.withLock { $0.append(number) }
                } catch {
                    guard error.status == .duplicateItem else { throw error }
                }
            }
        }
        #expect(errors == [])
        #expect(won.withLock { $0.sorted() } == Array(0..<25))
    }

    @Test func `a reader never sees a partial change`() throws {
        let writer = try Calls()
        let reader = try writer.reopened()
        try writer.add([.account: "canary", .label: "0"], SecretBuffer("0".utf8))
        let errors = concurrently { thread in
            for number in 0..<40 {
                if thread == 0 {
                    try writer.update(
                        .generic(),
                        [.label: .string("\(number)")],
                        secret: SecretBuffer("\(number)".utf8)
                    )
                } else {
                    let item = try reader.find(.generic(), limit: .one)[0]
                    guard
                        item.attributes[.label]?.text
                            == item.secret.map({ String(decoding: $0.bytes, as: UTF8.self) })
                    else { throw StatusError(.undecodable) }
                }
            }
        }
        #expect(errors == [])
    }
}
