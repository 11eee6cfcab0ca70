// SPDX-License-Identifier: Apache-2.0

import Foundation

extension KeyedArchive {
    /// The object that is filed under a key; `nil` if that is what was filed.
    ///
    /// An object of a caller's class gets its members from a coder after all of them were checked: nothing holds itself,
    /// nothing is lopsided, each class is allowed.
    ///
    /// - Parameters:
    ///   - key: The key that the writer used.
    ///   - names: The names of the classes of ``knownClasses`` that may occur; one allows what derives from it too.
    ///   - classes: The caller's classes that may occur, of which only those count that support secure coding.
    ///   - limits: How deep and how large the objects may be.
    /// - Returns: An object of Foundation or of a caller's class.
    /// - Throws: ``KeyedArchiveError/missingRoot``, `classNotAllowed`, or what is wrong with the objects.
    package func object(
        forKey key: String,
        allowing names: Set<String> = Self.knownClasses,
        classes: [AnyClass] = [],
        limits: ReadingLimits = ReadingLimits()
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

    /// The name under which objects of a class are archived.
    ///
    /// Foundation on Linux ends the process if asked for the name of a class that is private or within another type; such
    /// have none here.
    static func name(of type: AnyClass) -> String? {
        #if !canImport(Darwin)
        guard String(reflecting: type).split(separator: ".").count == 2 else { return nil }
        #endif
        return NSStringFromClass(type)
    }
}
