"""Result files into MLflow.

Jobs never talk to MLflow. One local command reads what they left in the results folder and brings a
tracking store into line with it: every run of the plan once, keyed by its run id. The store holds
nothing that the files do not say, so it can be deleted and rebuilt.

- `wassdp.tracking.progress`: what a run that is still going has recorded so far;
- `wassdp.tracking.content`: what MLflow shall hold of a run, as a value; no MLflow needed;
- `wassdp.tracking.store`: a tracking store, and how one run is brought into line with its content;
- `wassdp.tracking.track`: all runs of a plan, once or until they are finished.
"""
