import pytest
from typer.testing import CliRunner

from sojourn._rooms.cli import app


def _sojourn(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def command():
    """The command, which has to go well."""

    def run(*arguments):
        done = _sojourn(*arguments)
        assert done.exit_code == 0, done.stderr
        return done

    return run


@pytest.fixture
def refused():
    """The one message of wrong input."""

    def run(*arguments):
        done = _sojourn(*arguments)
        assert (done.exit_code, done.stdout) == (2, ""), done
        assert "Traceback" not in done.stderr
        return done.stderr

    return run
