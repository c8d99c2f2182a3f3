"""Answers to questions from what is remembered, with a language model or without."""
