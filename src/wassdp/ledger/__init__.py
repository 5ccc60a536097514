"""The ledger: every budget of every run, what it rests on, and what was claimed, attacked and proven side by side.

`rows` makes it of a plan and its results, `text` and `files` write it for people and programs, `claimed` draws it, and
`judged` puts each claim beside what the same setting proves.
"""
