# The report's two topologies in ns-2 (2.35), for RED and Adaptive RED, which ns-2 has; tests/peers/witness.py runs it:
#     ns topologies.tcl topology=1 queue=red tcp=newreno seed=1
# Settings are key=value (below, with their defaults, which are those of our runs); the result is one line of JSON on stdout.
#
# packet      bytes without headers; headers=1 puts ns-2's 40 B on top
# tick, minrto  TCP's clock and least timeout, s
# new_from    where the twenty flows of topology 2 go: forward over both pairs (both), over one (first), only in reverse, over the three
#             paths in turn (mixed), or each over one of the three (random) or of two forward and two reverse paths (random2), drawn anew
#             for each seed
# spread      s within which flows start after their time
# precise     1: half of a window of 13 packets is 6.5, as in ns-2 since January 2006; 0: it is 6
# also        further variables of ns-2's classes: Agent/TCP:singledup_:0,Queue/RED:mean_pktsize_:500
#
# loss         packets dropped over packets let in, at the bottleneck towards the receivers
# utilisation  bits sent over bits that could have been sent; payload: without the headers of ns-2, where they are on top

array set set_ {
	topology 1 queue red tcp sack seed 1 duration 50
	min 5 max 15 w_q 0.002 max_p 0.1 gentle 1 wait 1 buffer 50
	window 20 packet 1000 headers 1 delayed_acks 0 tick 0.01 minrto 1
	spread 0.01 new_from both new_count 20 precise 0 also ""
}
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists set_($key)]} {
		puts stderr "topologies.tcl: no setting $key; there are [lsort [array names set_]]"
		exit 2
	}
	set set_($key) $value
}

remove-all-packet-headers
add-packet-header IP TCP Flags
set classes(newreno) {Agent/TCP/Newreno Agent/TCPSink}
set classes(reno) {Agent/TCP/Reno Agent/TCPSink}
set classes(tahoe) {Agent/TCP Agent/TCPSink}
set classes(sack) {Agent/TCP/Sack1 Agent/TCPSink/Sack1}
# Streams of ns-2's generator are substreams: its `seed` alone makes them start alike.
set starts [new RNG]
for {set i 1} {$i < $set_(seed)} {incr i} {
	$starts next-substream
	$defaultRNG next-substream
}

set ns [new Simulator]
Queue set limit_ $set_(buffer)
Queue/RED set thresh_ $set_(min)
Queue/RED set maxthresh_ $set_(max)
Queue/RED set q_weight_ $set_(w_q)
Queue/RED set linterm_ [expr 1.0 / $set_(max_p)]
Queue/RED set gentle_ $set_(gentle)
Queue/RED set wait_ $set_(wait)
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ $set_(packet)
Agent/TCP set useHeaders_ $set_(headers)
Agent/TCP set tcpTick_ $set_(tick)
Agent/TCP set minrto_ $set_(minrto)
Agent/TCP set precisionReduce_ $set_(precise)
Agent/TCP set rtxcur_init_ [expr {$set_(minrto) == 1 ? 6.0 : 3.0}]
Queue/RED set adaptive_ [expr {$set_(queue) == "ared"}]
foreach one [split $set_(also) ,] {
	lassign [split $one :] class variable value
	$class set $variable $value
}

proc links list {
	global node ns
	foreach {from to rate delay queue} $list {
		foreach name [list $from $to] {
			if {![info exists node($name)]} { set node($name) [$ns node] }
		}
		$ns duplex-link $node($from) $node($to) $rate $delay $queue
	}
}

proc flow {from to start} {
	global node ns set_ classes
	lassign $classes($set_(tcp)) sender receiver
	set tcp [new $sender]
	if {$set_(delayed_acks)} { append receiver /DelAck }
	set sink [new $receiver]
	$tcp set packetSize_ $set_(packet)
	$tcp set window_ $set_(window)
	$ns attach-agent $node($from) $tcp
	$ns attach-agent $node($to) $sink
	$ns connect $tcp $sink
	set ftp [new Application/FTP]
	$ftp attach-agent $tcp
	$ns at [expr $start + [$::starts uniform 0 1] * $set_(spread)] "$ftp start"
}

if {$set_(topology) == 1} {
	links {a d 100Mb 1ms DropTail  b d 100Mb 3ms DropTail  c d 100Mb 5ms DropTail  d e 10Mb 5ms RED}
	foreach from {a b c} { flow $from e 0 }
	set bottleneck [$ns link $node(d) $node(e)]
	set rate 10e6
} else {
	links {a c 10Mb 2ms DropTail  b c 10Mb 3ms DropTail  e d 10Mb 4ms DropTail  f d 10Mb 5ms DropTail  c d 1.5Mb 20ms RED}
	flow a e 0
	flow b f 0
	flow e b 0
	set paths [dict get {
		both {a e b f}  first {a e}  reverse {e b}  mixed {a e b f e b}
		random {a e b f e b}  random2 {a e b f e b f a}
	} $set_(new_from)]
	set count [expr [llength $paths] / 2]
	for {set k 0} {$k < $set_(new_count)} {incr k} {
		set path [expr {[string match random* $set_(new_from)] ? int([$starts uniform 0 $count]) : $k % $count}]
		flow [lindex $paths [expr 2 * $path]] [lindex $paths [expr 2 * $path + 1]] [expr 25 + 0.1 * $k]
	}
	set bottleneck [$ns link $node(c) $node(d)]
	set rate 1.5e6
}

set monitor [new QueueMonitor/ED]
$bottleneck attach-monitors [new SnoopQueue/In] [new SnoopQueue/Out] [new SnoopQueue/Drop] $monitor
# RED's early drops leave by an exit of their own.
set early [new SnoopQueue/EDrop]
$early set-monitor $monitor
$early target [$ns set nullAgent_]
if {[lsearch [[$bottleneck queue] info class] Queue/RED] >= 0} { [$bottleneck queue] early-drop-target $early }

proc finish {} {
	global monitor set_ rate
	set arrivals [$monitor set parrivals_]
	set drops [$monitor set pdrops_]
	set bits [expr 8.0 * [$monitor set bdepartures_]]
	set utilisation [expr $bits / ($rate * $set_(duration))]
	puts [format {{"loss": %.6f, "utilisation": %.5f, "payload": %.5f, "arrivals": %d, "drops": %d}} \
		[expr double($drops) / ($arrivals - $drops)] $utilisation \
		[expr $utilisation * $set_(packet) / ($set_(packet) + 40.0 * $set_(headers))] $arrivals $drops]
	exit 0
}
$ns at $set_(duration) finish
$ns run
