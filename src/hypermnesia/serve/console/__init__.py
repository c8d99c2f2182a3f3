"""The console: pages for looking at what is remembered, and for putting it right."""
