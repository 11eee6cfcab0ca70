// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct VerifyCertificateTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.run(
            """
            cd; {
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout root.key -out root.pem \
                -subj /CN=root -days 3650
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem \
                -subj /CN=other -days 3650
            issue() {
                openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $1.key -out $1.csr -subj /CN=$1
                printf '%s\\n' "$3" > $1.cnf
                openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -out $1.pem -days 30 -extfile $1.cnf
            }
            issue middle root 'basicConstraints=critical,CA:TRUE'
            issue leaf middle 'subjectAltName=DNS:www.example,email:a@example
            extendedKeyUsage=serverAuth'
            openssl x509 -in leaf.pem -outform DER -out leaf.der
            } 2>/dev/null
            """
        )
    }

    #if Trust
    static let rows: [(options: String, problem: String?)] = [
        ("-c leaf.pem -c middle.pem -r root.pem", nil),
        ("-c leaf.der -c middle.pem -r root.pem -p ssl -s www.example", nil),
        ("-c leaf.pem -c middle.pem -r root.pem -e a@example -p smime", nil),
        ("-c leaf.pem -c middle.pem", "CSSMERR_TP_NOT_TRUSTED"),
        ("-c leaf.pem -c middle.pem -r other.pem", "CSSMERR_TP_NOT_TRUSTED"),
        ("-c leaf.pem -r root.pem", "CSSMERR_TP_NOT_TRUSTED"),
        ("-c leaf.pem -c middle.pem -r root.pem -s mail.example", "CSSMERR_APPLETP_HOSTNAME_MISMATCH"),
        (
            "-c leaf.pem -c middle.pem -r root.pem -p ssl -C",
            "CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE"
        ),
        (
            "-c leaf.pem -c middle.pem -r root.pem -p codeSign",
            "CSSMERR_APPLETP_CODE_SIGN_NO_EXTENDED_KEY_USAGE"
        ),
        (
            "-c leaf.pem -c middle.pem -r root.pem -e b@example",
            "CSSMERR_APPLETP_SMIME_EMAIL_ADDRS_NOT_FOUND"
        ),
        ("-c leaf.pem -c middle.pem -r root.pem -d 2001-01-01-00:00:00", "CSSMERR_TP_CERT_NOT_VALID_YET"),
        ("-c leaf.pem -c middle.pem -r root.pem -d 2199-01-01", "CSSMERR_TP_CERT_EXPIRED"),
    ]

    @Test(arguments: rows)
    func `a certificate is verified`(row: (options: String, problem: String?)) throws {
        let result = try home.shell("cd; security verify-cert \(row.options)")
        #expect(result.code == (row.problem == nil ? 0 : 1))
        #expect(
            result.outputText == (row.problem == nil ? "...certificate verification successful.\n" : "")
        )
        #expect(result.complaintsText == row.problem.map { "Cert Verify Result: \($0)\n" } ?? "")
        #expect(try home.shell("cd; security verify-cert -q \(row.options) 2>&1").outputText == "")
    }

    @Test func `certificates of a keychain complete the chain`() throws {
        try home.run("cd; security add-certificates middle.pem")
        let result = try home.shell("cd; security verify-cert -v -c leaf.pem -r root.pem")
        #expect(
            result.outputText == "...certificate verification successful.\n0: leaf\n1: middle\n2: root\n"
        )
        #expect(try home.shell("cd; security verify-cert -n -c leaf.pem -r root.pem").code == 1)
    }
    #else
    @Test func `a build without the trait reports the missing trait`() throws {
        let result = try home.shell("cd; security verify-cert -c leaf.pem")
        #expect(result.code == 252)
        #expect(result.complaintsText.contains("Trust"))
    }
    #endif

    @Test(arguments: [
        ("", 2), ("-c none.pem", 1), ("-c leaf.pem -p eap", 252), ("-c leaf.pem -R ocsp", 252),
        ("-c leaf.pem -d today", 2), ("-c leaf.pem -d 2030-02-30", 2), ("-c leaf.csr", 87),
        ("-c leaf.pem -k none", 50),
    ])
    func `invalid arguments are refused`(options: String, code: Int32) throws {
        let result = try home.shell("cd; security verify-cert \(options)")
        #expect(result.code == code, "\(result.complaintsText)")
        #expect(result.outputText == "")
        #expect(result.complaintsText != "")
    }
}
