# One run of Alemu 2004's chapter 5 (figure 5.2) in ns-2, for tests/peers/witness.py:    ns fec.tcl queue=red flows=50 h=1 seed=3 ...
# Settings are key=value (below, with their defaults); the result is one line of JSON on stdout.
#
# queue    red (ns-2's automatic one; with min and max above 0 these and w_q) or droptail
# flows    long TCP flows; packet is theirs, headers=1 puts ns-2's 40 B on top
# k, h     data and parity packets of a block of the UDP source, whose rate is 500 kbit/s times (k + h) / k
# precise  1: half of a window of 13 packets is 6.5, as in ns-2 since January 2006; 0: it is 6
# also     further variables of ns-2's classes: Agent/TCP:singledup_:0,Queue/RED:mean_pktsize_:500
# Half of each source's delay is on either side of the bottleneck; TCP's 20 to 100 ms are evenly spread over the flows.
#
# PLRBC, PLR       lost over sent packets of UDP; data packets that a block of k + h lacks if more than h of it are lost
# total, udp, tcp  carried by the link, by UDP, by a TCP flow, in bit/s
# AQS, VQS         mean and variance of the queue, sampled each 10 ms
# singly           share of UDP's runs of lost packets that are one packet long

array set setting {
	queue red flows 50 k 16 h 1 packet 1200 headers 0 min 0 max 0 w_q 0 mean 500 limit 35 minrto 1 duration 100 seed 1 precise 0 also ""
}
foreach argument $argv {
	lassign [split $argument =] key value
	if {![info exists setting($key)]} { puts stderr "fec.tcl: there is no setting '$key'"; exit 2 }
	set setting($key) $value
}

Agent/TCP set minrto_ $setting(minrto)
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set precisionReduce_ $setting(precise)
Agent/TCP set useHeaders_ $setting(headers)
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ $setting(mean)
if {$setting(max) > 0} {
	Queue/RED set thresh_ $setting(min)
	Queue/RED set maxthresh_ $setting(max)
	Queue/RED set q_weight_ $setting(w_q)
}

foreach one [split $setting(also) ,] {
	lassign [split $one :] class variable value
	$class set $variable $value
}

set ns [new Simulator]
set starts [new RNG]
set arrivals [new RNG]
for {set i 0} {$i < $setting(seed)} {incr i} {
	foreach generator [list $defaultRNG $starts $arrivals] { $generator next-substream }
}
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 10Mb 30ms [expr {$setting(queue) == "red" ? "RED" : "DropTail"}]
$ns simplex-link $right $left 10Mb 30ms DropTail
$ns queue-limit $left $right $setting(limit)
$ns queue-limit $right $left 100000

# A source and a sink of their own, each half of `delay` (in ms) away from the bottleneck.
proc ends delay {
	global ns left right
	set pair [list [$ns node] [$ns node]]
	foreach {end router} [list [lindex $pair 0] $left [lindex $pair 1] $right] {
		$ns duplex-link $end $router 100Mb [expr 0.5 * $delay]ms DropTail
		$ns queue-limit $end $router 100000
		$ns queue-limit $router $end 100000
	}
	return $pair
}

set udp [new Agent/UDP]
set sink [new Agent/Null]
$udp set packetSize_ 573
lassign [ends 60] from to
$ns attach-agent $from $udp
$ns attach-agent $to $sink
$ns connect $udp $sink
$udp set fid_ 0

set rate [expr 500e3 * ($setting(k) + $setting(h)) / $setting(k)]
set sent 0
proc write {} {
	global ns udp arrivals rate sent
	$udp send 573
	incr sent
	$ns at [expr [$ns now] - log(1.0 - [$arrivals uniform 0 1]) * 573 * 8 / $rate] write
}
$ns at [expr -log(1.0 - [$arrivals uniform 0 1]) * 573 * 8 / $rate] write

for {set i 0} {$i < $setting(flows)} {incr i} {
	lassign [ends [expr 20 + 80.0 * $i / max(1, $setting(flows) - 1)]] from to
	set tcp [$ns create-connection TCP/Sack1 $from TCPSink/Sack1 $to [expr 1 + $i]]
	$tcp set window_ 20
	$tcp set packetSize_ $setting(packet)
	lappend senders $tcp
	$ns at [$starts uniform 0 1] "[$tcp attach-app FTP] start"
}

set monitor [$ns monitor-queue $left $right ""]
# What the bottleneck drops: UDP's packets have sequence numbers from 0 on.
set trace [open drops w+]
set drops [$ns create-trace Drop $trace $left $right]
set head [[$ns link $left $right] set drophead_]
$drops target [$head target]
$head target $drops

set count 0
set sum 0.0
set squares 0.0
proc sample {} {
	global ns monitor count sum squares
	set waiting [$monitor set pkts_]
	incr count
	set sum [expr $sum + $waiting]
	set squares [expr $squares + $waiting * $waiting]
	$ns at [expr [$ns now] + 0.01] sample
}
$ns at 0 sample

proc lost_of_udp {} {
	global trace
	flush $trace
	seek $trace 0
	set lost {}
	foreach line [split [string trim [read $trace]] \n] {
		if {[lindex $line 4] == "udp"} { lappend lost [lindex $line 10] }
	}
	return $lost
}

# Data packets that are lost for good: of a block with more than h losses, those among its first k.
proc unrepaired lost {
	global setting
	set size [expr $setting(k) + $setting(h)]
	foreach number $lost {
		set block [expr $number / $size]
		incr losses($block)
		incr data($block) [expr $number % $size < $setting(k)]
	}
	set sum 0
	foreach block [array names losses] {
		if {$losses($block) > $setting(h)} { incr sum $data($block) }
	}
	return $sum
}

# Share of the runs of lost packets that are one packet long.
proc singly lost {
	set runs 0
	set ones 0
	set length 0
	set before -2
	foreach number [concat $lost end] {
		if {$number == "end" || $number != $before + 1} {
			if {$length > 0} { incr runs; incr ones [expr $length == 1] }
			set length 0
		}
		incr length
		set before $number
	}
	return [expr double($ones) / max(1, $runs)]
}

proc finish {} {
	global monitor count sum squares setting sent senders
	set lost [lost_of_udp]
	set AQS [expr $sum / $count]
	set data [expr double($sent) * $setting(k) / ($setting(k) + $setting(h))]
	set carried 0.0
	foreach tcp $senders { set carried [expr $carried + 8.0 * $setting(packet) * [$tcp set ack_]] }
	set names [list AQS $AQS VQS [expr $squares / $count - $AQS * $AQS] PLRBC [expr double([llength $lost]) / $sent]]
	lappend names PLR [expr [unrepaired $lost] / $data] singly [singly $lost]
	lappend names total [expr 8.0 * [$monitor set bdepartures_] / $setting(duration)]
	lappend names udp [expr 8.0 * 573 * ($sent - [llength $lost]) / $setting(duration)]
	lappend names tcp [expr $carried / $setting(flows) / $setting(duration)]
	set parts {}
	foreach {name value} $names { lappend parts "\"$name\": $value" }
	puts "{[join $parts {, }]}"
	exit 0
}
$ns at $setting(duration) finish
$ns run
