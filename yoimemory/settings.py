"""Django settings, in Django's own order. Values from the environment come through `env`."""

from pathlib import Path

from csp.constants import NONE, SELF

from yoimemory import BUNDLED_SQLITE, env

HOME = env.home()
ROOT = Path(__file__).resolve().parent.parent
PORT = env.port()

DEBUG = env.debug()
SECRET_KEY = env.secret_key()
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *env.allowed_hosts()]
USE_X_FORWARDED_HOST = False

INSTALLED_APPS = [
    "whitenoise.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_filters",
    "lucide",
    "ninja",
    "template_partials",
    "yoimemory.access",
    "yoimemory.journal",
    "yoimemory.jobs",
    "yoimemory.markers",
    "yoimemory.sources",
    "yoimemory.asking",
    "yoimemory.search",
    "shoebox",
    "evidence",
    "hypotheses",
    "yoimemory.products",
    "yoimemory.desk",
]

MIDDLEWARE = [
    "yoimemory.desk.middleware.named",
    "yoimemory.desk.middleware.packed",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "yoimemory.desk.middleware.person",
]

ROOT_URLCONF = "yoimemory.urls"
WSGI_APPLICATION = None
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "template_partials.templatetags.partials",
                "lucide.templatetags.lucide",
                "django.templatetags.static",
                "yoimemory.visible",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "yoimemory.desk.context.frame",
            ],
        },
    }
]

# One statement per line of 6-reliability's settings; trusted_schema=OFF breaks JSON checks on the standard SQLite.
_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; PRAGMA foreign_keys=ON; "
    "PRAGMA journal_size_limit=67108864;" + (" PRAGMA trusted_schema=OFF;" if BUNDLED_SQLITE else "")
)


# The first two are only heeded by a file that is made anew: room is given back in steps, and long rows leave little of
# a page empty. The log may grow to 64 MB before it is copied: a long run writes the same pages again and again.
_INDEX_FILE = (
    "PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA cache_size=-32768; PRAGMA wal_autocheckpoint=8000; "
)


def _sqlite(name: str, synchronous: str, file: str = "") -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": HOME / f"{name}.sqlite3",
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": file + _PRAGMAS.format(synchronous=synchronous),
        },
        # Real files in tests too: memory databases have neither WAL nor locks.
        "TEST": {"NAME": HOME / f"test_{name}.sqlite3"},
        "CONN_MAX_AGE": 600,
    }


DATABASES = {"default": _sqlite("default", "FULL"), "index": _sqlite("index", "NORMAL", _INDEX_FILE)}
DATABASE_ROUTERS = ["yoimemory.router.IndexRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_ENGINE = "yoimemory.access.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [Path(__file__).resolve().parent / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
WHITENOISE_ALLOW_ALL_ORIGINS = False

# Cookies ignore ports, so their names carry ours: another program on this machine cannot read or set them by chance.
SESSION_COOKIE_NAME = f"yoim{PORT}_session"
CSRF_COOKIE_NAME = f"yoim{PORT}_csrf"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Strict"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "no-referrer"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 << 20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
# A file that comes in is held in memory, up to what a body may have, and never written to a temporary folder.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = DATA_UPLOAD_MAX_MEMORY_SIZE
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-src": [SELF],
    }
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "yoimemory.gate.Discreet", "format": "{asctime} {levelname} {name}: {message}", "style": "{"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}

# Defaults of style, each replaceable by a measurement and a decision record.
RENDER_BUDGET = 8_000
"""Characters of rendered text in one answer, since a Worker's client may cut a block at 8,192."""
CALLS_A_MINUTE = env.calls_a_minute()
"""Calls of one token in a minute; a sixth of them may come at once."""
LIST_LIMIT = 50
LIST_LIMIT_MAX = 200
