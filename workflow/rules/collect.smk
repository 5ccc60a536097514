# Tables of all runs, and the tracking database. Local: second-long jobs on the submitting machine.
localrules:
    collect,
    ledger,
    track,


rule collect:
    input:
        results=expand("results/runs/{run}/result.json", run=JOBS),
    output:
        runs="results/runs.csv",
        history="results/history.csv",
        pictures="results/pictures.csv",
    log:
        "results/logs/collect.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=PLAN["codes"]["collect"],
        facts=FACTS,
    shell:
        "WASSDP_BENCHMARK=results/logs/collect.tsv "
        "python -m wassdp collect --results results > {log:q} 2>&1"


# It reads the results; their table is made anew with any of them.
rule ledger:
    input:
        runs="results/runs.csv",
    output:
        report(
            "results/ledger.md",
            caption="../report/ledger.rst",
            category="Ledger",
            labels={"shown": "ledger: a row for each setting"},
        ),
        report(
            "results/claimed-attacked-proven.svg",
            caption="../report/claimed.rst",
            category="Ledger",
            labels={"shown": "claimed, attacked and proven, of each setting"},
        ),
        "results/claimed-attacked-proven.png",
        "results/claimed-attacked-proven.csv",
        "results/ledger.csv",
        "results/ledger.json",
    log:
        "results/logs/ledger.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=PLAN["codes"]["ledger"],
        facts=FACTS,
    shell:
        "WASSDP_BENCHMARK=results/logs/ledger.tsv "
        "python -m wassdp ledger --results results > {log:q} 2>&1"


# The database is written to, never replaced: it is no output, and may be deleted and made again by
# `wassdp track`. The summary says what it holds.
rule track:
    input:
        runs="results/runs.csv",
        figures=[f"results/figures/{paper}/{figure}.png" for paper, figure in FIGURES],
        tables=[f"results/tables/{table}.md" for table in TABLES],
    output:
        "results/tracked.json",
    log:
        "results/logs/track.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        code=PLAN["codes"]["track"],
        facts=FACTS,
        # Another store is filled anew; its address may hold a password.
        store=digest(os.environ.get("MLFLOW_TRACKING_URI", "")),
    shell:
        "WASSDP_BENCHMARK=results/logs/track.tsv "
        "python -m wassdp track --results results --summary {output:q} > {log:q} 2>&1"
