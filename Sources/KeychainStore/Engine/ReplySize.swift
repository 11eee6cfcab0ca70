// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Limits the total size of the items that a search returns, to limit the daemon's memory for a reply.
package enum ReplySize {
    /// The limit in bytes; `nil` for no limit.
    @TaskLocal private static var bytes: Int?

    /// The assumed size of an item without its attributes and its value, in bytes.
    private static let itemOverhead = 128

    /// Calls the closure; each search in it fails if its results are larger than this number of bytes.
    ///
    /// The results of a cached search are not limited: the search cache stores only results of at most 2 MiB.
    package static func limited<Result>(
        to limit: Int,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let result: Swift.Result<Result, StatusError> = $bytes.withValue(limit) {
            do throws(StatusError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The number of bytes that further items of a search may have; there is no limit if `rest` is `nil`.
    struct Budget {
        private var rest: Int? = ReplySize.bytes

        /// Subtracts the size of an item.
        ///
        /// - Throws: `dataTooLarge` with `tooMuchWork` above the limit.
        mutating func count(_ found: FoundItem) throws(StatusError) {
            guard let rest else { return }
            let attributes = found.attributes.entries.reduce(0) { $0 + $1.value.byteCount }
            let values = (found.secret?.count ?? 0) + (found.certificate?.count ?? 0)
            let size = ReplySize.itemOverhead + attributes + values
            guard size <= rest else { throw StatusError(.dataTooLarge, .tooMuchWork) }
            self.rest = rest - size
        }
    }
}
