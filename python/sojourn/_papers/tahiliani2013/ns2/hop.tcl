# One run of Tahiliani 2013's wireless hop (figure 4.16) in ns-2, for tests/peers/witness.py:    ns hop.tcl rate=8e6 rts=0 seed=3 ...
# Two SACK flows come over 75 Mbit/s and 5 ms to a base station and go on over 802.11 to one station. All frames are sent once (LongRetryLimit_ 1).
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# rts      frames of more bytes are preceded by RTS and CTS; ns-2's default is 0
# throughput    payload of both flows in bit/s

array set setting {rate 11e6 rts 0 ecn 1 duration 300 seed 1}
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists setting($key)]} { puts stderr "hop.tcl: there is no setting '$key'"; exit 2 }
	set setting($key) $value
}
foreach {name value} [list dataRate_ $setting(rate) basicRate_ 2Mb RTSThreshold_ $setting(rts) ShortRetryLimit_ 7 LongRetryLimit_ 1] {
	Mac/802_11 set $name $value
}
# A wireless interface tells RED no rate: what is automatic on a wire is written here.
foreach {name value} [list adaptive_ 1 mean_pktsize_ 1000 setbit_ true bytes_ false queue_in_bytes_ false thresh_ 5 maxthresh_ 15 \
	q_weight_ [expr 1 - exp(-8000.0 / $setting(rate))] bottom_ [expr min(0.01, 80000.0 / $setting(rate))]] {
	Queue/RED set $name $value
}
Agent/TCP set ecn_ $setting(ecn)
Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 1000

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} { $defaultRNG next-substream; $starts next-substream }
$ns node-config -addressType hierarchical
AddrParams set domain_num_ 2
AddrParams set cluster_num_ {1 1}
AddrParams set nodes_num_ {1 2}
$ns trace-all [open /dev/null w]
set ground [new Topography]
$ground load_flatgrid 100 100
create-god 2
set wired [$ns node 0.0.0]
$ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 -ifqType Queue/RED -ifqLen 50 -antType Antenna/OmniAntenna \
	-propType Propagation/TwoRayGround -phyType Phy/WirelessPhy -channel [new Channel/WirelessChannel] -topoInstance $ground \
	-wiredRouting ON -agentTrace OFF -routerTrace OFF -macTrace OFF
set base [$ns node 1.0.0]
$ns node-config -wiredRouting OFF
set station [$ns node 1.0.1]
$station base-station [AddrParams addr2id [$base node-addr]]
foreach {node x} [list $base 50 $station 55] {
	$node random-motion 0
	$node set X_ $x
	$node set Y_ 50
	$node set Z_ 0
}
$ns duplex-link $wired $base 75Mb 5ms DropTail
$ns queue-limit $wired $base 100000

# DSDV has found its routes after 20 s.
foreach n {0 1} {
	set tcp($n) [new Agent/TCP/Sack1]
	set sink [new Agent/TCPSink/Sack1]
	$ns attach-agent $wired $tcp($n)
	$ns attach-agent $station $sink
	$ns connect $tcp($n) $sink
	set ftp [new Application/FTP]
	$ftp attach-agent $tcp($n)
	$ns at [expr 20 + [$starts uniform 0 1]] "$ftp start"
}
proc done {} {
	global tcp setting
	set bits 0
	foreach n {0 1} { set bits [expr $bits + 8000.0 * ([$tcp($n) set ack_] + 1)] }
	puts "{\"throughput\": [expr $bits / $setting(duration)]}"
	exit 0
}
$ns at [expr 20 + $setting(duration)] done
$ns run
