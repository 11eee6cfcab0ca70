// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import KeychainModel

/// An SQLite connection; no other file calls SQLite.
///
/// SQLite runs without its own mutexes (`SQLITE_OPEN_NOMUTEX`), so two threads must never use this object at
/// the same time. ``Exclusive`` ensures this for each session.
@safe
final class Database {
    private let connection: OpaquePointer
    /// The prepared statements by number, in manual memory to avoid Swift's exclusivity checks.
    private let statements: UnsafeMutablePointer<OpaquePointer?>
    private let frames: UnsafeMutablePointer<CInt>
    /// The mapped WAL index (`-shm`), set at its first use; mapped until the connection is closed.
    private var logIndex: UnsafeRawPointer?
    /// The methods that replace SQLite's own for the open write-ahead log, with the buffer for writes to it.
    ///
    /// ``emptyLog(waiting:keepingBlocks:)`` and ``collectLogWrites()`` install them; closing the log frees
    /// them.
    private var log: UnsafeMutablePointer<csqlite_log>?
    /// The registration of this connection in ``SharedIndex``; released after the connection is closed.
    let index: SharedIndex?

    /// SQLite's busy timeout in milliseconds; only third-party tools and log recovery cause such waits.
    private static let busyTimeout: CInt = 5_000

    init(
        path: String,
        creating: Bool,
        fileSystem: String?,
        index: SharedIndex? = nil
    ) throws(StatusError) {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
            | (creating ? SQLITE_OPEN_CREATE : 0)
        let result = unsafe sqlite3_open_v2(path, &opened, flags, fileSystem)
        guard result == SQLITE_OK, let opened = unsafe opened else {
            defer { unsafe sqlite3_close_v2(opened) }
            throw unsafe Self.error(result, of: opened)
        }
        unsafe connection = opened
        self.index = index
        unsafe statements = .allocate(capacity: SQL.allCases.count)
        unsafe statements.initialize(repeating: nil, count: SQL.allCases.count)
        unsafe frames = .allocate(capacity: 1)
        unsafe frames.initialize(to: 0)
        // Set the timeout before the first statement, which may wait for another connection's log recovery.
        unsafe sqlite3_busy_timeout(connection, Self.busyTimeout)
        for (option, value) in Self.options {
            let result = unsafe csqlite_db_config(connection, option, value, nil)
            guard result == SQLITE_OK else { throw unsafe Self.error(result, of: connection) }
        }
        // This hook replaces SQLite's automatic checkpoints, which would run without the writer lock. It only
        // records the length of the write-ahead log.
        _ = unsafe sqlite3_wal_hook(
            connection,
            { frames, _, _, count in
                unsafe frames?.storeBytes(of: count, as: CInt.self)
                return SQLITE_OK
            },
            frames
        )
    }

    /// Sets whether the write-ahead log is kept when the last connection to the database closes.
    ///
    /// If it is not kept, the last connection copies it into the database and removes it.
    func keepLogOnClose(_ keeps: Bool) {
        _ = unsafe csqlite_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps ? 1 : 0, nil)
    }

    private static let options: [(CInt, CInt)] = [
        (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
    ]

    deinit {
        for index in 0..<SQL.allCases.count { unsafe sqlite3_finalize(statements[index]) }
        unsafe statements.deallocate()
        unsafe sqlite3_close_v2(connection)
        unsafe frames.deallocate()
    }

    /// `SQLITE_CONSTRAINT_UNIQUE`, a macro that Swift does not import.
    private static let uniqueViolation = SQLITE_CONSTRAINT | 8 << 8

    /// Returns the error for a connection's result code.
    ///
    /// Source: Apple's published Security sources.
    fileprivate static func error(_ result: CInt, of connection: OpaquePointer?) -> StatusError {
        if result == uniqueViolation { return StatusError(.duplicateItem, code: result) }
        return switch result & 0xff {
        // SQLite reports a full disk as `SQLITE_FULL` only if writing pages fails, otherwise as an I/O error.
        case SQLITE_IOERR where unsafe csqlite_lacks_room(connection) != 0:
            StatusError(.diskFull, .noSpace, file: .database, code: result)
        case SQLITE_MISMATCH: StatusError(.noSuchAttribute, .database, code: result)
        case SQLITE_READONLY: StatusError(.readOnly, .readOnlyStore, code: result)
        case SQLITE_NOMEM: StatusError(.allocation, .database, code: result)
        case SQLITE_TOOBIG: StatusError(.dataTooLarge, code: result)
        case SQLITE_IOERR: StatusError(.inputOutput, .transferFailed, file: .database, code: result)
        case SQLITE_FULL: StatusError(.diskFull, .noSpace, file: .database, code: result)
        case SQLITE_CORRUPT, SQLITE_NOTADB: StatusError(.notAvailable, .databaseDamaged, code: result)
        case SQLITE_BUSY: StatusError(.notAvailable, .writerBusy, file: .database, code: result)
        case SQLITE_CANTOPEN: StatusError(.notAvailable, .logUnavailable, code: result)
        default: StatusError(.notAvailable, .database, code: result)
        }
    }
}

extension EmbeddedKeychain {
    /// Turns off SQLite's memory statistics in this process, which lock a mutex for each allocation.
    ///
    /// Call this function only in a program of this package, before SQLite's first use. A library must not
    /// change a setting of the whole process.
    package static func omitMemoryStatistics() { csqlite_omit_memory_statistics() }

    /// Makes SQLite start faster in this process: without memory statistics and preallocated memory.
    ///
    /// The same restrictions apply as to ``omitMemoryStatistics()``. A program that runs longer is faster with
    /// preallocated memory.
    package static func configureForCommand() {
        omitMemoryStatistics()
        csqlite_omit_preallocation()
    }
}

extension Database {
    static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

    /// Runs a prepared statement, and resets it afterwards, also on failure.
    @inline(__always)
    func run<Result>(
        _ sql: SQL,
        _ body: (borrowing Statement) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let statement = try unsafe Statement(prepared(sql))
        guard !statement.isBusy else { return try runNested(sql, body) }
        defer { statement.reset() }
        return try body(statement)
    }

    /// Runs a new copy of a statement while a caller is still reading the rows of the prepared one.
    private func runNested<Result>(
        _ sql: SQL,
        _ body: (borrowing Statement) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let statement = try unsafe Statement(prepare(sql.text, flags: 0))
        defer { statement.finalize() }
        return try body(statement)
    }

    private func prepared(_ sql: SQL) throws(StatusError) -> OpaquePointer {
        if let statement = unsafe statements[sql.rawValue] { return unsafe statement }
        let statement = try unsafe prepare(sql.text, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        unsafe statements[sql.rawValue] = statement
        return unsafe statement
    }

    private func prepare(_ text: String, flags: UInt32) throws(StatusError) -> OpaquePointer {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v3(connection, text, -1, flags, &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else {
            throw unsafe Self.error(result, of: connection)
        }
        return unsafe statement
    }

    /// Prepares and runs a statement once, and calls the closure with each row.
    func execute(
        _ text: String,
        _ row: (borrowing Statement) throws(StatusError) -> Void = { _ in }
    ) throws(StatusError) {
        let statement = try unsafe Statement(prepare(text, flags: 0))
        defer { statement.finalize() }
        while try statement.step() { try row(statement) }
    }

    /// Runs a pragma; returns the first column of its last row, or an empty string if it returns no row.
    func pragma(_ text: String) throws(StatusError) -> String {
        var value = ""
        try execute("PRAGMA \(text)") { statement in value = statement.string(0) }
        return value
    }

    /// Returns the number that a statement without parameters selects; 0 if it selects no row.
    func number(_ sql: SQL) throws(StatusError) -> Int {
        try run(sql) { statement throws(StatusError) in
            try statement.step() ? Int(statement.number(0)) : 0
        }
    }

    /// Extends the database file and allocates its disk blocks, so that a later checkpoint has enough space.
    func extendFile(toPages count: Int) throws(StatusError) {
        var chunk = CInt(Self.pageSize)
        var size = Int64(count * Self.pageSize)
        unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk)
        let result = unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_SIZE_HINT, &size)
        guard result == SQLITE_OK || result == SQLITE_NOTFOUND else {
            throw StatusError(.diskFull, .noSpace, file: .database, code: result)
        }
    }

    /// Reads the application ID and user version in the header of the database file.
    ///
    /// If the write-ahead log is not empty, it may contain newer ones.
    ///
    /// Returns `nil` if the file is shorter than the smallest page of SQLite.
    func numbersInFile() throws(StatusError) -> DatabaseNumbers? {
        var (header, isShort) = ([UInt8](repeating: 0, count: DatabaseNumbers.headerSize), CInt(0))
        let code = unsafe csqlite_read_header(connection, &header, CInt(header.count), &isShort)
        guard code == SQLITE_OK else { throw unsafe Self.error(code, of: connection) }
        return isShort == 0 ? DatabaseNumbers(header) : nil
    }

    /// Whether all contents are in the database file, because the write-ahead log is empty; valid after the first read.
    var isLogEmpty: Bool { hasLog && logHeader?.frameCount == 0 }

    /// Whether the database has a write-ahead log; valid after the first read.
    var hasLog: Bool { unsafe csqlite_has_log(connection) != 0 }

    /// Makes SQLite read the database file instead of mapping it.
    ///
    /// If the file were mapped, a disk error would kill the process.
    func forbidMapping() {
        var size: Int64 = 0
        unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_MMAP_SIZE, &size)
    }

    private static let pageSize = 4_096

    var isReadOnly: Bool { unsafe sqlite3_db_readonly(connection, "main") == 1 }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(connection) == 0 }

    /// The header of the WAL index, read without a system call.
    ///
    /// It is `nil` if SQLite has no index in shared memory, or while another connection is changing the header. The
    /// connection must have read from the database before.
    var logHeader: LogHeader? {
        if unsafe logIndex == nil { unsafe logIndex = csqlite_log_index(connection) }
        return unsafe logIndex.flatMap { unsafe LogHeader(at: $0) }
    }

    /// SQLite's data version, which changes whenever the contents that this connection reads change.
    var contentVersion: UInt32 {
        var version: UInt32 = 0
        unsafe sqlite3_file_control(connection, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// The length of the write-ahead log after this connection's last commit, in frames.
    var logFrames: Int { Int(unsafe frames.pointee) }
}

extension Database {
    /// Copies the write-ahead log into the database and empties it; returns whether the log was emptied.
    ///
    /// The caller holds the writer lock. The call waits at most `milliseconds` for readers. With
    /// `keepingBlocks`, the log file keeps its length and its old data, but its header marks it as empty.
    func emptyLog(waiting milliseconds: CInt, keepingBlocks: Bool = false) -> Bool {
        unsafe log = csqlite_log_prepare(connection, log)
        if let log = unsafe log { unsafe csqlite_log_keep_blocks(log, keepingBlocks ? 1 : 0) }
        unsafe sqlite3_busy_timeout(connection, milliseconds)
        defer { unsafe sqlite3_busy_timeout(connection, Self.busyTimeout) }
        return unsafe sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
            == SQLITE_OK
    }

    /// Starts to buffer the writes of this connection's next commit to the write-ahead log.
    ///
    /// Writes that an aborted transaction left in the buffer are discarded. Call this function in each
    /// transaction that writes, and after each aborted one.
    func collectLogWrites() {
        unsafe log = csqlite_log_prepare(connection, log)
        if let log = unsafe log { unsafe csqlite_log_discard(log) }
    }
}

/// The application ID and user version in a database's header, which the program sets.
///
/// Format: https://www.sqlite.org/fileformat.html#the_database_header
struct DatabaseNumbers {
    /// SQLite's smallest page size; the first page begins with the header.
    static let headerSize = 512

    let applicationID: Int
    let userVersion: Int

    fileprivate init(_ header: [UInt8]) {
        userVersion = Self.number(header[60..<64])
        applicationID = Self.number(header[68..<72])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) }))
    }

    /// Reads both numbers with pragmas, which take the write-ahead log into account.
    init?(_ database: Database) throws(StatusError) {
        guard let applicationID = Int(try database.pragma("application_id")),
            let userVersion = Int(try database.pragma("user_version"))
        else { return nil }
        (self.applicationID, self.userVersion) = (applicationID, userVersion)
    }
}

/// A prepared statement; parameters are numbered from 1, columns from 0.
@safe
struct Statement {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    /// Whether the statement is in use: started, and neither finished nor reset.
    fileprivate var isBusy: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

    fileprivate func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    fileprivate func finalize() { unsafe sqlite3_finalize(handle) }

    /// Advances to the next row; returns false after the last one.
    @inline(__always)
    func step() throws(StatusError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw unsafe Database.error(result, of: sqlite3_db_handle(handle))
        }
    }

    func bind(_ number: Int64, at index: CInt) throws(StatusError) {
        try unsafe check(sqlite3_bind_int64(handle, index, number))
    }

    func bind(_ bytes: Bytes8, at index: CInt) throws(StatusError) {
        try unsafe check(bytes.withBytes { unsafe bind($0, at: index) })
    }

    func bind(_ bytes: Bytes32, at index: CInt) throws(StatusError) {
        try unsafe check(bytes.withBytes { unsafe bind($0, at: index) })
    }

    func bind(_ bytes: [UInt8], at index: CInt) throws(StatusError) {
        try unsafe check(bytes.withUnsafeBytes { unsafe bind($0, at: index) })
    }

    func bind(_ bytes: [UInt8]?, at index: CInt) throws(StatusError) {
        guard let bytes else { return try unsafe check(sqlite3_bind_null(handle, index)) }
        try bind(bytes, at: index)
    }

    private func bind(_ buffer: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        guard let start = buffer.baseAddress, unsafe !buffer.isEmpty else {
            return unsafe sqlite3_bind_zeroblob(handle, index, 0)
        }
        return unsafe sqlite3_bind_blob64(handle, index, start, UInt64(buffer.count), csqlite_transient())
    }

    /// Throws if binding a parameter failed: otherwise the statement would use NULL, which is a valid value.
    private func check(_ result: CInt) throws(StatusError) {
        guard result == SQLITE_OK else { throw unsafe Database.error(result, of: sqlite3_db_handle(handle)) }
    }

    func number(_ column: CInt) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func isNull(_ column: CInt) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    func string(_ column: CInt) -> String {
        guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
        return unsafe String(cString: text)
    }

    /// Returns whether a column holds this string, without a copy of the column.
    func holds(_ string: String, in column: CInt) -> Bool {
        guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT else { return false }
        let bytes = unsafe blob(column)
        var string = string
        return string.withUTF8 { unsafe bytes.elementsEqual($0) }
    }

    func bytes8(_ column: CInt) -> Bytes8? { unsafe Bytes8(blob(column)) }

    func bytes32(_ column: CInt) -> Bytes32? { unsafe Bytes32(blob(column)) }

    func bytes(_ column: CInt) -> [UInt8] { unsafe Array(blob(column)) }

    /// Returns the bytes of a column, valid until the statement advances or is reset.
    func blob(_ column: CInt) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(handle, column)
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }
}
