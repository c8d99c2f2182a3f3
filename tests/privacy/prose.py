"""Sentences of engineers and of everyday life in which nothing is secret."""

from __future__ import annotations

HARMLESS = """\
wrapped in base64
the token authentication
password reset flow
the api key rotation policy
token bucket
secret santa
commit 9fceb02d0ae598e95dc970b74767f19372d63af8 fixed the token refresh
the password fix is in commit 9fceb02
request 550e8400-e29b-41d4-a716-446655440000 carried no token
see src/auth/token.py and src/auth/password_reset.ts:42
upgrade to v2.3.1 for the password fix
the api key was rotated on 2026-05-03
order number 12345678 was shipped with secret wrapping
invoice INV-1002 over 45 euros
the password is wrong
the password is required
the password is case-sensitive
the password is hashed with argon2id
the password is SHA-256 hashed
password validation moved to src/auth/validators.py
password policy requires 12 characters
password must be at least 8 characters
the password rotation is every 90 days per SOC2
We moved password hashing to bcrypt with cost 12
the password column is VARCHAR(255)
the password prompt is "Enter your password"
the password is in 1Password
the password was changed to comply with policy
forgot password link in the e-mail
<input type="password" name="password" minlength="12">
def login(user: str, password: str) -> bool:
connect(user=user, password=password)
password=${DB_PASSWORD}
password: <your-password>
password: "********"
PASSWORD=changeme
api_key=os.environ["OPENAI_API_KEY"]
api_key = settings.OPENAI_API_KEY
api key is read from OPENAI_API_KEY
the API key is project-scoped
API keys are hashed with SHA-256 before storage
token: process.env.GITHUB_TOKEN
token = generate_token(user2)
let token = cookies.get(COOKIE_NAME);
tokens: 4096
max_tokens=128000
token limit is 128k
the token expires in 3600 seconds
the access token is a JWT signed with RS256
tokens per second went from 35 to 41.5
CSRF token validation fails on POST /login
bearer token authentication is required
the secret is stored in Vault at kv/prod/db2
the secret is db-credentials-v2
Kubernetes secret name: billing-db-creds
mount the secret at /run/secrets/db_password
client secret expires on 2026-01-15
primary key is user_id2
the cache key is user:12345
the partition key is tenant_id and the sort key is created_at
public key fingerprint SHA256:uNiVztksCsDhcc0u9e8BgrJXVGLKx1s7w
press any key to continue in 30 seconds
error code 4821 means time-out
exit code 137 means out of memory, status code 404 not found
zip code 94107, country code +49
promo code SUMMER25 gives 10%
the code review for PR-4821 is done
verification code expires after 10 minutes
pin numpy to 2.31.0
GPIO pin 13 drives the LED
the pin is GPIO17
OTP 27 ships with a new JIT
passkeys: FIDO2/WebAuthn
passkey support landed in iOS17
credentials: IAM role
credentials are valid for 12 hours
login with GitHub or Google
login fails with user/password mismatch
image sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
AES-256-GCM with a 96-bit nonce
arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf
docker run -u 1000:1000 image
http://localhost:3000?email=someone@example.com
postgres://localhost:5432/app has no password
risk-assessment-document-for-2024-q3-review
task-abcdefghijklmnopqrstuvwxyz finished
all tests pass: 120 of 120
the compass points north: 12 degrees
this.cache[key] = compressedValue;
secretKeyRef name: db-credentials key: password
password = getpass.getpass("Password: ")
"password": {"type": "string", "minLength": 12}
See OWASP ASVS 2.1.1 for password rules
Access code review is due Friday
room 4821 is booked, flight LH4821 lands at 09:55
the seed phrase must be written on paper and never typed into a computer by anyone
Das Passwort muss mindestens 12 Zeichen haben
mot de passe oubli\u00e9: lien dans le courriel
la contrase\u00f1a debe tener 8 caracteres
\u5bc6\u7801\u91cd\u7f6e\u6d41\u7a0b\u9700\u8981\u4e24\u6b65
\u043f\u0430\u0440\u043e\u043b\u044c \u0434\u043b\u0438\u043d\u043e\u0439 8
CVE-2024-3094 affects xz 5.6.0""".splitlines()

HARMLESS_PERSONAL = (
    "version 10.0.19041.1 of the build",
    "release 1.2.3.4 is out",
    "listen on 127.0.0.1 and 0.0.0.0",
    "std::vec and a::b are paths",
    "at 10:30:15 on 2026-05-03",
    "order 4111111111111112 was shipped",
    "tracking 1234567890123456",
    "commit 9fceb02d0ae598e95dc970b74767f19372d63af8",
    "550e8400-e29b-41d4-a716-446655440000",
    "DE89 3704 0044 0532 0130 01 has a wrong check digit",
    "@ana and user@localhost",
    "the range is 100-200-3000",
    "call the function at line 1234567",
    "ISBN 978-3-16-148410-0",
)
