"""The environment, read in one place. Every value that a person may set is named here."""

import os
from pathlib import Path

PORT_DEFAULT = 8765
CALLS_A_MINUTE = 1_200
DIGITS_MAX = 7


def home() -> Path:
    """The folder that holds everything the app writes of its own (`YOIMEMORY_HOME`), made private."""
    path = Path(os.environ.get("YOIMEMORY_HOME") or _data_folder()).expanduser().absolute()
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def _data_folder() -> str:
    import platformdirs  # here, since the bridge of MCP starts for every call, and mostly with the home given

    return platformdirs.user_data_dir("yoimemory", appauthor=False)


def port() -> int:
    """The port we serve at (`YOIMEMORY_PORT`): cookies carry it, since browsers ignore ports in cookies."""
    text = os.environ.get("YOIMEMORY_PORT", str(PORT_DEFAULT))
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise SystemExit(f"YOIMEMORY_PORT is {text!r}; set it to a port number such as {PORT_DEFAULT}.")
    return int(text)


def allowed_hosts() -> list[str]:
    """Further names under which the server may be called (`YOIMEMORY_ALLOWED_HOSTS`, by comma)."""
    names = [name.strip() for name in os.environ.get("YOIMEMORY_ALLOWED_HOSTS", "").split(",") if name.strip()]
    if "*" in names:
        raise SystemExit("YOIMEMORY_ALLOWED_HOSTS may not hold '*'; name each host, for example 'desk.example'.")
    return names


def calls_a_minute() -> int:
    """How often one token may call, over JSON and MCP together (`YOIMEMORY_CALLS_A_MINUTE`); 0 for no limit."""
    text = os.environ.get("YOIMEMORY_CALLS_A_MINUTE", str(CALLS_A_MINUTE))
    if not text.isdecimal() or len(text) > DIGITS_MAX:
        raise SystemExit(
            f"YOIMEMORY_CALLS_A_MINUTE is {text[:40]!r}; set it to a number such as {CALLS_A_MINUTE}, or 0."
        )
    return int(text)


def worker_token() -> str:
    """The Worker's token that the command line acts by (`YOIMEMORY_TOKEN`); without it the owner acts."""
    return os.environ.get("YOIMEMORY_TOKEN", "").strip()


def worker_run() -> str:
    """The id of the run in which a Worker calls, noted on all that it does (`YOIMEMORY_RUN`)."""
    return os.environ.get("YOIMEMORY_RUN", "")[:120]


def worker_model() -> str:
    """The model that a Worker runs on, noted on all that it does (`YOIMEMORY_MODEL`)."""
    return os.environ.get("YOIMEMORY_MODEL", "")[:120]


def worker_principal() -> str:
    """The person that a Worker works for, noted on all that it does (`YOIMEMORY_ON_BEHALF_OF`)."""
    return os.environ.get("YOIMEMORY_ON_BEHALF_OF", "")[:150]


def debug() -> bool:
    """Whether Django shows its own error pages (`YOIMEMORY_DEBUG=1`); never on by itself."""
    return os.environ.get("YOIMEMORY_DEBUG") == "1"


def secret_key() -> str:
    """The signing key of this home, made on first use and readable by its owner only."""
    import secrets  # here, since it loads the system's cryptography, which the bridge of MCP has no use for

    path = home() / "secret-key"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    return path.read_text()
