// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

struct TeamKeyFile {
    let path: String

    /// Refers to the file that an option names; throws if the option is missing or empty.
    init(_ option: String, of arguments: ScannedArguments) throws(Failure) {
        guard let path = arguments.value(option), !path.isEmpty else {
            throw .usage("--\(option) is required")
        }
        self.path = path
    }

    func open(_ passcode: borrowing SecretBytes) throws(Failure) -> TeamKeys {
        let bytes = Array(try InputFile.read(path))
        do throws(StatusError) {
            return try TeamKeys(opening: bytes, with: passcode)
        } catch {
            let problem =
                error.status == .unknownFormat
                ? "not a file with the keys of a team" : error.explanation.problem
            throw .message(
                "\(path): \(problem)",
                result: error.status == .unknownFormat ? 1 : error.status.rawValue
            )
        }
    }

    static func seal(_ keys: TeamKeys, _ passcode: borrowing SecretBytes) throws(Failure) -> [UInt8] {
        do throws(StatusError) {
            return try keys.sealed(under: passcode)
        } catch {
            throw .message(error.explanation.problem, result: error.status.rawValue)
        }
    }
}

/// Reads the dates of `--expires` and `--valid-until`.
enum EndDate {
    /// Returns the start of the day that an option names, in seconds since 1970-01-01 UTC; 0 without the option.
    ///
    /// - Throws: A failure if the value is not a date, or if the day has already begun.
    static func read(_ option: String, of arguments: ScannedArguments) throws(Failure) -> UInt64 {
        guard let text = arguments.value(option) else { return 0 }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
            let seconds = CalendarText.secondsSince1970(year: year, month: month, day: day)
        else { throw .usage("--\(option) requires a day such as 2030-01-31") }
        guard seconds > Double(now) else {
            throw .message("--\(option): the day has begun already", result: 1)
        }
        return UInt64(seconds)
    }

    /// The current time in seconds since 1970-01-01 00:00 UTC.
    static var now: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec))
    }

    static func text(_ seconds: UInt64) -> String {
        seconds == 0 ? "never" : CalendarText(secondsSince1970: Double(seconds)).extended
    }
}
