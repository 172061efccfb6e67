"""Rows of the page "Coming from Flent". Names are those of Flent 2.3."""

from .row import Row

ROWS = (
    Row(
        "`rrul`: four downloads, four uploads, pings",
        "`command:sojourn run rrul`, with its codepoints; `command:sojourn run rrul_be` has best effort alone. Pings "
        'are small datagrams each way: `flow:app = { kind = "cbr", rate = "2560bit", packet = "64B" }` over '
        '`flow:transport = "udp"`',
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
        "of a group of small datagrams `name:delay_mean_ms` of the table `name:group`, which is the way there, and "
        "that of one back. The time of TCP's own samples, Flent's `tcp_rtt`, is `name:rtt_mean_ms`: FQ-CoDel keeps "
        "the first short, and not the second",
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
        "the line that is measured, say 5 Mbit/s up and 20 Mbit/s down",
        '`link:rate = "5Mbit"` and `link:reverse_rate = "20Mbit"` of `[dumbbell]`, as in the scenario `name:home_line`',
    ),
    Row(
        "`--length 60`",
        '`top:duration = "60s"`',
        "length",
    ),
    Row(
        "a data file `.flent.gz`",
        "`command:sojourn export SCENARIO --as flent --out DIR` writes one, which Flent opens: a stream for each "
        "flow of TCP, named by its group; `Ping (ms) UDP BE` where small datagrams go both ways, or one way against "
        "no data; rates with headers, where Flent's are without. `option:--out DIR` of `run` and `compare` keeps "
        "each run",
        "flent.gz",
    ),
    Row(
        "plot `ping_cdf`, `totals`, `box_totals`",
        "the report, or [`code:study.plot(name)`](../gallery/index.md)",
    ),
    Row(
        "repeated runs, by hand",
        "`option:--seeds 20`: with intervals, and paired differences",
    ),
)
