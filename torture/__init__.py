"""Tries to lose what a store acknowledged: faults, racing processes, long runs.

Run from the project's root: ``python -m torture`` for faults and concurrency,
``python -m torture --soak`` for a long run. What is guaranteed, and what was tried how often, is
told in ``docs/explanation/durability.md``.

- :mod:`torture.opening` opens a memory as any process would; :mod:`torture.steps` are the verbs
  that are interrupted.
- :mod:`torture.image` reads what a store holds; :mod:`torture.invariants` say what must hold.
- The faults: :mod:`torture.kills`, :mod:`torture.logs` (a cut or damaged write-ahead log),
  :mod:`torture.power` (a power cut, block by block), :mod:`torture.disks`, :mod:`torture.clocks`,
  :mod:`torture.servers` (PostgreSQL) and :mod:`torture.endpoints`.
- :mod:`torture.race` lets processes loose on one store; :mod:`torture.linear` judges the history.
- :mod:`torture.soak` watches what grows.
"""
