# Every budget that was asked for, beside each run. Its one line on standard output reports the finished run.
rule account:
    input:
        "results/runs/{run}/outcome.json",
    output:
        "results/runs/{run}/result.json",
    log:
        "results/runs/{run}/account.log",
    wildcard_constraints:
        run=PLAN["patterns"]["account"],
    conda:
        "../../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 30 * attempt,
        gpu=0,
    params:
        code=lambda wildcards: JOBS[wildcards.run]["accounting"],
        # An accountant with other options is the same code.
        accountants=lambda wildcards: json.dumps(JOBS[wildcards.run]["accountants"]),
    shell:
        "WASSDP_RUNTIME={resources.runtime} WASSDP_BENCHMARK=results/runs/{wildcards.run}/account.tsv "
        "OMP_NUM_THREADS={threads} "
        "python -m wassdp account {wildcards.run} --outcome {input:q} --out {output:q} 2> {log:q}"
