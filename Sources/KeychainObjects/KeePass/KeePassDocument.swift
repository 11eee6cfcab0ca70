// SPDX-License-Identifier: Apache-2.0

#if KeePass
import FoundationEssentials

/// Parses the XML document of a KeePass database.
struct KeePassDocument {
    private struct Group {
        var name = ""
        var isRecycled = false
    }

    private var database = KeePassDatabase()
    private var stream: KeePassStream
    private var groups: [Group] = []
    /// The entries that are being parsed, outermost first; the history of an entry contains its earlier versions.
    private var entries: [KeePassDatabase.Entry] = []
    private var key = ""
    private var isProtected = false
    private var isExpiring = false
    private var expiry: Double?
    private var hasRecycleBin = false
    private var recycleBin = ""

    static func parse(
        _ xml: ArraySlice<UInt8>,
        _ stream: KeePassStream
    ) throws(KeePassError) -> KeePassDatabase {
        var document = Self(stream: stream)
        let isComplete = XMLEvents.parse(xml) { event in
            switch event {
            case .start(let path, let attributes):
                document.start(path, attributes)
                return true
            case .end(let path, let text): return document.end(path, text)
            }
        }
        guard isComplete else { throw .damaged }
        return document.database
    }

    private init(stream: KeePassStream) { self.stream = stream }

    private mutating func start(_ path: [String], _ attributes: [String: String]) {
        isProtected = attributes["Protected"]?.lowercased() == "true"
        switch path.last {
        case "Group": groups.append(Group(isRecycled: groups.last?.isRecycled ?? false))
        case "Entry":
            entries.append(KeePassDatabase.Entry())
            if entries.count == 1 { (isExpiring, expiry) = (false, nil) }
        default: break
        }
    }

    /// Processes the end of an element; returns `false` for a value that cannot be decrypted.
    private mutating func end(_ path: [String], _ text: String) -> Bool {
        var text = text
        let wasProtected = isProtected
        isProtected = false
        if wasProtected {
            // Every protected value is decrypted, because the cipher is one stream over all of them.
            guard let value = Data(base64Encoded: text),
                let decrypted = String(validating: stream.decrypt(Array(value)), as: UTF8.self)
            else { return false }
            text = decrypted
        }
        let parent = path.dropLast().last
        switch (parent, path.last) {
        case ("Meta", "RecycleBinEnabled"): hasRecycleBin = text.lowercased() == "true"
        case ("Meta", "RecycleBinUUID"): recycleBin = text
        case ("Group", "UUID"):
            if hasRecycleBin, text == recycleBin { groups[groups.count - 1].isRecycled = true }
        case ("Group", "Name"): groups[groups.count - 1].name = text
        case (_, "Group"): groups.removeLast()
        case (_, "Entry"): finishEntry()
        default: if !entries.isEmpty { endInEntry(path, text, wasProtected) }
        }
        return true
    }

    private mutating func endInEntry(_ path: [String], _ text: String, _ wasProtected: Bool) {
        switch (path.dropLast().last, path.last) {
        case ("String", "Key"): key = text
        case ("String", "Value"):
            let field = KeePassDatabase.Entry.Field(name: key, value: text, isProtected: wasProtected)
            entries[entries.count - 1].fields.append(field)
        case ("Entry", "Binary"): if entries.count == 1 { database.attachments += 1 }
        case ("Times", "Expires"): if entries.count == 1 { isExpiring = text.lowercased() == "true" }
        case ("Times", "ExpiryTime"): if entries.count == 1 { expiry = Self.date(text) }
        default: break
        }
    }

    private mutating func finishEntry() {
        guard var entry = entries.popLast() else { return }
        guard entries.isEmpty else { return database.earlierVersions += 1 }
        guard groups.last?.isRecycled != true else { return database.recycled += 1 }
        entry.groups = groups.dropFirst().map(\.name)
        entry.expiry = isExpiring ? expiry : nil
        database.entries.append(entry)
    }

    /// Decodes a date: base 64 of a little-endian 8-byte number of seconds since the start of year 1.
    ///
    /// The result is `nil` if the text is malformed.
    private static func date(_ text: String) -> Double? {
        guard let bytes = Data(base64Encoded: text), bytes.count == 8 else { return nil }
        let seconds = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let secondsTo2001 = 730_485.0 * 86_400
        return Double(Int64(bitPattern: seconds)) - secondsTo2001
    }
}
#endif
