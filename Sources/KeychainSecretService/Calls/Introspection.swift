// SPDX-License-Identifier: Apache-2.0

#if SecretService
/// The description of objects in the XML format of the D-Bus specification.
enum Introspection {
    static let interface = "org.freedesktop.DBus.Introspectable"

    static func description(of object: ObjectPath) -> String {
        var text = "<node>\n"
        for interface in Interface.allCases where interface.isOffered(by: object) {
            text += "<interface name=\"\(interface.name)\">\n"
            for method in Method.table where method.interface == interface {
                let arguments = list(method.inputs, "in") + list(method.outputs, "out")
                text += "<method name=\"\(method.name)\">\(arguments)</method>\n"
            }
            for signal in interface.signals {
                let arguments = signal.types.map { "<arg type=\"\($0)\"/>" }.joined()
                text += "<signal name=\"\(signal.name)\">\(arguments)</signal>\n"
            }
            for property in interface.properties {
                let access = property.isWritable ? "readwrite" : "read"
                text +=
                    "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"/>\n"
            }
            text += "</interface>\n"
        }
        return text + "</node>\n"
    }

    private static func list(_ types: [String], _ direction: String) -> String {
        types.map { "<arg type=\"\($0)\" direction=\"\(direction)\"/>" }.joined()
    }
}
#endif
