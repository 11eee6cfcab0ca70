// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainClient
import KeychainModel

/// A running `securityd`: the user service, or the system service under the user ID 64001.
final class BenchmarkDaemon {
    private var process: pid_t = -1
    private let directory: String
    private let store: String?

    /// - Parameter store: The directory of the store that the user service serves; with `nil`, the system service
    ///   runs and creates a store.
    /// - Throws: An error if the daemon does not become ready.
    init(serving store: String?) throws {
        self.store = store
        directory = "\(Stores.root)/runtime-\(UUID().uuidString.prefix(8))"
        try StoreDirectories.make(directory)
        if store == nil { for path in [Stores.root, directory] { chmod(path, 0o711) } }
        try start()
    }

    deinit { end() }

    /// Starts the daemon; returns the time until it is ready, in milliseconds.
    @discardableResult
    func start() throws -> Double {
        let begin = reference_now()
        process = reference_spawn_daemon("\(Child.ownDirectory)/securityd", directory, store)
        guard process > 0 else { throw BenchmarkError("securityd does not start") }
        return Double(reference_now() - begin) / 1e6
    }

    /// Ends the daemon as `kill -9` does.
    func end() {
        guard process > 0 else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        process = -1
    }

    func client() throws -> DaemonKeychain {
        DaemonKeychain(
            at: .ofUser(runtimeDirectory: directory),
            claim: try Entitlements.callerOfThisProcess()
        )
    }

    var residentMegabytes: Double {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
                throw BenchmarkError("no VmRSS")
            }
            return kilobytes / 1_024
        }
    }

    /// Runs this process and the daemon on the first processor only, or on all.
    func pin(_ isPinned: Bool) { reference_pin(process, isPinned ? 1 : 0) }
}

/// The operations to measure, as requests to the daemon.
struct DaemonSubject {
    let keychain: DaemonKeychain
    let caller: Caller

    init(_ daemon: BenchmarkDaemon) throws {
        keychain = try daemon.client()
        caller = try Entitlements.callerOfThisProcess()
    }

    /// Adds items, in transactions of 500.
    func fill(_ items: Range<Int>) throws {
        for start in stride(from: items.lowerBound, to: items.upperBound, by: 500) {
            let numbers = start..<min(start + 500, items.upperBound)
            try keychain.perform(
                together: numbers.map { .add(StoreSubject.newItem($0)) },
                with: .none,
                skip: nil,
                progress: { _ in true },
                undone: { _ in }
            )
        }
    }

    /// Reads an item and compares its secret.
    ///
    /// Item 1 is read instead of item 0, whose secret changes between rounds.
    func read(_ number: Int) throws {
        let item = max(1, number)
        try read(service: Items.service(item), account: Items.account(item), expecting: item)
    }

    /// Reads an item; compares its secret with the secret of item number `item`, unless this is `nil`.
    func read(service: String, account: String, expecting item: Int? = nil) throws {
        var attributes = Attributes(reservingCapacity: 2)
        attributes[.account] = .string(account)
        attributes[.service] = .string(service)
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        let request = Request.copy(CopyRequest(filter: filter, returning: .data))
        guard case .items(let items) = try keychain.perform(request, for: caller, with: .none),
            let secret = items.first?.secret, secret.count == Subject.secretSize
        else { throw BenchmarkError("a wrong secret") }
        guard let item else { return }
        guard secret == SecretBuffer(Items.secret(item)) else {
            throw BenchmarkError("another item's secret")
        }
    }
}
