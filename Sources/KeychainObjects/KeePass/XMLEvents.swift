// SPDX-License-Identifier: Apache-2.0

#if KeePass
import CKeychainKeePass

/// Parses XML with expat, and passes the elements to a function.
@safe final class XMLEvents {
    enum Event {
        /// The start of an element: the names from the root to the element, and its attributes.
        case start([String], attributes: [String: String])
        /// The end of an element, and the text directly in it.
        case end([String], String)
    }

    private static let maximumDepth = 256

    private var path: [String] = []
    private var texts: [[UInt8]] = []
    private var isStopped = false
    private let parser: XML_Parser
    private let receive: (Event) -> Bool

    private init(_ parser: XML_Parser, _ receive: @escaping (Event) -> Bool) {
        unsafe self.parser = parser
        self.receive = receive
    }

    /// Parses a document; returns whether it is complete and well-formed.
    ///
    /// The parser stops, and the result is `false`, if `receive` returns `false`, if elements are nested more than 256
    /// deep, or at a document type declaration, because the entities that it declares can expand to any size.
    static func parse(_ document: ArraySlice<UInt8>, _ receive: (Event) -> Bool) -> Bool {
        guard let parser = unsafe XML_ParserCreate("UTF-8") else { return false }
        defer { unsafe XML_ParserFree(parser) }
        return withoutActuallyEscaping(receive) { receive in
            let events = unsafe XMLEvents(parser, receive)
            return withExtendedLifetime(events) {
                events.setHandlers()
                let status = unsafe document.withUnsafeBytes { bytes in
                    unsafe XML_Parse(
                        parser,
                        bytes.bindMemory(to: CChar.self).baseAddress,
                        Int32(bytes.count),
                        1
                    )
                }
                return status == XML_STATUS_OK && !events.isStopped
            }
        }
    }

    private func setHandlers() {
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { unsafe XMLEvents.of($0)?.start($1, $2) },
            { data, _ in unsafe XMLEvents.of(data)?.end() }
        )
        unsafe XML_SetCharacterDataHandler(parser) { unsafe XMLEvents.of($0)?.append($1, $2) }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in unsafe XMLEvents.of(data)?.stop()
        }
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> XMLEvents? {
        unsafe data.map { unsafe Unmanaged<XMLEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stop() {
        isStopped = true
        unsafe _ = XML_StopParser(parser, XML_Bool(0))
    }

    private func start(_ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        // expat can call another handler after it was stopped.
        guard !isStopped, let name = unsafe name, path.count < Self.maximumDepth else { return stop() }
        var attributes: [String: String] = [:]
        var index = 0
        while let list = unsafe list, let key = unsafe list[index], let value = unsafe list[index + 1] {
            unsafe attributes[String(cString: key)] = unsafe String(cString: value)
            index += 2
        }
        unsafe path.append(String(cString: name))
        texts.append([])
        if !receive(.start(path, attributes: attributes)) { stop() }
    }

    private func append(_ bytes: UnsafePointer<CChar>?, _ count: Int32) {
        guard !isStopped, !texts.isEmpty else { return }
        unsafe texts[texts.count - 1] += UnsafeRawBufferPointer(start: bytes, count: Int(count))
    }

    private func end() {
        guard !isStopped, let text = texts.popLast() else { return }
        // expat has verified that the text is UTF-8.
        if !receive(.end(path, String(decoding: text, as: UTF8.self))) { stop() }
        path.removeLast()
    }
}
#endif
