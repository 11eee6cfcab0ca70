// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainUserPresence
import Synchronization

/// `import-passwords`: adds the passwords in another program's file.
struct ImportPasswords {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let text = arguments.value("from"), let format = ImportFormat(rawValue: text) else {
            let names = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--from takes \(names)")
        }
        guard let conflicts = RestoreConflict(rawValue: arguments.value("on-conflict") ?? "skip") else {
            throw .usage("--on-conflict takes skip, replace or fail")
        }
        let file = try read(format)
        try Keychains.useOption(of: arguments)
        var report = ImportReport(file, isPreview: arguments.has("dry-run"))
        if arguments.has("dry-run") {
            try preview(report.unique, conflicts, &report)
        } else {
            try store(report.unique, conflicts, &report)
        }
        try Console.write(arguments.has("json") ? report.json.line : Array(report.lines.utf8))
        if report.conflicts > 0 { throw .status(.duplicateItem, step: "import-passwords") }
    }

    private func read(_ format: ImportFormat) throws(Failure) -> ImportedFile {
        for option in ["key-file", "fd"] where arguments.has(option) && format != .keepass {
            throw .usage("--\(option) requires --from keepass")
        }
        guard format != .secretService else {
            guard arguments.operands.isEmpty else { throw .usage("--from secret-service takes no file") }
            return try SecretServiceItems.read()
        }
        guard let name = arguments.operands.first else { throw .usage("a file is required") }
        switch format {
        case .pass: return try PasswordStore(name).read()
        case .keepass: return try KeePassFile(name, arguments).read()
        default: return try format.parse(Array(InputFile.read(name)))
        }
    }

    private static func filter(_ item: ImportedPassword) -> ItemFilter {
        var attributes = Attributes()
        for rule in ItemSchema.of(item.itemClass).identifying {
            attributes[rule.attribute] = item.attributes[rule.attribute] ?? rule.initial
        }
        return ItemFilter(itemClass: item.itemClass, attributes: attributes)
    }

    private func preview(
        _ items: [ImportedPassword],
        _ conflicts: RestoreConflict,
        _ report: inout ImportReport
    ) throws(Failure) {
        for item in items {
            guard try HelperItems.reference(of: Self.filter(item)) != nil else {
                report.plan(.add, item)
                continue
            }
            switch conflicts {
            case .skip: report.plan(.skip, item)
            case .replace: report.plan(.replace, item)
            case .fail: report.plan(.conflict, item)
            }
        }
    }

    /// Stores the items in one transaction: skips or replaces items that exist, or with `fail` adds none if one
    /// exists.
    private func store(
        _ items: [ImportedPassword],
        _ conflicts: RestoreConflict,
        _ report: inout ImportReport
    ) throws(Failure) {
        guard conflicts != .replace else { return try replace(items, &report) }
        var new: [ImportedPassword] = []
        for item in items {
            // The store does not regard a synchronizable item as a duplicate of a local item.
            let existing = try HelperItems.reference(of: Self.filter(item), synchronizable: [true])
            if existing == nil { new.append(item) }
        }
        let skipped = SkippedNumbers()
        let changes = new.map { Request.add($0.addition) }
        if conflicts == .fail {
            guard new.count == items.count else { throw .status(.duplicateItem, step: "import-passwords") }
            try KeychainCalls.perform(together: changes, step: "import-passwords")
        } else {
            try KeychainCalls.perform(together: changes, step: "import-passwords") { skipped.insert($0) }
        }
        report.added = new.count - skipped.count
        report.skipped += items.count - report.added
    }

    /// Adds or updates all items in one transaction, or none.
    ///
    /// If stored items in several access groups have the primary key of an item in the file, the first is updated.
    private func replace(_ items: [ImportedPassword], _ report: inout ImportReport) throws(Failure) {
        var replaced = 0
        try HelperItems.change(step: "import-passwords") { () throws(Failure) in
            replaced = 0
            var changes: [Request] = []
            for item in items {
                guard let reference = try HelperItems.reference(of: Self.filter(item)) else {
                    changes.append(.add(item.addition))
                    continue
                }
                replaced += 1
                let update = UpdateRequest(
                    filter: ItemFilter(itemClass: item.itemClass, reference: reference),
                    attributes: item.attributes,
                    secret: SecretBuffer(item.password)
                )
                changes.append(.update(update))
            }
            return changes
        }
        report.replaced = replaced
        report.added = items.count - replaced
    }
}

extension ImportedPassword {
    fileprivate var addition: NewItem {
        NewItem(itemClass: itemClass, attributes: attributes, secret: SecretBuffer(password))
    }
}

/// The indexes of the items that are skipped because they exist already.
///
/// They are a set, because a transaction that is repeated reports the same index again.
private final class SkippedNumbers: Sendable {
    private let numbers = Mutex<Set<Int>>([])

    var count: Int { numbers.withLock(\.count) }

    func insert(_ number: Int) { numbers.withLock { numbers in _ = numbers.insert(number) } }
}

/// `export-passwords`: writes passwords in plaintext, in formats that other programs import.
struct ExportPasswords {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let format = arguments.value("to") ?? "csv"
        guard ["csv", "json"].contains(format) else { throw .usage("--to takes csv or json") }
        guard let name = arguments.operands.first else {
            throw .usage("a file is required; - is standard output")
        }
        try Keychains.useOption(of: arguments)
        let listing = Listing(.omitted)
        let items =
            try listing.passwords(.genericPassword, withData: true)
            + listing.passwords(.internetPassword, withData: true)
        let file =
            format == "json"
            ? JSONText.array(items.map { $0.json(withData: true) }).line : Array(try Self.csv(items).utf8)
        Console.complain("warning: the passwords are written in plaintext; delete the file after its use")
        try OutputFile.write(file, to: name, isPrivate: true)
        try listing.finish()
    }

    /// Formats passwords as CSV with Chrome's columns, which most password managers can import.
    private static func csv(_ items: [ListedItem]) throws(Failure) -> String {
        var text = CSVText.line(["name", "url", "username", "password", "note"])
        for item in items {
            guard let password = String(validating: item.password, as: UTF8.self) else {
                Console.complain("an item is left out: its password is not UTF-8; --to json has it")
                continue
            }
            text += CSVText.line([
                item.string(.label), item.url, item.string(.account), password, item.string(.comment),
            ])
        }
        return text
    }
}

extension ListedItem {
    /// The URL of an internet password; for a generic password, its service.
    fileprivate var url: String {
        guard found.reference.itemClass == .internetPassword else { return string(.service) }
        var scheme = "https"
        if case .string(let code)? = found.attributes[.protocol] {
            scheme = SchemeCode.scheme(of: code) ?? scheme
        }
        var port = ""
        if case .number(let number)? = found.attributes[.port], number != 0 { port = ":\(number)" }
        let path = string(.path)
        return "\(scheme)://\(string(.server))\(port)\(path.isEmpty || path.hasPrefix("/") ? "" : "/")\(path)"
    }
}
