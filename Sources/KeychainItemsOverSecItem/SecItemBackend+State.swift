// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import KeychainModel
#else
package import KeychainItems
package import KeychainModel
#endif

/// Derives versions and changes from the items, because no `SecItem` function reports them.
extension SecItemBackend {
    package func versions() throws(StatusError) -> [ItemVersion] {
        var versions: [ItemVersion] = []
        for itemClass in ItemClass.allCases where itemClass.isStored {
            let filter = ItemFilter(itemClass: itemClass, synchronizable: .any)
            do throws(StatusError) {
                let found = try items(
                    CopyRequest(filter: filter, limit: .all, returning: .attributes),
                    nil
                )
                versions += found.map { ItemVersion($0) }
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
        }
        return versions
    }

    /// Calls the closure at regular intervals until it returns `false`.
    ///
    /// The system does not notify programs of changes.
    package func watch(_ body: @escaping @Sendable () -> Bool) {
        Task { while body() { try? await Task.sleep(for: Self.interval) } }
    }

    #if canImport(Darwin)
    private static let interval = Duration.seconds(3)
    #else
    private static let interval = Duration.milliseconds(200)
    #endif

    package func state(for accessibility: ItemAccessibility) -> BackendState { BackendState() }
}

extension ItemVersion {
    /// Creates the version of an item from its modification date, which each change advances.
    fileprivate init(_ found: FoundItem) {
        var version: UInt64 = 0
        if case .date(let seconds)? = found.attributes[.modificationDate] { version = seconds.bitPattern }
        var group: String?
        if case .string(let name)? = found.attributes[.accessGroup] { group = name }
        self.init(reference: found.reference, accessGroup: group, version: version)
    }
}
