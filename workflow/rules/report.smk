# Figures and tables from the collected frames, and Snakemake's own report around them.
localrules:
    report_config,
    report,


rule figure:
    input:
        runs="results/runs.csv",
        history="results/history.csv",
        pictures="results/pictures.csv",
    output:
        svg=report(
            "results/figures/{paper}/{figure}.svg",
            caption="../report/figure.rst",
            category="{paper}",
            labels={"figure": "{figure}"},
        ),
        png="results/figures/{paper}/{figure}.png",
        csv="results/figures/{paper}/{figure}.csv",
    log:
        "results/logs/figure/{paper}/{figure}.log",
    benchmark:
        "results/logs/figure/{paper}/{figure}.tsv"
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=10,
    params:
        experiment=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure][0].name,
        kind=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure][1].kind,
        options=lambda wildcards: json.dumps(
            FIGURES[wildcards.paper, wildcards.figure][1].options
        ),
        caption=lambda wildcards: caption(FIGURES[wildcards.paper, wildcards.figure][1]),
        code=lambda wildcards: CODES.figure(*FIGURES[wildcards.paper, wildcards.figure]),
        stem=lambda wildcards, output: output.svg[: -len(".svg")],
    shell:
        "python -m wassdp figure --runs {input.runs:q} --history {input.history:q} "
        "--pictures {input.pictures:q} "
        "--experiment {params.experiment:q} --kind {params.kind:q} --options {params.options:q} "
        "--out {params.stem:q} > {log:q} 2>&1"


rule table:
    input:
        runs="results/runs.csv",
        history="results/history.csv",
    output:
        md="results/tables/{table}.md",
        csv=report(
            "results/tables/{table}.csv",
            caption="../report/figure.rst",
            category=lambda wildcards: TABLES[wildcards.table][0].paper,
            labels={"figure": "{table}"},
        ),
        tex="results/tables/{table}.tex",
    log:
        "results/logs/table/{table}.log",
    benchmark:
        "results/logs/table/{table}.tsv"
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=10,
    params:
        experiment=lambda wildcards: TABLES[wildcards.table][0].name,
        kind=lambda wildcards: TABLES[wildcards.table][1].kind,
        options=lambda wildcards: json.dumps(TABLES[wildcards.table][1].options),
        caption=lambda wildcards: caption(TABLES[wildcards.table][1]),
        code=lambda wildcards: CODES.table(*TABLES[wildcards.table]),
        stem=lambda wildcards, output: output.md[: -len(".md")],
    shell:
        "python -m wassdp table --runs {input.runs:q} --history {input.history:q} "
        "--experiment {params.experiment:q} --kind {params.kind:q} --options {params.options:q} "
        "--out {params.stem:q} > {log:q} 2>&1"


# The report is made by a second Snakemake, which must see the same configuration.
rule report_config:
    output:
        "results/report_config.json",
    log:
        "results/logs/report_config.log",
    params:
        config=CONFIG.model_dump_json(),
    run:
        Path(output[0]).write_text(params.config)


rule everything:
    input:
        shown(),
    localrule: True


rule report:
    input:
        rules.everything.input,
        config="results/report_config.json",
    output:
        "results/report.html",
    log:
        "results/logs/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        snakefile=f"{workflow.basedir}/Snakefile",
        code=CODES.report(
            [Path(workflow.basedir) / "Snakefile"]
            + [*WORKFLOW.glob("rules/*.smk"), *WORKFLOW.glob("report/*.rst")]
        ),
    shell:
        "python -m snakemake everything --snakefile {params.snakefile:q} --configfile {input.config:q} "
        "--report {output:q} --nolock > {log:q} 2>&1"


onsuccess:
    if workflow.exec_mode == ExecMode.DEFAULT and not workflow.dryrun:
        print(
            "\nresults/report.html   every figure and table, with captions and runtimes"
        )
        print("results/ledger.md     every budget, its kind, and what it rests on")
        print("make ui               every run in MLflow")


# With keep-going the first reason may have left the screen.
onerror:
    if workflow.exec_mode == ExecMode.DEFAULT and not workflow.dryrun:
        for line in FAILURES.shown:
            print(f"wassdp: {line}", file=sys.stderr)
