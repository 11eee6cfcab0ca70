// SPDX-License-Identifier: Apache-2.0

/// Programs of attackers in Python, and a library in C.
///
/// The programs print "granted" or "denied", except ``call``, which prints the daemon's reply. ``reusedProcessID``
/// prints "impossible" if the machine does not let it choose the process ID, or if no attempt gets that ID.
enum AttackScripts {
    /// Python functions that speak the daemon's protocol; the program's first argument is the path of the socket.
    private static let client = """
        import os, socket, struct, sys, textwrap
        def read(s):
            try:
                head = s.recv(16, socket.MSG_WAITALL)
            except OSError:
                return None, b''
            if len(head) < 16: return None, b''
            size, _, kind, _, _ = struct.unpack('<IQBBH', head)
            return kind, s.recv(size - 12, socket.MSG_WAITALL) if size > 12 else b''
        def send(s, kind, body):
            s.sendall(struct.pack('<IQBBH', 12 + len(body), 1, kind, 0, 0) + body)
        def connect(s):
            s.connect(sys.argv[1])
            hello = read(s)[1]
            claim = b'\\x01\\0\\0\\0x' + bytes(4)
            send(s, 2, b'KCC1' + struct.pack('<H', 1) + hello[8:24] + bytes(4) + claim)
            assert read(s)[0] == 3
        # A call without parameters that any client may make.
        call = struct.pack('<Q', 2 ** 63) + bytes(16) + bytes([35])
        def is_served(s):
            try:
                send(s, 5, call)
            except OSError:
                return False
            return read(s)[0] == 6
        def say(served):
            print('granted' if served else 'denied', flush=True)
        """

    /// Sends a message, and prints the body of the reply, both in hexadecimal digits.
    static let call =
        client + """

            s = socket.socket(socket.AF_UNIX)
            connect(s)
            s.sendall(bytes.fromhex(sys.argv[2]))
            print(read(s)[1].hex(), flush=True)
            """

    /// Makes a call, becomes another program image, and makes the same call again.
    static let exec =
        client + """

            if len(sys.argv) > 2:
                say(is_served(socket.socket(fileno=int(sys.argv[2]))))
                sys.exit()
            s = socket.socket(socket.AF_UNIX)
            connect(s)
            assert is_served(s)
            os.set_inheritable(s.fileno(), True)
            program = open('/proc/self/cmdline', 'rb').read().split(b'\\0')[2].decode()
            os.execv(sys.executable, [sys.executable, '-c', program, sys.argv[1], str(s.fileno())])
            """

    /// Makes a call over a connection that the parent process has made.
    static let passedDescriptor =
        client + """

            s = socket.socket(socket.AF_UNIX)
            connect(s)
            assert is_served(s)
            child = os.fork()
            if child == 0:
                say(is_served(s))
                os._exit(0)
            os.waitpid(child, 0)
            """

    /// Makes a call as a process that reuses the process ID of the ended process that connected.
    ///
    /// It starts as root, because only root may choose the next process ID. The second and third arguments
    /// are the user and the group.
    static let reusedProcessID =
        client + """

            user, group = int(sys.argv[2]), int(sys.argv[3])
            def become():
                os.setgroups([])
                os.setresgid(group, group, group)
                os.setresuid(user, user, user)
            s = socket.socket(socket.AF_UNIX)
            first = os.fork()
            if first == 0:
                become()
                connect(s)
                os._exit(0 if is_served(s) else 1)
            assert os.waitpid(first, 0)[1] == 0
            for attempt in range(2000):
                try:
                    with open('/proc/sys/kernel/ns_last_pid', 'w') as last: last.write(str(first - 1))
                except OSError:
                    print('impossible', flush=True)
                    sys.exit()
                second = os.fork()
                if second == 0:
                    if os.getpid() != first: os._exit(2)
                    become()
                    say(is_served(s))
                    os._exit(0)
                if os.waitpid(second, 0)[1] == 0: sys.exit()
            print('impossible', flush=True)
            """

    /// Connects, and becomes another program by `exec`, whose standard input and output are a pipe and the connection.
    ///
    /// A child process sends the other program's signature and the messages through the pipe. The arguments are the
    /// socket, the other program, two messages as hexadecimal digits, and the secret that the reply to the first has if
    /// the attack succeeds. If it fails, the second message is sent, which the daemon refuses and records.
    static let signedCopier =
        client + """

            copier = sys.argv[2]
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            nonce = read(s)[1][8:24]
            (source, target), attacker = os.pipe(), os.getpid()
            if os.fork() != 0:
                os.dup2(source, 0)
                os.dup2(s.fileno(), 1)
                os.close(target)
                os.execv(copier, [copier])
            os.close(source)
            while os.readlink('/proc/%d/exe' % attacker) != copier: pass
            signature = open(copier + '.signature', 'rb').read()
            body = b'KCC1' + struct.pack('<H', 1) + nonce + struct.pack('<I', len(signature)) + signature
            body += b'\\x01\\0\\0\\0x' + bytes(4)
            os.write(target, struct.pack('<IQBBH', 12 + len(body), 0, 2, 0, 0) + body)
            assert read(s)[0] == 3
            os.write(target, bytes.fromhex(sys.argv[3]))
            granted = sys.argv[5].encode() in read(s)[1]
            if not granted:
                os.write(target, bytes.fromhex(sys.argv[4]))
                read(s)
            say(granted)
            """

    /// Attaches to a process with `ptrace`.
    static let traces = """
        def succeeds(process):
            return libc.ptrace(16, process, None, None) == 0
        """

    /// Copies the descriptors of a process, and looks for its connection to the daemon or its open database.
    static let takesDescriptor = """
        import socket
        def succeeds(process):
            victim = os.pidfd_open(process)
            for number in range(3, 64):
                taken = libc.syscall(438, victim, number, 0)
                if taken < 0: continue
                name = os.readlink('/proc/self/fd/%d' % taken)
                if name.endswith('/keychain.db'): return True
                if not name.startswith('socket:'): continue
                copy = socket.socket(fileno=taken)
                if copy.family == socket.AF_UNIX and copy.getpeername() == os.environ['KEYCHAIN_SOCKET']:
                    return True
            return False
        """

    /// Returns a program that attacks a running process; the argument is its process ID.
    static func access(_ attack: String) -> String {
        """
        import ctypes, os, sys
        libc = ctypes.CDLL(None)
        \(attack)
        print('granted' if succeeds(int(sys.argv[1])) else 'denied', flush=True)
        """
    }

    /// Returns a program that starts another program, lets it read the item, and attacks it.
    ///
    /// Its arguments are the other program and the account. A process may trace its own child even where the kernel
    /// forbids it to trace other processes of the user.
    static func accessToChild(_ attack: String) -> String {
        """
        import ctypes, os, subprocess, sys
        libc = ctypes.CDLL(None)
        \(attack)
        child = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child.stdin.write(b'copy ' + sys.argv[2].encode() + b'\\n')
        child.stdin.flush()
        child.stdout.readline()
        print('granted' if succeeds(child.pid) else 'denied', flush=True)
        child.kill()
        """
    }

    /// A library in C that announces that it is loaded.
    static let preloaded = """
        #include <unistd.h>
        __attribute__((constructor)) static void loaded(void) { (void)!write(1, "preloaded\\n", 10); }
        """

    /// Sends random bytes over many connections.
    ///
    /// The arguments are the socket and the number of connections.
    static let sendsGarbage = """
        import random, socket, sys
        for _ in range(int(sys.argv[2])):
            with socket.socket(socket.AF_UNIX) as s:
                try:
                    s.connect(sys.argv[1])
                    s.sendall(random.randbytes(random.randint(1, 300)))
                except OSError: pass
        print('done', flush=True)
        """

    /// Sends a long message byte by byte, and prints whether the daemon closes the connection.
    static let sendsSlowly = """
        import socket, struct, sys, time
        s = socket.socket(socket.AF_UNIX)
        s.connect(sys.argv[1])
        message = struct.pack('<IQBBH', 4000, 0, 2, 0, 0)
        for byte in message + bytes(100):
            try: s.sendall(bytes([byte]))
            except OSError:
                print('disconnected', flush=True)
                sys.exit()
            time.sleep(0.2)
        print('served', flush=True)
        """
}
