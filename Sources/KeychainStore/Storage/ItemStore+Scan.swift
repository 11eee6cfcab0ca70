// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

// Access for checks and repairs, which must not depend on indexes.
extension ItemStore {
    /// The numbers of all rows, found without an index.
    ///
    /// If the table is damaged, only those that scans from both ends can reach.
    package func rowNumbers() -> [Int64] {
        let (ascending, isComplete) = numbers(.rowNumbers)
        guard !isComplete else { return ascending }
        return Set(ascending + numbers(.rowNumbersDescending).numbers).sorted()
    }

    private func numbers(_ sql: SQL) -> (numbers: [Int64], isComplete: Bool) {
        var numbers: [Int64] = []
        do throws(StatusError) {
            try connection.run(sql) { statement throws(StatusError) in
                while try statement.step() { numbers.append(statement.number(0)) }
            }
            return (numbers, true)
        } catch {
            return (numbers, false)
        }
    }

    /// Whether both indexes contain a row.
    package func indexLeads(to stored: StoredRow) throws(StatusError) -> Bool {
        guard try row(.identity(stored.row.columns.identity), secrets: false)?.number == stored.number else {
            return false
        }
        for key in IndexEntries.keys(in: stored.row.columns.digests) {
            let isThere = try connection.run(.indexEntry) { statement throws(StatusError) in
                try statement.bind(key, at: 1)
                try statement.bind(stored.number, at: 2)
                return try statement.step()
            }
            guard isThere else { return false }
        }
        return true
    }

    /// Whether SQLite finds no damage in the tables and their indexes.
    package func passesIntegrityCheck() -> Bool {
        do throws(StatusError) {
            return try connection.pragma("integrity_check(1)") == "ok"
        } catch {
            return false
        }
    }
}
