// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The result of an import: counts, and why entries were left out.
///
/// A preview also names the items. Apart from that, no value of the file is printed.
struct ImportReport {
    var added = 0
    var replaced = 0
    var skipped = 0
    /// The number of items that already exist and make the import fail; counted in a preview only.
    private(set) var conflicts = 0
    /// What the import would do with each item; recorded in a preview only.
    private var planned: [(action: Action, item: ImportedPassword)] = []
    private let isPreview: Bool
    private var rejected: [(location: String, reason: String)]
    private let omitted: [(kind: String, count: Int)]
    /// The items of the file without duplicates.
    let unique: [ImportedPassword]

    enum Action: String {
        case add, replace, skip, conflict
    }

    init(_ file: ImportedFile, isPreview: Bool) {
        self.isPreview = isPreview
        rejected = file.rejected
        omitted = file.omitted
        var seen: [ItemFilterKey: Int] = [:]
        var unique: [ImportedPassword] = []
        for item in file.passwords {
            let key = ItemFilterKey(item)
            guard let first = seen[key] else {
                seen[key] = unique.count
                unique.append(item)
                continue
            }
            let isSame = unique[first].password == item.password
            rejected.append(
                (
                    item.location,
                    "the same item as \(unique[first].location)\(isSame ? "" : ", with another password")"
                )
            )
        }
        self.unique = unique
    }

    private struct ItemFilterKey: Hashable {
        let itemClass: ItemClass
        let values: [AttributeValue?]

        init(_ item: ImportedPassword) {
            itemClass = item.itemClass
            values = ItemSchema.of(item.itemClass).identifying.map {
                item.attributes[$0.attribute] ?? $0.initial
            }
        }
    }

    mutating func plan(_ action: Action, _ item: ImportedPassword) {
        planned.append((action, item))
        switch action {
        case .add: added += 1
        case .replace: replaced += 1
        case .skip: skipped += 1
        case .conflict: conflicts += 1
        }
    }

    var lines: String {
        let counts = """
            \(isPreview ? "would be added" : "added"): \(added)
            \(isPreview ? "would be replaced" : "replaced"): \(replaced)
            skipped: \(skipped)
            left out: \(omitted.reduce(rejected.count) { $0 + $1.count })

            """
        let plans = planned.map {
            "\($0.action.rawValue): \(BlobText.line($0.item.name)) (\(BlobText.line($0.item.location)))\n"
        }
        return counts + plans.joined() + omitted.map { "\($0.kind): \($0.count)\n" }.joined()
            + rejected.map { "\(BlobText.line($0.location)): \($0.reason)\n" }.joined()
    }

    private static func json(_ planned: (action: Action, item: ImportedPassword)) -> JSONText {
        .object([
            ("action", .string(planned.action.rawValue)), ("location", .string(planned.item.location)),
            ("class", .string(planned.item.itemClass.name)), ("name", .string(planned.item.name)),
        ])
    }

    var json: JSONText {
        .object(
            [
                ("schemaVersion", .number(1)), ("added", .number(added)), ("replaced", .number(replaced)),
                ("skipped", .number(skipped)),
                (
                    "leftOut",
                    .array(
                        rejected.map {
                            .object([("location", .string($0.location)), ("reason", .string($0.reason))])
                        }
                    )
                ),
                ("omitted", .object(omitted.map { ($0.kind, .number($0.count)) })),
            ] + (isPreview ? [("planned", .array(planned.map(Self.json)))] : [])
        )
    }
}

extension ImportedPassword {
    /// The service or server and the account, as `list` prints them.
    fileprivate var name: String {
        let location = itemClass == .internetPassword ? attributes[.server] : attributes[.service]
        return "\(Self.text(location))/\(Self.text(attributes[.account]))"
    }

    private static func text(_ value: AttributeValue?) -> String {
        switch value {
        case .string(let text): text
        case .data(let bytes): BlobText.quoted(bytes)
        default: ""
        }
    }
}
