// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

/// Lists in calls of clients that the daemon does not trust.
@Suite struct UntrustedListTests {
    private func encoded(_ requests: [Request]) -> [UInt8] {
        var writer = WireWriter()
        writer.value(DaemonCall.performTogether(requests, CallCredential(), skipsDuplicates: false))
        return writer.bytes
    }

    private func decode(_ bytes: [UInt8]) throws(StatusError) {
        _ = try WireReader.decode(bytes, entries: WireLimit.entries) { reader throws(StatusError) in
            try reader.value(DaemonCall.self)
        }
    }

    @Test func `a call with too many requests is refused before they are decoded`() {
        let requests = [Request](repeating: .deleteEach([]), count: WireLimit.entries + 1)
        #expect(throws: StatusError(.dataTooLarge, .tooMuchWork)) { try decode(encoded(requests)) }
    }

    @Test func `nested lists of a call have one limit together`() {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: Attributes())
        let deletions = [DeleteRequest](
            repeating: DeleteRequest(filter: filter, leavesTombstones: false),
            count: WireLimit.entries / 2
        )
        let requests = [Request](repeating: .deleteEach(deletions), count: 3)
        #expect(throws: StatusError(.dataTooLarge, .tooMuchWork)) { try decode(encoded(requests)) }
        #expect(throws: Never.self) { try decode(encoded([.deleteEach(deletions)])) }
    }

    @Test func `a transaction with a request that changes nothing is malformed`() {
        #expect(throws: WireReader.malformed) { try decode(encoded([.status])) }
    }
}
