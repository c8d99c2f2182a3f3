"""Who may use the service, and how much: tokens, sign-in, OAuth, quota, rate limit, audit."""
