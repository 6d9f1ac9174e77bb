import numpy as np
import pytest

from tests.report.synthetic_run import Synthetic, fill


@pytest.fixture
def folder(tmp_path):
    fill(tmp_path / "run", Synthetic(particles=8))
    return tmp_path / "run"


def test_a_page_beside_the_tables(run, folder):
    result = run("report", folder, "--no-pictures")
    page = folder / "report.html"
    assert result.exit_code == 0, result.output
    assert result.output == f"Wrote {page}, {page.stat().st_size / 1e6:.2f} MB\n"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>\n<html")


def test_a_page_elsewhere_with_a_log(run, folder, tmp_path):
    t = np.linspace(0.0, 2.0, 21)
    log = tmp_path / "real.csv"
    np.savetxt(log, np.array([t, 0.4 * t]).T, delimiter=",", header="t,x", comments="")
    result = run("report", folder, "-o", tmp_path / "page.html", "--log", log)
    assert result.exit_code == 0, result.output
    assert "No pictures: the scenario of this run is not at hand.\n" in result.output
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "your log" in text
    assert "<h3>x of the base</h3>" in text


def test_columns_of_a_log_that_no_trace_has_are_told(run, folder, tmp_path):
    log = tmp_path / "real.csv"
    log.write_text("t,x,battery,LF_Y2,q1\n0,0,12,0.1,0\n1,0.4,11,0.2,0\n")
    result = run("report", folder, "--no-pictures", "--log", log)
    assert result.exit_code == 0, result.output
    assert result.output.endswith("\nColumns of the log that no trace has: battery, LF_Y2\n")


def test_the_page_is_no_part_of_the_run(run, folder):
    from surefoot.traces.run_folder import RunFolder

    before = RunFolder.open(folder).particles()
    assert run("report", folder, "--no-pictures").exit_code == 0
    with RunFolder.open(folder, write=True) as opened:
        assert opened.particles().equals(before)


def test_what_is_no_run(run, tmp_path):
    result = run("report", tmp_path)
    assert (result.exit_code, result.stderr) == (
        1,
        f"error: {tmp_path}: expected the folder of a run, got one without run.json\n",
    )


def test_wrong_ending(run, folder):
    result = run("report", folder, "-o", "page.pdf")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: --output: expected a file name ending in .html, .htm, got 'page.pdf'\n",
    )


def test_a_log_that_is_not_there(run, folder):
    result = run("report", folder, "--no-pictures", "--log", "nowhere.csv")
    assert (result.exit_code, result.stderr) == (1, "error: nowhere.csv: cannot be read: No such file or directory\n")
    assert not (folder / "report.html").exists()


def test_help_teaches(run):
    output = run("report", "--help").output
    for words in (
        "verdict on every policy comes first",
        "surefoot report runs/curb -o curb.html --log",
        "--no-pictures",
    ):
        assert words in output
