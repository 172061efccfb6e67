"""Rows of the page "Coming from Flent". Names are those of Flent 2.3."""

from .row import Row

ROWS = (
    Row(
        "`rrul`: four downloads, four uploads, pings",
        "`command:sojourn run rrul`, with DiffServ codepoints; in `command:sojourn run rrul_be` all traffic is best "
        'effort. Pings are small datagrams in each direction: `flow:app = { kind = "cbr", rate = "2560bit", packet = '
        '"64B" }` over `flow:transport = "udp"`',
        "rrul_be_nflows",
    ),
    Row(
        "`tcp_download`, `tcp_8down`",
        "the scenarios `name:tcp_ndown` and `name:tcp_8down`: a `[[flow]]` with "
        '`flow:app = "bulk"`, `flow:direction = "backward"` and `flow:count = 8`',
        "tcp_download tcp_12down",
    ),
    Row(
        "`tcp_upload`, `tcp_8up`",
        'the scenarios `name:tcp_nup` and `name:tcp_8up`: a `[[flow]]` with `flow:app = "bulk"` and `flow:count = 8`',
        "tcp_upload tcp_12up",
    ),
    Row(
        "`Ping (ms)`, a round trip",
        "for two groups of small datagrams, one in each direction: the sum of their `name:delay_mean_ms` in the table "
        "`name:group`. Flent's `tcp_rtt`, TCP's own samples, is `name:rtt_mean_ms`. FQ-CoDel keeps the round trip of "
        "datagrams short, but not that of TCP",
        "tcp_rtt icmp",
    ),
    Row(
        "`voip`",
        '`flow:app = "voice"` over `flow:transport = "udp"`',
        "voip",
    ),
    Row(
        "`http`",
        '`flow:app = "http"`',
        "http-1down",
    ),
    Row(
        "the measured line, for example 5 Mbit/s up and 20 Mbit/s down",
        '`link:rate = "5Mbit"` and `link:reverse_rate = "20Mbit"` of `[dumbbell]`, as in the scenario '
        "`name:home_line`; `sojourn line --from FILE.flent.gz` estimates it",
    ),
    Row(
        "`--length 60`",
        '`top:duration = "60s"`',
        "length",
    ),
    Row(
        "a data file `.flent.gz`",
        "`command:sojourn export SCENARIO --as flent --out DIR` writes such a file, and Flent opens it. It has a "
        "stream for each TCP flow, named after its group, and `Ping (ms) UDP BE` if small datagrams go in both "
        "directions, or in one direction without data in the other. Its rates include headers; Flent's do not. With "
        "`option:--out DIR`, `run` and `compare` keep each run",
        "flent.gz",
    ),
    Row(
        "plot `ping_cdf`, `totals`, `box_totals`",
        "the report, or [`code:study.plot(name)`](../gallery/index.md)",
    ),
    Row(
        "repeated runs, by hand",
        "`option:--seeds 20`: each number then has an interval, and differences are paired by seed",
    ),
)
