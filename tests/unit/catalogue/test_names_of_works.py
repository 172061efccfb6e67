"""Every system that the five works name has a name here, or is in docs/not-built.md with a reason."""

import json
import re
from pathlib import Path

import pytest

from sojourn import _core
from sojourn._rooms.catalogue.names import ABSENT, plain_name
from sojourn._rooms.catalogue.names import absent as absence
from sojourn._rooms.catalogue.sources import SOURCES, cited
from sojourn._rooms.cli.explain import _named, _topics

PAGE = Path(__file__).parents[3] / "docs" / "not-built.md"

# By work, as the work writes them. A value that stands for several names here is looked up by its common name.
NAMES = {
    "alemu2004": """Drop Tail; Drop-from-Front; Push-Out; RED; RED strict; gentle RED; BLUE; SRED;
        SRED simple; SRED full; REM; DSRED;
        ARED-Feng; ARED-Floyd; GREEN; GREEN v1; GREEN v2; AVQ; AVQ*; P controller; PI controller;
        LRED; LRED*; FRED; SFB; XRED; CBT-RED; BRED;
        RIO; SFC; FB-RED; PSAND; PSAND1; PSAND2; PSAND3;
        Pseudo Drop Tail; Sandwich; TCP SACK; Poisson; FEC; PQ; FQ; rate-controlled
        priority queueing; CBFQ; WFQ; SCFQ; WF2Q+; CBQ; leaky bucket; token bucket; EF; AF; DiffServ; IntServ;
        ECN; PLR; link utilisation; Jain; loss run length""",
    "chatranon2004": """DropTail; RED; CHOKe; self-adjusting CHOKe; SFB; BLUE; CARE; BLACK; AFC; HBF cache;
        per-flow-capped drop tail; SRED; FRED; BRED; LQD; RND; ALQD; TCP-model identification; CBQ; match;
        virtual-buffer match; Direct Bitmap; low-pass; removals; Jackknife; SC1; SC2; Tahoe; Reno; NewReno;
        SACK; Vegas; delayed ACKs; TFRC; IIAD; SQRT; GAIMD; RAP; LDA; LDA+; TEAR; CBR; on/off; web mice; HTTP;
        DRR; fair queueing; CSFQ; RED-PD; LRU-RED; GREEN; ICMP source quench; DECbit; ECN; preferential policy
        for the best-effort class; max-min fairness""",
    "tahiliani2013": """RED; gentle RED; WRED; Self-Configuring RED; ARED; Re-ARED; FARED; CARED; ARED-MIMD; w_q
        + max_p; SARED; Self-Tuning RED; CBT-RED; BRED; SRED; DSRED; NLRED; Modified RED; Effective RED; FRED;
        DRED; RED-PD; Exponential RED; LRED; NN-RED; choke packets; hop-by-hop choke packets; ECN; Modified
        ECN; XECN; TCP Surathkal; SACK; HSTCP; STCP; CUBIC; XCP; Westwood; GAIMD; Kwon-Fahmy; DECbit; Tahoe;
        Reno; Vegas; DCTCP; RCP; CUTE; voice; streaming; 802.11""",
    "phirke2002": """RED-Worcester; RED-Boston; delay hints; adaptive hint; TFRC; ARED; FRED; CSFQ;
        alternative best effort; CBT; DCBT; ChIPS; AF; EF; IntServ; queue law""",
    "haider2005": "Hybrid RED; LPF/ODA; RED; gentle RED; ARED",
    "their publications": """Refined Adaptive RED; Fast Adaptive RED; Cautious Adaptive RED; Flow RED; Dynamic RED;
        RIO-C; RIO-D; Weighted Random Early Detection; Core-Stateless Fair Queueing; single rate three color marker;
        two rate three color marker; Explicit Control Protocol; Rate Control Protocol; TCP Friendly Rate Control;
        Rate Adaptation Protocol; TCP Emulation at Receivers; preferential dropping""",
}

# Under work. Not a fault; a name that is here and is found is reported, so that it leaves the list.
PENDING = ""


def split(names):
    return [" ".join(name.split()) for name in names.split(";") if name.strip()]


@pytest.fixture(scope="module")
def topics():
    return _topics(json.loads(_core.registry()))


@pytest.fixture(scope="module")
def absent():
    """The names of the page, each with its reason."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: reason for name, _, reason in rows if name != "name" and not name.startswith("---")}


@pytest.mark.parametrize("work", NAMES)
def test_every_name_of_a_work_is_explained_or_has_a_reason(work, topics, absent):
    missing = [
        name
        for name in split(NAMES[work])
        if not _named(name, topics)[0] and name not in absent and name not in split(PENDING)
    ]

    assert missing == []


def test_what_is_absent_is_absent_and_has_a_whole_reason(topics, absent):
    assert [name for name in absent if _named(name, topics)[0]] == []
    assert [name for name, reason in absent.items() if len(reason.split()) < 12] == []
    named = {name for work in NAMES.values() for name in split(work)}
    assert set(absent) <= named


def test_explain_says_of_an_absent_name_where_its_reason_stands(absent):
    assert [name for name in absent if "docs/not-built.md" not in ABSENT.get(plain_name(name), "")] == []


def test_pending_names_are_reported(topics, absent, capsys):
    found = [name for name in split(PENDING) if _named(name, topics)[0]]
    with capsys.disabled():
        print(f"\nno longer pending: {'; '.join(found)}" if found else "")
    assert not set(split(PENDING)) & set(absent)


def test_every_publication_that_a_default_cites_is_named_in_explain():
    registry = json.loads(_core.registry())
    entries = [entry for kind in ("queues", "transports", "controls", "apps", "losses") for entry in registry[kind]]
    cites = {name for entry in entries for name in cited(json.dumps(entry, ensure_ascii=False))}

    assert cites - SOURCES.keys() == set()
    # An entry that nothing cites any more leaves the list; [Mah01] is cited by its simulation.
    assert SOURCES.keys() - cites == set()


@pytest.mark.parametrize("name", ["802.11ax", "Wi-Fi 6", "A-MPDU", "airtime fairness"])
def test_wi_fi_of_today_is_not_here_and_the_page_says_so(name):
    assert "without aggregation" in absence(name)
    assert "802.11n" in PAGE.read_text(encoding="utf-8")
