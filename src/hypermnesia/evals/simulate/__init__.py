"""A seeded memory of an engineering agent, questions on it, and what each read path finds."""
