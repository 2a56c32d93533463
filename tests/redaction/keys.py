"""Secrets of many kinds, none of them real: put together here, so that no scanner takes this file for a leak."""

from __future__ import annotations

_A = "a1B2c3D4e5F6g7H8i9J0"
_HEX = "0a1b2c3d4e5f67890123456789abcdef"

KEYS = {
    "anthropic_key": "sk-" + "ant-api03-" + _A * 4 + "_-AA",
    "openai_key": "sk-" + "proj-" + _A * 3,
    "api_key": "sk-" + _A * 2,
    "github_token": "gh" + "p_" + _A + _A[:16],
    "gitlab_token": "gl" + "pat-" + _A,
    "aws_key": "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "google_key": "AI" + "za" + _A + _A[:15],
    "slack_token": "xo" + "xb-123456789012-" + _A,
    "stripe_key": "sk" + "_live_" + _A,
    "npm_token": "np" + "m_" + _A + _A[:16],
    "huggingface_token": "h" + "f_" + _A + _A[:14],
    "sendgrid_key": "S" + "G." + _A + "ab." + _A * 2 + "abc",
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + _A * 2,
    "databricks_token": "da" + "pi" + _HEX,
    "digitalocean_token": "do" + "p_v1_" + _HEX * 2,
    "private_key": "-----BEGIN RSA PRIVATE KEY-----\nMIIE" + _A + "\n" + _A + "==\n-----END RSA " + "PRIVATE KEY-----",
}
