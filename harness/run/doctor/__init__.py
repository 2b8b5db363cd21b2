"""Whether this machine can run sandboxes: what it gives, judged and explained (`harness doctor`).

`reading` looks, `inside` tries what only trying shows, `diagnosis` judges both, `facts` names versions and digests.
"""
