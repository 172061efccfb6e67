# The benchmark's dumbbell in ns-2:    ns dumbbell.tcl n=10 c=10 t=100 seed=1 aqm=red tcp=sack sched=Splay mon=1
#
#   source i --10 C, 5 ms--> router 1 ==C, 20 ms==> router 2 --10 C, 5 ms--> receiver i          (n flows, base round-trip time 60 ms)
#
# c is the bottleneck's rate in Mbit/s, t the simulated seconds. Packets of 1000 bytes on the wire, acknowledgements of 40, one for each
# packet; window limit 1000; unlimited data from a uniform moment of the first second on. The bottleneck's buffer is one bandwidth-delay
# product B, under adaptive RED (min B/6, max B/2, gentle) or drop-tail; all other queues are long.
#
# ns-2 is run at its best: only the packet headers that are used, manual routing, no traces, a monitor only with mon=1 (which is for the
# counters, not for timing), the scheduler that suits the size (Splay; Calendar for a thousand flows), and inherited defaults copied
# into the classes, which saves a quarter of the set-up. Output: one line of JSON, empty without mon=1.

source [file join [file dirname [info script]] .. .. tests peers ns2_defaults.tcl]

array set setting {n 10 c 10 t 100 seed 1 aqm red tcp sack sched Splay mon 0}
foreach argument $argv {
	set pair [split $argument =]
	if {[llength $pair] != 2 || ![info exists setting([lindex $pair 0])]} {
		puts stderr "dumbbell.tcl: cannot read '$argument'; known are [lsort [array names setting]]"
		exit 2
	}
	set setting([lindex $pair 0]) [lindex $pair 1]
}
array set senders {sack Agent/TCP/Sack1 newreno Agent/TCP/Newreno}
array set receivers {sack Agent/TCPSink/Sack1 newreno Agent/TCPSink}
array set queues {red RED droptail DropTail}
if {![info exists senders($setting(tcp))] || ![info exists queues($setting(aqm))]} {
	puts stderr "dumbbell.tcl: tcp is sack or newreno, aqm is red or droptail"
	exit 2
}

proc finish {} {
	global setting
	if {$setting(mon)} {
		global monitor
		puts [format {{"arrivals": %.0f, "departures": %.0f, "drops": %.0f}} \
			[$monitor set parrivals_] [$monitor set pdepartures_] [$monitor set pdrops_]]
	} else {
		puts "{}"
	}
	exit 0
}

remove-all-packet-headers
add-packet-header IP TCP Flags
set ns [new Simulator]
$ns use-scheduler $setting(sched)
$ns rtproto Manual
$defaultRNG seed $setting(seed)
set starts [new RNG]

set rate [expr {$setting(c) * 1e6}]
set buffer [expr {round($rate * 0.06 / 8000)}]
Queue set limit_ 100000
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ 1000
Queue/RED set thresh_ [expr {$buffer / 6.0}]
Queue/RED set maxthresh_ [expr {$buffer / 2.0}]
Queue/RED set q_weight_ [expr {1 - exp(-8000 / $rate)}]
Queue/RED set linterm_ 10
Queue/RED set adaptive_ 1
Agent/TCP set packetSize_ 960
Agent/TCP set window_ 1000
flatten_defaults [list $senders($setting(tcp)) $receivers($setting(tcp)) Queue/DropTail DelayLink Connector TTLChecker \
	Classifier/Port Classifier/Hash/Dest]

set near [$ns node]
set far [$ns node]
$ns simplex-link $near $far $rate 20ms $queues($setting(aqm))
$ns simplex-link $far $near $rate 20ms DropTail
$ns queue-limit $near $far $buffer
if {$setting(mon)} {
	set monitor [$ns monitor-queue $near $far ""]
}
[$near get-module Manual] add-route-to-adj-node -default $far
[$far get-module Manual] add-route-to-adj-node -default $near

for {set i 0} {$i < $setting(n)} {incr i} {
	set source [$ns node]
	set receiver [$ns node]
	foreach {host router} [list $source $near $receiver $far] {
		$ns duplex-link $host $router [expr {10 * $rate}] 5ms DropTail
		[$host get-module Manual] add-route-to-adj-node -default $router
		[$router get-module Manual] add-route-to-adj-node $host
	}
	set tcp [new $senders($setting(tcp))]
	set sink [new $receivers($setting(tcp))]
	$ns attach-agent $source $tcp
	$ns attach-agent $receiver $sink
	$ns connect $tcp $sink
	$ns at [$starts uniform 0 1] "$tcp send -1"
}
$ns at $setting(t) finish
$ns run
