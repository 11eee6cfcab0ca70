# SPDX-License-Identifier: Apache-2.0
# Functions that the other scripts source.

# The flags of every debug build and test run: with the same flags everywhere, nothing is built twice. They omit debug
# information, which takes a tenth of the compiler's time.
debug_flags=(
    -debug-info-format none --enable-all-traits -Xswiftc -warnings-as-errors
    --explicit-target-dependency-import-check error
)

# builds ARGUMENT…: runs `swift build`. SwiftPM passes the traits to the compiler in the order of a `Set`. The variable
# fixes that order; otherwise each new build plan changes every compiler command, and all modules are compiled again.
builds() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@" </dev/null; }

# builds_tests FOLDER ARGUMENT…: runs `swift build --build-tests` in a build folder. First removes the modules `Security`
# and `LocalAuthentication` that an earlier build left there, because swift-certificates would find and import them.
# Packages of users need the module alias that Tests/Packages/CertificatesWithSecurity shows.
builds_tests() {
    rm -f "$1"/*/debug/Modules/{Security,LocalAuthentication}.*
    builds --build-tests "${@:2}"
}

# step TITLE: prints the title of the next step and the seconds since the start.
step() { printf '\n== %s (%ss)\n' "$1" "$SECONDS"; }

# counts_skips FILE: prints how many tests were skipped for which reason, from the output of a test run. Fails if root has
# skipped a test that needs only root.
counts_skips() {
    local skipped
    # A suite that is skipped is a line of its own, beside those of its tests.
    skipped=$(sed -nE 's/^.*Test .* skipped: "(.*)"$/\1/p' "$1" | sort | uniq -c)
    [ -n "$skipped" ] || return 0
    printf 'skipped tests, and why:\n%s\n' "$skipped"
    [ "$(id -u)" -eq 0 ] || return 0
    ! grep -E '[0-9] (needs root|only root can .*|needs root, to .*)$' <<<"$skipped" ||
        { printf 'error: root must not skip these tests\n' && return 1; }
}

# stop MESSAGE…: prints an error and ends the script.
stop() {
    printf 'error: %s\n' "$@" >&2
    exit 1
}

# installs PACKAGE…: installs Debian packages, as root or through sudo.
installs() {
    command -v apt-get >/dev/null || stop "these Debian packages are missing: $*" \
        "this system has no apt-get; install the corresponding packages and run the script again"
    local root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "these packages are missing: $*" \
            "run as root: apt-get update && apt-get install --yes $*"
        root=(sudo)
    fi
    printf 'installing %s\n' "$*"
    "${root[@]}" apt-get update -qq </dev/null || printf 'apt-get update failed; trying with the present lists\n'
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -qq "$@" \
        </dev/null >/dev/null || stop "apt-get could not install: $*"
}

# needs_swift: stops if there is no Swift toolchain.
needs_swift() {
    command -v swift >/dev/null || stop "there is no swift in PATH" \
        "install Swift 6.3 or later from https://www.swift.org/install and run the script again"
    printf '%s\n' "$(swift --version 2>/dev/null | grep -m 1 'Swift version')"
}

# needs_sqlite: installs SQLite, which the package links.
needs_sqlite() {
    local compiler
    compiler=$(command -v clang || command -v cc || true)
    if [ -n "$compiler" ] && printf '#include <sqlite3.h>\nint main(void) { return sqlite3_libversion_number() == 0; }\n' |
        "$compiler" -x c - -lsqlite3 -o /dev/null 2>/dev/null; then
        return
    fi
    # SwiftPM asks pkg-config where the library is, and warns if pkg-config is not installed.
    installs libsqlite3-dev pkg-config
}

# needs_sodium: installs libsodium, which the package links.
needs_sodium() {
    local compiler
    compiler=$(command -v clang || command -v cc || true)
    if [ -n "$compiler" ] && printf '#include <sodium.h>\nint main(void) { return sodium_init() < 0; }\n' |
        "$compiler" -x c - -lsodium -o /dev/null 2>/dev/null; then
        return
    fi
    installs libsodium-dev pkg-config
}

# needs_etcd: installs etcd, which the tests of synchronization start, and disables its system service.
needs_etcd() {
    command -v etcd >/dev/null && return
    installs etcd-server
    local root=()
    [ "$(id -u)" -eq 0 ] || root=(sudo)
    if [ -d /run/systemd/system ]; then "${root[@]}" systemctl disable --now etcd || true; fi
}

# needs_faketime: installs libfaketime, with which tests give agents other clocks.
needs_faketime() {
    compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || installs faketime
}

# needs_python: makes `python3` an interpreter with the modules that Tests/Fixtures/read_keychain.py needs.
needs_python() {
    python3 -c 'import argon2, sqlite3, cryptography' 2>/dev/null && return
    if ! /usr/bin/python3 -c 'import argon2, sqlite3, cryptography' 2>/dev/null; then
        installs python3 python3-cryptography python3-argon2
    fi
    # Another interpreter earlier in PATH lacks the modules of Debian's packages, so the system's is put first.
    PATH=/usr/bin:$PATH
}

# needs_openssl: installs the library of the trait PKCS12, and the program with which tests create files.
needs_openssl() {
    local compiler
    compiler=$(command -v clang || command -v cc || true)
    if command -v openssl >/dev/null && [ -n "$compiler" ] &&
        printf '#include <openssl/provider.h>\nint main(void) { return OSSL_PROVIDER_available(0, "default") == 0; }\n' |
        "$compiler" -x c - -lcrypto -o /dev/null 2>/dev/null; then
        return
    fi
    installs libssl-dev openssl ca-certificates
}

# needs_keepass: installs the libraries of the trait KeePass.
needs_keepass() {
    local compiler
    compiler=$(command -v clang || command -v cc || true)
    if [ -n "$compiler" ] && printf '%s\n' '#include <argon2.h>' '#include <expat.h>' '#include <zlib.h>' \
        'int main(void) { return !argon2_error_message(0) + !XML_ExpatVersion() + !zlibVersion(); }' |
        "$compiler" -x c - -largon2 -lexpat -lz -o /dev/null 2>/dev/null; then
        return
    fi
    installs libargon2-dev libexpat1-dev zlib1g-dev
}

# isolates_sodium FOLDER: writes a static libsodium to a folder, in which libsodium's internal Argon2 symbols are local. Without
# that, no program can statically link libsodium and libargon2, which define different functions with the same names. Sets the
# search path of pkg-config, which tells SwiftPM where the library is.
isolates_sodium() {
    local folder=$1 library work members
    command -v pkg-config >/dev/null || installs pkg-config
    library=$(${CC:-cc} -print-file-name=libsodium.a)
    [ -f "$library" ] || stop 'there is no static libsodium'
    mkdir -p "$folder"
    work=$(mktemp -d)
    cp "$library" "$work/libsodium.a"
    (
        cd "$work"
        mapfile -t members < <(ar t libsodium.a | grep -E 'argon2|blake2b-long')
        ar x libsodium.a "${members[@]}"
        ld -r -o argon2.object "${members[@]}"
        objcopy --wildcard --keep-global-symbol='*crypto_pwhash_*' argon2.object
        ar d libsodium.a "${members[@]}"
        ar r libsodium.a argon2.object
    )
    mv "$work/libsodium.a" "$folder"
    rm -r "$work"
    # The linker must search this folder before the system's folder, which contains the system's libsodium. SQLite, too,
    # gets a file that names this folder, because the system's file for SQLite could put the system's folder first.
    for library in libsodium sqlite3; do
        printf '%s\n' "Name: $library" "Description: $library" 'Version: 1' "Libs: -L$folder -l${library#lib}" \
            >"$folder/$library.pc"
    done
    export PKG_CONFIG_PATH=$folder
}

# needs_systemd: installs libsystemd, which the traits Fingerprint and SecretService need.
needs_systemd() {
    local compiler
    compiler=$(command -v clang || command -v cc || true)
    if [ -n "$compiler" ] &&
        printf '#include <systemd/sd-bus.h>\nint main(void) { return sd_bus_is_open(0) > 0; }\n' |
        "$compiler" -x c - -lsystemd -o /dev/null 2>/dev/null; then
        return
    fi
    installs libsystemd-dev
}

# needs_fingerprint: installs the library of the trait Fingerprint, and the services that simulate a sensor for tests.
needs_fingerprint() {
    local compiler program missing=''
    compiler=$(command -v clang || command -v cc || true)
    for program in /usr/libexec/fprintd /usr/lib/polkit-1/polkitd /usr/bin/{dbus-daemon,dbus-send,fprintd-enroll}; do
        [ -x "$program" ] || missing=$program
    done
    if [ -z "$missing" ] && [ -n "$compiler" ] &&
        printf '#include <systemd/sd-bus.h>\nint main(void) { return sd_bus_is_open(0) > 0; }\n' |
        "$compiler" -x c - -lsystemd -o /dev/null 2>/dev/null; then
        return
    fi
    installs libsystemd-dev fprintd polkitd dbus
}

# needs_secret_service: installs the clients of the Secret Service, and gnome-keyring, that tests start on a bus of their
# own.
needs_secret_service() {
    local program missing=''
    for program in /usr/bin/{dbus-daemon,dbus-send,secret-tool,gnome-keyring-daemon}; do [ -x "$program" ] || missing=$program; done
    [ -d /usr/lib/python3/dist-packages/secretstorage ] || missing=python3-secretstorage
    [ -f /usr/include/libsecret-1/libsecret/secret.h ] || missing=libsecret-1-dev
    [ -z "$missing" ] || installs dbus gnome-keyring libsecret-tools python3-secretstorage libsecret-1-dev pkg-config
}
