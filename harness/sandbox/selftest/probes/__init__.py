"""What runs inside of the sandbox: one program, sent in as read-only files, of Python's own library alone.

Each module holds the probes of one subject and imports its neighbours by relative names, since it stands elsewhere
there. Nothing here writes more than a byte anywhere, and nothing sends where a device might carry it: see `network`.
"""
