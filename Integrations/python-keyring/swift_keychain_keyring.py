# SPDX-License-Identifier: Apache-2.0
"""Back end of the Python library keyring that stores passwords with the command `security` of swift-keychain.

A service and a user name select the generic password with that service and account. Secrets are passed on pipes, never as
arguments of the command.
"""

import base64
import json
import os
import shutil
import subprocess

from keyring import backend, credentials, errors

NOT_FOUND = 44


class _Priority:
    """The priority of the back end, computed when the class is asked for it."""

    def __get__(self, instance, owner):
        if not owner._command():
            raise RuntimeError("the command security of swift-keychain is not installed")
        # The back ends for the Secret Service, which need a session bus, have a priority of 5 at most.
        return 5.5


class Keyring(backend.KeyringBackend):
    """Stores passwords in the user's keychain."""

    priority = _Priority()

    @staticmethod
    def _command():
        """Returns the path of the command; KEYCHAIN_SECURITY_COMMAND overrides the search in PATH."""
        return os.environ.get("KEYCHAIN_SECURITY_COMMAND") or shutil.which("security")

    def _run(self, arguments, error, secret=None):
        command = self._command()
        if not command:
            raise errors.NoKeyringError("the command security of swift-keychain is not installed")
        if any("\0" in argument for argument in arguments):
            raise error("a service or user name contains a zero byte")
        result = subprocess.run([command, *arguments], input=secret or b"", capture_output=True)
        if result.returncode in (0, NOT_FOUND):
            return result
        message = result.stderr.decode(errors="replace").strip() or f"security ended with {result.returncode}"
        if result.returncode == 36:
            raise errors.KeyringLocked(message)
        raise error(message)

    @staticmethod
    def _item(service, username):
        return ["-s", service] + ([] if username is None else ["-a", username])

    def _find(self, service, username):
        """Returns the account and the password of an item, or None if there is no such item."""
        arguments = ["find-generic-password", *self._item(service, username), "-g", "--json"]
        result = self._run(arguments, errors.KeyringError)
        if result.returncode == NOT_FOUND:
            return None
        item = json.loads(result.stdout)
        return self._text(item["attributes"].get("acct", "")), self._text(item.get("value", ""))

    @staticmethod
    def _text(value):
        """Decodes a value, which is a string, or an object with base64 if its bytes are not UTF-8."""
        if isinstance(value, str):
            return value
        if value["encoding"] != "base64":
            return value["data"]
        try:
            return base64.b64decode(value["data"]).decode()
        except UnicodeDecodeError:
            raise errors.KeyringError("the password is not UTF-8") from None

    def get_password(self, service, username):
        found = self._find(service, username)
        return found and found[1]

    def get_credential(self, service, username):
        found = self._find(service, username)
        return found and credentials.SimpleCredential(*found)

    def set_password(self, service, username, password):
        arguments = ["add-generic-password", *self._item(service, username), "-U", "-w"]
        if password:
            # The command removes one newline from the end.
            self._run(arguments, errors.PasswordSetError, password.encode() + b"\n")
        else:
            self._run(arguments + [""], errors.PasswordSetError)

    def delete_password(self, service, username):
        arguments = ["delete-generic-password", *self._item(service, username)]
        if self._run(arguments, errors.PasswordDeleteError).returncode == NOT_FOUND:
            raise errors.PasswordDeleteError("no such password")
