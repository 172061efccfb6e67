"""Rows of the page "Coming from ns-3". Presets named ns3 have the defaults of ns-3.48 (src/traffic-control)."""

from .row import Row

ROWS = (
    Row(
        "`PointToPointDumbbellHelper`",
        '`[dumbbell]` with `link:rate = "10Mbit"` and `link:delay = "20ms"`',
    ),
    Row(
        "`NodeContainer`, `PointToPointHelper`",
        "`name:node`, `name:link`",
    ),
    Row(
        '`TrafficControlHelper::SetRootQueueDisc("ns3::RedQueueDisc")`',
        '`link:queue = { kind = "red", preset = "ns3" }`. Behind the queue disc ns-3 has the queue of the device, of '
        "100 packets by default, in which nothing is managed; here is none. A script that sets it to `1p` is nearest",
        "TrafficControlHelper SetRootQueueDisc",
    ),
    Row(
        "`FifoQueueDisc`, `PfifoFastQueueDisc`",
        '`queue:{ kind = "fifo", preset = "ns3" }`; the three bands of the second are not here',
        "FifoQueueDisc PfifoFastQueueDisc",
    ),
    Row(
        "`RedQueueDisc` with `ARED`",
        '`queue:{ kind = "ared", preset = "ns3" }` with `link:mean_packet = "500B"`',
        "ARED",
    ),
    Row(
        "`CoDelQueueDisc`, `FqCoDelQueueDisc`, `CobaltQueueDisc`",
        '`queue:{ kind = "codel", preset = "ns3" }`, `queue:{ kind = "fq_codel", preset = "ns3" }`, `queue:{ kind = '
        '"cobalt", preset = "ns3" }`',
        "CoDelQueueDisc FqCoDelQueueDisc CobaltQueueDisc",
    ),
    Row(
        "`PieQueueDisc`, `FqPieQueueDisc`",
        '`queue:{ kind = "pie", preset = "ns3" }`, `queue:{ kind = "flow_queue", limit = "10240p", quantum = "1500B", '
        'policy = { kind = "pie", preset = "ns3", ecn = true } }`',
        "PieQueueDisc FqPieQueueDisc",
    ),
    Row(
        "`TbfQueueDisc`, `PrioQueueDisc`",
        '`queue:{ kind = "token_bucket", preset = "ns3", rate = "10Mbit" }`: its own rate is 1 Mbit/s; `queue:{ kind = '
        '"priority" }`',
        "TbfQueueDisc PrioQueueDisc",
    ),
    Row(
        '`DataRate` `"10Mbps"`',
        '`link:rate = "10Mbit"`',
        "DataRate",
    ),
    Row(
        '`MaxSize` `"100p"`',
        '`queue:{ kind = "fifo", limit = "100p" }`',
        "MaxSize",
    ),
    Row(
        "`MinTh` 5, `MaxTh` 15, `QW` 0.002, `LInterm` 50, `Gentle` true",
        '`queue:{ kind = "red", preset = "ns3", min_th = "5p", max_th = "15p", w_q = 0.002, max_p = 0.02, above '
        '= "gentle" }`, which are its defaults: `max_p` is 1/`LInterm`. `LinkBandwidth` is the rate of the link, and '
        '`MeanPktSize` 500 is `link:mean_packet = "500B"`',
        "MinTh MaxTh QW LInterm Gentle LinkBandwidth MeanPktSize",
    ),
    Row(
        "`UseEcn`; `UseHardDrop` true, which is the default",
        '`queue:{ kind = "red", preset = "ns3", ecn = true }`: it marks in place of early drops, and drops from '
        "twice `MaxTh` on (from `MaxTh` on without `Gentle`). With `UseHardDrop` false it marks them, too: `queue:{ "
        'kind = "red", preset = "ns3", ecn = true, mark_max_p = 2 }`',
        "UseEcn UseHardDrop",
    ),
    Row(
        "`TcpSocketBase` with `TcpNewReno`, `TcpCubic`, `TcpDctcp`",
        '`transport:{ kind = "tcp", profile = "rfc", rate_reduction = "prr", initial_window = 10, control = "reno" '
        '}`, with `control:"cubic"` or `control:"dctcp"` in place of `"reno"`. ns-3 has the timers of the RFCs '
        "(timeouts of at least 1 s), SACK and proportional rate reduction, but not RACK. For Linux itself write "
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "cubic", preset = "linux" } }`',
        "TcpSocketBase TcpNewReno TcpCubic TcpDctcp",
    ),
    Row(
        "`TcpBbr`",
        '`transport:{ kind = "tcp", profile = "linux", control = "bbr" }`',
        "TcpBbr",
    ),
    Row(
        "`TcpVegas`, `TcpWestwoodPlus`, `TcpHighSpeed`, `TcpScalable`",
        '`control:"vegas"`, `control:"westwood"`, `control:"hstcp"`, `control:"scalable"`',
        "TcpVegas TcpWestwoodPlus TcpHighSpeed TcpScalable",
    ),
    Row(
        "`TcpHtcp`, `TcpIllinois`, `TcpBic`, `TcpHybla`, `TcpVeno`, `TcpYeah`",
        '`control:"htcp"`, `control:"illinois"`, `control:{ kind = "bic", preset = "linux" }` (whose values ns-3 has), '
        '`control:{ kind = "hybla", rtt_0 = "50ms" }` (`RRTT`), `control:"veno"`, `control:"yeah"`',
        "TcpHtcp TcpIllinois TcpBic TcpHybla TcpVeno TcpYeah",
    ),
    Row(
        "`SegmentSize` 1448 of `TcpSocket`",
        '`transport:{ kind = "tcp", packet = "1500B", header = "52B" }`: the size of a packet includes the headers, '
        "here with time stamps",
        "SegmentSize TcpSocket",
    ),
    Row(
        "`BulkSendHelper`",
        '`flow:app = "bulk"`',
        "BulkSendHelper BulkSendApplication",
    ),
    Row(
        "`OnOffHelper`",
        '`flow:transport = "udp"` with `flow:app = { kind = "on_off" }`',
        "OnOffHelper OnOffApplication",
    ),
    Row(
        "`UdpEchoClient`, `OnOff` with constant rate",
        '`flow:transport = "udp"`, `flow:app = { kind = "cbr" }`: in Sojourn nothing answers a datagram',
        "UdpEchoClient",
    ),
    Row(
        "`RngSeedManager::SetRun(7)`",
        "`option:--seed 7`",
        "RngSeedManager SetRun",
    ),
    Row(
        "`FlowMonitor`",
        "tables `name:flow` and `name:group` of every result",
        "FlowMonitor",
    ),
    Row(
        "`EnablePcapAll`",
        "`option:--set record.pcap=true --out DIR`. `command:sojourn replay FILE --rate 10Mbit` reads a capture of "
        "ns-3: give it the capture of the device at which packets arrive, in one direction",
        "EnablePcapAll EnablePcap",
    ),
    Row(
        "`EnableAsciiAll`",
        "`option:--set record.packets=true --set record.drops=true --out DIR`: tables `name:packets` and "
        "`name:drops`. Sojourn does not read an ASCII trace of ns-3: its `+` are packets that join a device, behind "
        "the queue discipline",
        "EnableAsciiAll AsciiTraceHelper",
    ),
)
