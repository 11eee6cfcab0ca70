// SPDX-License-Identifier: Apache-2.0

#if SecretService
/// The methods of `org.freedesktop.DBus.Properties`.
struct PropertyCalls {
    let service: SecretService
    let client: Client
    let object: ObjectPath

    static let interface = "org.freedesktop.DBus.Properties"

    private var call: Call { Call(service: service, client: client, object: object) }

    func answer(_ message: borrowing IncomingMessage) throws(CallError) -> [BusValue] {
        switch (message.member, message.signature) {
        case ("Get", "ss"):
            let (interface, name) = (try self.interface(message), try message.string())
            guard let value = try values(of: interface, only: name).first?.value else {
                throw .unknownProperty
            }
            return [.variant(value)]
        case ("GetAll", "s"): return [.properties(try values(of: try interface(message), only: nil))]
        case ("Set", "ssv"):
            let (interface, name) = (try self.interface(message), try message.string())
            guard let property = interface.properties.first(where: { $0.name == name }) else {
                throw .unknownProperty
            }
            guard property.isWritable else { throw .readOnlyProperty }
            try set(name, of: interface, message)
            return []
        default: throw .unknownMethod
        }
    }

    private func interface(_ message: borrowing IncomingMessage) throws(CallError) -> Interface {
        guard let interface = Interface(rawValue: try message.string()), interface.isOffered(by: object)
        else {
            throw .unknownProperty
        }
        return interface
    }

    private func values(
        of interface: Interface,
        only name: String?
    ) throws(CallError) -> [NamedValue] {
        switch interface {
        case .service:
            return [
                NamedValue("Collections", .paths(service.directory.collections(of: client.scope).map(\.path)))
            ]
            .filter { name == nil || $0.name == name }
        case .collection: return try values(of: try call.collection(), only: name)
        case .item:
            let item = try call.item()
            let values: [NamedValue] = [
                NamedValue("Locked", .boolean(service.directory.isLocked(item))),
                NamedValue("Attributes", .dictionary(item.attributes)),
                NamedValue("Label", .string(item.label)),
                NamedValue("Type", .string(item.attributes["xdg:schema"] ?? "")),
                NamedValue("Created", .number(item.created)),
                NamedValue("Modified", .number(item.modified)),
            ]
            return values.filter { name == nil || $0.name == name }
        case .session, .prompt, .portal: return []
        }
    }

    private func values(
        of collection: ServiceCollection,
        only name: String?
    ) throws(CallError) -> [NamedValue] {
        var values: [NamedValue] = [
            NamedValue("Label", .string(collection.label)),
            NamedValue("Locked", .boolean(service.directory.isLocked(collection.name))),
            NamedValue("Created", .number(collection.created)),
            NamedValue("Modified", .number(collection.modified)),
        ].filter { name == nil || $0.name == name }
        if name == nil || name == "Items" {
            let items = service.directory.search([:], in: collection.name, for: client.scope)
            values.append(NamedValue("Items", .paths(items.map(\.path))))
        }
        return values
    }

    private func set(
        _ name: String,
        of interface: Interface,
        _ message: borrowing IncomingMessage
    ) throws(CallError) {
        if interface == .collection {
            let collection = try call.collection()
            let label = try self.label(message)
            guard !service.directory.isLocked(collection.name) else { throw .isLocked }
            try service.directory.rename(collection, label)
            service.tell("CollectionChanged", about: collection)
            return
        }
        var item = try call.item()
        guard !service.directory.isLocked(item) else { throw .isLocked }
        switch name {
        case "Label": item.label = try label(message)
        case "Type": item.attributes["xdg:schema"] = try label(message)
        default:
            item.attributes = try message.variant("a{ss}") { () throws(CallError) in try message.dictionary()
            }
        }
        service.tell("ItemChanged", about: try service.directory.write(item, nil))
    }

    private func label(_ message: borrowing IncomingMessage) throws(CallError) -> String {
        let text = try message.variant("s") { () throws(CallError) in try message.string() }
        guard text.utf8.count <= Limits.label else { throw .limit("the text is too long") }
        return text
    }
}
#endif
