# Tables of all runs, and the tracking database. Local: second-long jobs on the submitting machine.
localrules:
    plan,
    collect,
    ledger,
    track,


rule plan:
    output:
        "results/plan.json",
    log:
        "results/logs/plan.log",
    benchmark:
        "results/logs/plan.tsv"
    conda:
        "../../envs/cpu.yaml"
    params:
        config=CONFIG.model_dump_json(),
        code=CODES.plan(),
    shell:
        "python -m wassdp plan --json {params.config:q} --out {output:q} > {log:q} 2>&1"


rule collect:
    input:
        plan="results/plan.json",
        results=expand("results/runs/{run}/result.json", run=RUNS),
    output:
        runs="results/runs.csv",
        history="results/history.csv",
        pictures="results/pictures.csv",
    log:
        "results/logs/collect.log",
    benchmark:
        "results/logs/collect.tsv"
    conda:
        "../../envs/cpu.yaml"
    params:
        code=CODES.collect(),
    shell:
        "python -m wassdp collect --results results --plan {input.plan:q} > {log:q} 2>&1"


rule ledger:
    input:
        plan="results/plan.json",
        results=expand("results/runs/{run}/result.json", run=RUNS),
    output:
        report(
            "results/ledger.md",
            caption="../report/ledger.rst",
            category="Ledger",
            labels={"what": "every budget of every run"},
        ),
        "results/ledger.csv",
        "results/ledger.json",
    log:
        "results/logs/ledger.log",
    benchmark:
        "results/logs/ledger.tsv"
    conda:
        "../../envs/cpu.yaml"
    params:
        code=CODES.ledger(),
    shell:
        "python -m wassdp ledger --results results --plan {input.plan:q} > {log:q} 2>&1"


# The database is written to, never replaced: it is no output, and may be deleted and made again by
# `wassdp track`. The summary says what it holds.
rule track:
    input:
        plan="results/plan.json",
        runs="results/runs.csv",
        figures=[f"results/figures/{paper}/{figure}.png" for paper, figure in FIGURES],
    output:
        "results/tracked.json",
    log:
        "results/logs/track.log",
    benchmark:
        "results/logs/track.tsv"
    conda:
        "../../envs/cpu.yaml"
    params:
        code=CODES.track(),
    shell:
        "python -m wassdp track --results results --plan {input.plan:q} --summary {output:q} > {log:q} 2>&1"
