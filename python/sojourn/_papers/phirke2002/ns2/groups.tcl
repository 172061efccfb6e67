# One run of Phirke 2002's simulation set 2 under Adaptive RED in ns-2, for tests/peers/witness.py:    ns groups.tcl delayed=0 seed=3 ...
# 35 TCP flows over 5 Mbit/s; Adaptive RED knows no delay hints, so that all flows are alike. ns-2 has neither RED-Worcester nor RED-Boston.
# Settings are key=value (below, with their defaults, which are those of our runs); the result is one line of JSON on stdout.
#
# delayed       whether receivers acknowledge every second packet
# tick, minrto  TCP's clock and least timeout, s
# precise  1: half of a window of 13 packets is 6.5, as in ns-2 since January 2006; 0: it is 6
# also     further variables of ns-2's classes: Agent/TCP:singledup_:0,Queue/RED:mean_pktsize_:500
#
# delay         mean time in the queue, ms, by Little's law from the mean number of packets that wait
# drops         packets dropped over packets that came
# throughput    of a flow, bit/s, in the mean

array set setting { flows 35 delayed 0 tick 0.1 minrto 1 headers 0 window 20 duration 80 from 20 seed 1 precise 0 also "" }
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists setting($key)]} { puts stderr "groups.tcl: there is no setting '$key'"; exit 2 }
	set setting($key) $value
}
remove-all-packet-headers
add-packet-header IP TCP Flags

Agent/TCP set minrto_ $setting(minrto)
Agent/TCP set precisionReduce_ $setting(precise)
Agent/TCP set tcpTick_ $setting(tick)
Agent/TCP set rtxcur_init_ [expr {$setting(minrto) == 1 ? 6.0 : 3.0}]
Agent/TCP set useHeaders_ $setting(headers)
Agent/TCP set window_ $setting(window)
Agent/TCP set packetSize_ 1000
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set thresh_ 20
Queue/RED set maxthresh_ 80
Queue/RED set mean_pktsize_ 1000
Queue/RED set q_weight_ 0
Queue/RED set adaptive_ 1

foreach one [split $setting(also) ,] {
	lassign [split $one :] class variable value
	$class set $variable $value
}

set ns [new Simulator]
set starts [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} { $defaultRNG next-substream; $starts next-substream }
set near [$ns node]
set far [$ns node]
$ns duplex-link $near $far 5Mb 20ms RED
foreach {from to} [list $near $far $far $near] { $ns queue-limit $from $to 120 }
for {set i 0} {$i < $setting(flows)} {incr i} {
	set source [$ns node]
	set sink [$ns node]
	$ns duplex-link $source $near 20Mb 15ms DropTail
	$ns duplex-link $far $sink 20Mb 15ms DropTail
	set tcp [$ns create-connection TCP/Newreno $source [expr {$setting(delayed) ? "TCPSink/DelAck" : "TCPSink"}] $sink 0]
	$ns at [$starts uniform 0 0.01] "[$tcp attach-app FTP] start"
}

set monitor [$ns monitor-queue $near $far ""]
set waiting [$monitor get-pkts-integrator]
proc now {} {
	global monitor waiting ns
	$waiting newpoint [$ns now] [$waiting set lasty_]
	list [$waiting set sum_] [$monitor set pdepartures_] [$monitor set pdrops_] [$monitor set parrivals_] [$monitor set bdepartures_]
}
proc begin {} { set ::before [now] }
proc finish {} {
	global before setting
	foreach later [now] earlier $before name {waited left dropped came bytes} { set $name [expr double($later - $earlier)] }
	set span [expr $setting(duration) - $setting(from)]
	puts "{\"delay\": [expr 1000 * $waited / $left], \"drops\": [expr $dropped / $came], \"throughput\": [expr 8 * $bytes / $span / $setting(flows)]}"
	exit 0
}
$ns at $setting(from) begin
$ns at $setting(duration) finish
$ns run
