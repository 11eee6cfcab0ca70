// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

// Reads the table for checks, repairs and key rotations, without depending on indexes.
extension ItemStore {
    /// Returns the numbers of all rows, without using an index.
    ///
    /// If the table is damaged, the result contains the rows that an ascending or a descending scan reaches
    /// before the damage.
    package func rowNumbers() throws(StatusError) -> [Int64] {
        var (found, isComplete) = try numbers(.rowNumbers)
        if !isComplete { found += try numbers(.rowNumbersDescending).numbers }
        // Both scans may reach a row, and a damaged table can list a row twice.
        return Set(found).sorted()
    }

    private func numbers(_ sql: SQL) throws(StatusError) -> (numbers: [Int64], isComplete: Bool) {
        var numbers: [Int64] = []
        do throws(StatusError) {
            try connection.run(sql) { statement throws(StatusError) in
                while try statement.step() { numbers.append(statement.number(0)) }
            }
            return (numbers, true)
        } catch {
            guard error.isDamage else { throw error }
            return (numbers, false)
        }
    }

    /// Returns the numbers of at most `limit` rows that are encrypted with class keys of a parity: the new keys
    /// of a rotation, or the former ones.
    func rowNumbers(under parity: KeyParity, limit: Int64 = .max) throws(StatusError) -> [Int64] {
        try connection.run(.rowNumbersByParity) { statement throws(StatusError) in
            try statement.bind(parity == .odd ? Int64(ClassKeyID.parityBit) : 0, at: 1)
            try statement.bind(limit, at: 2)
            var numbers: [Int64] = []
            while try statement.step() { numbers.append(statement.number(0)) }
            return numbers
        }
    }

    /// Returns whether the identity index and the attribute index both find a row.
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

    /// Returns whether SQLite's integrity check finds no damage in tables and indexes.
    package func passesIntegrityCheck() throws(StatusError) -> Bool {
        do throws(StatusError) {
            return try connection.pragma("integrity_check(1)") == "ok"
        } catch {
            guard error.isDamage else { throw error }
            return false
        }
    }
}
