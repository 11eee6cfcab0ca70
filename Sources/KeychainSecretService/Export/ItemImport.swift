// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainClient
import KeychainModel

/// Adds the items of another program's Secret Service to the collection `login`, for all programs outside a sandbox.
///
/// The other service does not record which program an item belongs to, so all of these programs see an imported item,
/// as they did before, until one of them stores it again.
struct ItemImport {
    private(set) var added = 0
    private(set) var skipped = 0
    let rejections: [SecretServiceExport.Rejection]

    /// Adds the items in one transaction, except those whose attributes an item of the keychain has already.
    init(_ export: SecretServiceExport) throws(StartFailure) {
        if let problem = export.problem { throw StartFailure(sentence: problem) }
        rejections = export.rejections
        var directory = ItemDirectory()
        do throws(CallError) {
            try directory.refresh()
            guard !directory.isLocked else { throw .isLocked }
            let known = Set(directory.index.all.map { ServiceItem.withoutGenericSchema($0.attributes) })
            let new = export.items.filter { !known.contains(ServiceItem.withoutGenericSchema($0.attributes)) }
            skipped = export.items.count - new.count
            if !new.isEmpty { try directory.add(new.map { (Self.item($0), $0.secret) }) }
            added = new.count
        } catch {
            throw StartFailure(sentence: "nothing was imported: \(error.message)")
        }
    }

    private static func item(_ exported: SecretServiceExport.Item) -> ServiceItem {
        ServiceItem(
            id: ServiceItem.newID(),
            collection: ServiceCollection.login,
            owner: OwnerScope.imported,
            label: exported.label,
            attributes: exported.attributes,
            contentType: "text/plain",
            created: 0,
            modified: 0
        )
    }

    /// The numbers of items, and why each of the others was left out.
    var report: String {
        let counts = "added: \(added)\nskipped: \(skipped)\nleft out: \(rejections.count)\n"
        return counts + rejections.map { "\(Self.line($0.location)): \(Self.line($0.reason))\n" }.joined()
    }

    /// Replaces the control characters, because the label of a collection may contain some.
    private static func line(_ text: String) -> String {
        String(
            text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 }
        )
    }
}
#endif
