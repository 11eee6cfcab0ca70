// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

package struct EtcdEntry: Hashable, Sendable {
    package let key: String
    /// The value; `nil` if the key was deleted.
    package let value: [UInt8]?
    /// The revision of the last change.
    package let revision: UInt64

    package init(key: String, value: [UInt8]?, revision: UInt64) {
        self.key = key
        self.value = value
        self.revision = revision
    }
}

package struct EtcdRange: Sendable {
    package var cluster: UInt64
    package var revision: UInt64
    package var entries: [EtcdEntry]
}

/// A transaction: changes that are made if all comparisons hold.
package struct EtcdTransaction: Hashable, Sendable {
    /// The keys, each with the revision that its last change must have; 0 for a key that must not exist.
    package var comparisons: [(key: String, revision: UInt64)] = []
    /// The keys to write; a value of `nil` deletes the key.
    package var changes: [(key: String, value: [UInt8]?)] = []
    /// A range of keys to delete: its first key, and the first key after it.
    package var deletedRange: (first: String, end: String)?

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.comparisons.elementsEqual(right.comparisons, by: ==)
            && left.changes.elementsEqual(right.changes) { $0.key == $1.key && $0.value == $1.value }
            && left.deletedRange?.first == right.deletedRange?.first
            && left.deletedRange?.end == right.deletedRange?.end
    }

    package func hash(into hasher: inout Hasher) { for change in changes { hasher.combine(change.key) } }
}

package struct EtcdEvents: Sendable {
    package var revision: UInt64
    package var entries: [EtcdEntry]
}

extension String {
    /// The UTF-8 of the string in base64, as etcd's JSON gateway encodes keys.
    var etcdKey: String { Data(utf8).base64EncodedString() }

    /// The end of the range of all keys that start with this string, in base64.
    var etcdRangeEnd: String {
        var bytes = Array(utf8)
        if let last = bytes.popLast() { bytes.append(last + 1) }
        return Data(bytes).base64EncodedString()
    }
}

/// The messages of etcd's JSON gateway: keys and values in base 64, numbers as strings, zeros omitted.
enum EtcdJSON {
    struct Header: Decodable {
        var cluster_id: String?
        var revision: String?
    }

    /// Parses a revision; `nil` if it is missing or larger than etcd's type for revisions, `Int64`.
    static func revision(_ text: String?) -> UInt64? {
        text.flatMap { Int64($0) }.flatMap { UInt64(exactly: $0) }
    }

    struct KeyValue: Decodable {
        var key: Data?
        var value: Data?
        var mod_revision: String?

        func entry(isDeletion: Bool = false) -> EtcdEntry {
            EtcdEntry(
                key: String(decoding: key ?? Data(), as: UTF8.self),
                value: isDeletion ? nil : Array(value ?? Data()),
                revision: EtcdJSON.revision(mod_revision) ?? 0
            )
        }
    }

    struct RangeRequest: Encodable {
        var key: String
        var range_end: String?
        var limit: String?
        var revision: String?
        var min_mod_revision: String?
    }

    struct RangeResponse: Decodable {
        var header: Header?
        var kvs: [KeyValue]?
        var more: Bool?
    }

    struct Compare: Encodable {
        var key: String
        var target = "MOD"
        var result = "EQUAL"
        var mod_revision: String
    }

    struct Put: Encodable {
        var key: String
        var value: String
        var lease: String?
    }

    struct Delete: Encodable {
        var key: String
        var range_end: String?
    }

    struct Operation: Encodable {
        var request_put: Put?
        var request_delete_range: Delete?
    }

    struct TransactionRequest: Encodable {
        var compare: [Compare]
        var success: [Operation]
    }

    struct TransactionResponse: Decodable {
        var header: Header?
        var succeeded: Bool?
    }

    struct WatchRequest: Encodable {
        struct Create: Encodable {
            var key: String
            var range_end: String
            var start_revision: String
            var progress_notify = true
        }

        var create_request: Create
    }

    struct WatchMessage: Decodable {
        struct Event: Decodable {
            var type: String?
            var kv: KeyValue?
        }

        struct Result: Decodable {
            var header: Header?
            var created: Bool?
            var canceled: Bool?
            var compact_revision: String?
            var cancel_reason: String?
            var events: [Event]?
        }

        struct Failure: Decodable {
            var http_code: Int?
            var message: String?
        }

        var result: Result?
        var error: Failure?
    }

    struct LeaseRequest: Encodable { var TTL: String }

    struct LeaseResponse: Decodable { var ID: String? }

    struct Login: Encodable {
        var name: String
        var password: String
    }

    struct LoginResponse: Decodable { var token: String? }

    struct Failure: Decodable {
        var error: String?
        var message: String?
        var code: Int?
    }
}

extension EtcdError {
    /// Reads the error from an answer with a status other than 200.
    init(status: Int, body: [UInt8]) {
        let failure = try? JSONDecoder().decode(EtcdJSON.Failure.self, from: Data(body))
        let text = failure?.error ?? failure?.message ?? ""
        self =
            switch (failure?.code, text) {
            case (_, let text) where text.contains("compacted"): .compacted(0)
            case (_, let text) where text.contains("future revision"): .futureRevision
            case (_, let text) where text.contains("space exceeded"): .outOfSpace
            case (_, let text) where text.contains("too large"): .tooLarge
            case (_, let text) where text.contains("no leader"),
                (_, let text) where text.contains("leader changed"):
                .noLeader
            case (16, _): .tokenExpired
            // The users or roles of etcd were changed after the login.
            case (3, let text) where text.contains("revision of auth store is old"): .tokenExpired
            case (3, let text)
            where text.contains("authentication failed") || text.contains("user name is empty"):
                .credentialsRefused
            case (7, _): .credentialsRefused
            case (9, let text) where text.contains("authentication is not enabled"): .credentialsRefused
            default: .refused(status, text: text)
            }
    }

    /// Creates an error with the message of an untrusted server: at most 160 printable ASCII characters.
    static func refused(_ status: Int, text: String?) -> Self {
        .refused(status, String((text ?? "").unicodeScalars.filter { (32..<127) ~= $0.value }.prefix(160)))
    }
}
