# Three Tahoe flows over a drop tail, whose arrivals and departures come at the same moments:    ns ns2_ties.tcl near=2,24,46 far=5,5,5 seed=3
# Each flow has hosts of its own; `near` and `far` are the one-way delays in ms of their access links to the two routers, `middle` that of the
# bottleneck. Flow i starts at the i-th draw of a uniform number in [0, 7) s. `overhead` makes senders wait up to so many seconds at random before
# each packet. The result is one line of JSON on stdout: kbit/s of each flow, with headers, as they leave the bottleneck after `warmup` s.

source [file join [file dirname [info script]] ns2_defaults.tcl]

array set setting {near 2,24,46 far 5,5,5 middle 31 rate_mbit 1.1 limit 9 packet 700 window 60 duration 300 warmup 50 seed 1 overhead 0}
foreach argument $argv {
	foreach {key value} [split $argument =] break
	if {![info exists setting($key)]} { puts stderr "ns2_ties.tcl: cannot read '$argument'"; exit 2 }
	set setting($key) $value
}

set ns [new Simulator]
set starts [new RNG]
for {set i 1} {$i < $setting(seed)} {incr i} { $starts next-substream }

set left [$ns node]
set right [$ns node]
set rate [expr $setting(rate_mbit) * 1e6]
$ns simplex-link $left $right $rate [expr $setting(middle) * 1e-3] DropTail
$ns simplex-link $right $left $rate [expr $setting(middle) * 1e-3] DropTail
$ns queue-limit $left $right $setting(limit)
$ns queue-limit $right $left 100000

set flow 0
foreach near [split $setting(near) ,] far [split $setting(far) ,] {
	set source [$ns node]
	set sink [$ns node]
	foreach {host router delay} [list $source $left $near $sink $right $far] {
		$ns duplex-link $host $router [expr 10 * $rate] [expr $delay * 1e-3] DropTail
		$ns queue-limit $host $router 100000
		$ns queue-limit $router $host 100000
	}
	set tcp [new Agent/TCP]
	$tcp set packetSize_ [expr $setting(packet) - 40]
	$tcp set window_ $setting(window)
	$tcp set minrto_ 0.2
	$tcp set overhead_ $setting(overhead)
	$tcp set fid_ $flow
	set receiver [new Agent/TCPSink]
	$ns attach-agent $source $tcp
	$ns attach-agent $sink $receiver
	$ns connect $tcp $receiver
	set bulk [new Application/FTP]
	$bulk attach-agent $tcp
	$ns at [$starts uniform 0 7] "$bulk start"
	set counted($flow) [$ns monitor-queue $right $sink [open /dev/null w]]
	incr flow
}

proc bytes {} {
	global counted flow
	set all {}
	for {set i 0} {$i < $flow} {incr i} { lappend all [$counted($i) set bdepartures_] }
	return $all
}
$ns at $setting(warmup) "set before \[bytes\]"
$ns at $setting(duration) finish
proc finish {} {
	global before setting
	set shares {}
	foreach old $before new [bytes] {
		lappend shares [format %.2f [expr 8e-3 * ($new - $old) / ($setting(duration) - $setting(warmup))]]
	}
	puts "\[[join $shares ,]\]"
	exit 0
}
$ns run
