"""Tests of accounts, tokens, quota and OAuth."""
