# Figures and tables from the collected frames, and Snakemake's own report around them.
localrules:
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
            category=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure][
                "paper"
            ],
            labels=lambda wildcards: {
                "shown": FIGURES[wildcards.paper, wildcards.figure]["title"]
            },
        ),
        png="results/figures/{paper}/{figure}.png",
        csv="results/figures/{paper}/{figure}.csv",
    log:
        "results/logs/figure/{paper}/{figure}.log",
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=30,
    params:
        experiment=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure][
            "experiment"
        ],
        kind=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure]["kind"],
        options=lambda wildcards: json.dumps(
            FIGURES[wildcards.paper, wildcards.figure]["options"]
        ),
        caption=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure]["caption"],
        code=lambda wildcards: FIGURES[wildcards.paper, wildcards.figure]["code"],
        stem=lambda wildcards, output: output.svg[: -len(".svg")],
    shell:
        "WASSDP_RUNTIME={resources.runtime} WASSDP_BENCHMARK=results/logs/figure/{wildcards.paper}/{wildcards.figure}.tsv "
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
        csv="results/tables/{table}.csv",
        tex="results/tables/{table}.tex",
        html=report(
            "results/tables/{table}.html",
            caption="../report/figure.rst",
            category=lambda wildcards: TABLES[wildcards.table]["paper"],
            labels=lambda wildcards: {"shown": TABLES[wildcards.table]["title"]},
        ),
    log:
        "results/logs/table/{table}.log",
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=30,
    params:
        experiment=lambda wildcards: TABLES[wildcards.table]["experiment"],
        kind=lambda wildcards: TABLES[wildcards.table]["kind"],
        options=lambda wildcards: json.dumps(TABLES[wildcards.table]["options"]),
        caption=lambda wildcards: TABLES[wildcards.table]["caption"],
        code=lambda wildcards: TABLES[wildcards.table]["code"],
        stem=lambda wildcards, output: output.md[: -len(".md")],
    shell:
        "WASSDP_RUNTIME={resources.runtime} WASSDP_BENCHMARK=results/logs/table/{wildcards.table}.tsv "
        "python -m wassdp table --runs {input.runs:q} --history {input.history:q} "
        "--experiment {params.experiment:q} --kind {params.kind:q} --options {params.options:q} "
        "--out {params.stem:q} > {log:q} 2>&1"


# The report is made by a second Snakemake, which reads the same plan.
TEXTS = [
    Path(workflow.main_snakefile),
    *sorted(HERE.glob("Snakefile")),
    *sorted(HERE.glob("r*/*.[rs][sm][tk]")),
]


# It is told of a configuration that was named: the workflow's default one may not be there. As a parameter this would
# have the report made again for whoever names the file in another way.
if MAIN:
    os.environ.pop("WASSDP_CONFIGFILES", None)
    if given := [str(path) for path in workflow.overwrite_configfiles]:
        os.environ.update(WASSDP_CONFIGFILES=shlex.join(["--configfile", *given]))


rule everything:
    input:
        shown(),
    localrule: True


rule report:
    input:
        rules.everything.input,
    output:
        "results/report.html",
    log:
        "results/logs/report.log",
    conda:
        "../../envs/cpu.yaml"
    params:
        # A function's text is no pattern, whatever the folder is called.
        snakefile=lambda wildcards: workflow.main_snakefile,
        texts=digest(*(path.read_text() for path in TEXTS)),
    shell:
        'eval "set -- ${{WASSDP_CONFIGFILES:-}}"; '
        "WASSDP_PLANNED=1 python -m snakemake everything --snakefile {params.snakefile:q} "
        '"$@" --report {output:q} --nolock > {log:q} 2>&1'


onstart:
    if MAIN:
        forks.start(FORKS)


# What to begin with: a file, and what is said of it.
LANDING = {
    "results/report.html": "results/report.html   every figure and table, with captions and runtimes",
    "results/ledger.md": "results/ledger.md     every budget, its kind, and what it rests on",
    "results/claimed-attacked-proven.svg": "results/claimed-attacked-proven.svg  the same in one picture",
    "results/tracked.json": "make ui               every run in MLflow",
}


onsuccess:
    if MAIN and not workflow.dryrun:
        # Targets may have left some of it out.
        there = [text for path, text in LANDING.items() if Path(path).exists()]
        print("", *there, sep="\n", end="\n" if there else "")


# With keep-going the first reason may have left the screen.
onerror:
    if MAIN and not workflow.dryrun:
        for line in FAILURES.shown:
            print(f"wassdp: {line}", file=sys.stderr)
