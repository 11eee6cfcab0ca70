// SPDX-License-Identifier: Apache-2.0

import Foundation

extension KeyedArchive {
    /// Decodes the object of a key; `nil` if `nil` was encoded.
    ///
    /// Before a custom class decodes its members, all of them are checked: cycles, malformed objects and
    /// objects of classes that are not allowed are rejected.
    ///
    /// - Parameters:
    ///   - key: The key that the writer used.
    ///   - names: The allowed names from ``knownClasses``; each also allows the mutable subclass.
    ///   - classes: The allowed custom classes; those without secure coding are ignored.
    ///   - limits: The parser limits.
    /// - Returns: An object of Foundation or of a custom class.
    /// - Throws: ``KeyedArchiveError/missingRoot``, `classNotAllowed`, or an error in the objects.
    package func object(
        forKey key: String,
        allowing names: Set<String> = Self.knownClasses,
        classes: [AnyClass] = [],
        limits: ParserLimits = ParserLimits()
    ) throws(KeyedArchiveError) -> Any? {
        var types: [String: any NSSecureCoding.Type] = [:]
        for type in classes {
            guard let secure = type as? any NSSecureCoding.Type, secure.supportsSecureCoding,
                let name = Self.name(of: type)
            else { continue }
            types[name] = secure
        }
        let allowed = names.intersection(Self.knownClasses).union(types.keys)
        let checked = try archivedObject(forKey: key, allowing: allowed, making: types, limits: limits)
        #if canImport(Darwin)
        if checked.isForeign { return try foundationObject(forKey: key, ofClasses: classes) }
        #endif
        return checked.object
    }

    /// Returns the name of a class in archives; `nil` for a private or nested class on Linux.
    ///
    /// Foundation on Linux ends the process when it looks up the name of such a class.
    static func name(of type: AnyClass) -> String? {
        #if !canImport(Darwin)
        guard String(reflecting: type).split(separator: ".").count == 2 else { return nil }
        #endif
        return NSStringFromClass(type)
    }
}
