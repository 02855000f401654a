"""Compares the main text of pages with labelled text, and with three other extractors.

Word F1: a text becomes its words, the matches of Python's `\\w+` on the text after NFKC and in lower case,
without regard to their order; precision and recall are shares of the words that both texts have, as often
as both have them. The figure of a page is the harmonic mean of the two, that of a set of pages the
arithmetic mean of its pages.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import unicodedata

ROUNDS = 5


def words_of(text):
    return collections.Counter(re.findall(r"\w+", unicodedata.normalize("NFKC", text or "").lower()))


def f1(truth, found):
    """Precision, recall and F1 of the words of one page."""
    common = sum((truth & found).values())
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / sum(found.values()), common / sum(truth.values())
    return precision, recall, 2 * precision * recall / (precision + recall)


def pages_of(folder):
    """Labelled pages: those in need of a review and those without a main text are left out."""
    for path in sorted((folder / "truth").glob("*.json")):
        label = json.loads(path.read_text())
        kind = label["_internal"]["page_type"]
        text = label["ground_truth"].get("main_content")
        if kind.get("confidence") == "needs_review" or not words_of(text):
            continue
        html = folder / "html" / f"{path.stem}.html.gz"
        if html.exists():
            yield path.stem, kind["primary"], words_of(text), gzip.decompress(html.read_bytes())


def trafilatura_text(html):
    import trafilatura

    return trafilatura.extract(html) or ""


def readability_text(html):
    import lxml.html
    import readability

    try:
        summary = readability.Document(html).summary()
        return " ".join(lxml.html.fromstring(summary).itertext())
    except Exception:  # It raises where it finds nothing.
        return ""


def resiliparse_text(html):
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(html, main_content=True)


PEERS = {
    "trafilatura": trafilatura_text,
    "readability-lxml": readability_text,
    "resiliparse": resiliparse_text,
}


def run(binary, path):
    """Standard output, CPU seconds and peak memory in MiB of one audit."""
    # The memory of a child begins with that of its parent: GNU time is a small one.
    with tempfile.NamedTemporaryFile("r") as peak:
        command = ["/usr/bin/time", "-f", "%M", "-o", peak.name]
        process = subprocess.Popen(
            [*command, binary, "audit", path, "--show-text", "--quiet"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        kibibytes = int(peak.read().split()[-1])
    return text.decode(errors="replace"), usage.ru_utime + usage.ru_stime, kibibytes / 1024


def percentile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, round(percent / 100 * (len(values) - 1)))]


def print_f1(scores, kinds):
    names = list(scores)
    print("| pages | n | " + " | ".join(names) + " |\n|---|---|" + "---|" * len(names))
    rows = [("all", set(kinds))] + [
        (kind, {page for page, of in kinds.items() if of == kind}) for kind in sorted(set(kinds.values()))
    ]
    for label, pages in rows:
        means = [statistics.fmean(scores[name][page][2] for page in pages) for name in names]
        print(f"| {label} | {len(pages)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    for label, part in (("precision", 0), ("recall", 1)):
        means = [statistics.fmean(score[part] for score in scores[name].values()) for name in names]
        print(f"| {label} | {len(kinds)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    lost = [sum(score[2] < 0.2 for score in scores[name].values()) for name in names]
    print(f"| F1 below .2 | {len(kinds)} | " + " | ".join(str(count) for count in lost) + " |\n")


def print_costs(costs):
    print("| program | CPU p50 | CPU p99 | memory p50 | memory, most |\n|---|---|---|---|---|")
    for name, pages in costs.items():
        cpu = [1000 * min(cpu for cpu, _ in rounds) for rounds in pages]
        memory = [min(memory for _, memory in rounds) for rounds in pages]
        print(
            f"| {name} | {percentile(cpu, 50):.1f} ms | {percentile(cpu, 99):.1f} ms "
            f"| {percentile(memory, 50):.1f} MiB | {max(memory):.1f} MiB |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("binary", nargs="+", help="the program, and older ones to compare it with")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each page for the CPU time")
    parser.add_argument("--no-peers", action="store_true", help="without the other extractors")
    arguments = parser.parse_args()
    peers = {} if arguments.no_peers else PEERS

    names = ["visibility"] + [f"older {number}" for number in range(1, len(arguments.binary))]
    scores = {name: {} for name in [*names, *peers]}
    costs = {name: [] for name in names}
    kinds = {}
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "page.html")
        for page, kind, truth, html in pages_of(arguments.folder):
            kinds[page] = kind
            pathlib.Path(path).write_bytes(html)
            rounds = {name: [] for name in names}
            # By turns, so that what else the machine does costs all of them the same.
            for turn in range(max(arguments.rounds, 1)):
                for name, binary in zip(names, arguments.binary):
                    text, cpu, memory = run(binary, path)
                    rounds[name].append((cpu, memory))
                    if turn == 0:
                        scores[name][page] = f1(truth, words_of(text))
            for name in names:
                costs[name].append(rounds[name])
            decoded = html.decode(errors="replace")
            for name, extract in peers.items():
                scores[name][page] = f1(truth, words_of(extract(decoded)))
    if not kinds:
        sys.exit(f"{arguments.folder} has no labelled pages")
    print_f1(scores, kinds)
    print_costs(costs)


if __name__ == "__main__":
    main()
